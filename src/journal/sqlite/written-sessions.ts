/** What is known here of the sessions in the file, so that a commit writes only what has changed. */
import type { SessionRecord } from "../../runtime/session-record.js";

/** Sessions are named by a small number in the file. */
export interface SessionKey {
  readonly session_key: number;
  readonly session_id: string;
}

export class WrittenSessions {
  private readonly keys = new Map<string, number>();
  private readonly ids = new Map<number, string>();
  private readonly records = new Map<string, SessionRecord>();
  private missingNames = new Map<string, readonly string[]>();

  /** `lastKey`: no key up to it may be given to another session. */
  constructor(
    known: readonly SessionKey[],
    private lastKey: number,
  ) {
    for (const { session_key, session_id } of known) this.setKey(session_id, session_key);
  }

  keyOf(sessionId: string): number | undefined {
    return this.keys.get(sessionId);
  }

  idOf(key: number): string | undefined {
    return this.ids.get(key);
  }

  addKey(sessionId: string): number {
    this.lastKey += 1;
    this.setKey(sessionId, this.lastKey);
    return this.lastKey;
  }

  /** As it was last written. */
  recordOf(sessionId: string): SessionRecord | undefined {
    return this.records.get(sessionId);
  }

  /** Variables whose values are not there: their names are not forgotten. */
  missingNamesOf(sessionId: string): readonly string[] {
    return this.missingNames.get(sessionId) ?? [];
  }

  setMissingNames(
    missing: readonly { readonly sessionId: string; readonly names: readonly string[] }[],
  ): void {
    this.missingNames = new Map(missing.map(({ sessionId, names }) => [sessionId, names]));
  }

  setRecord(record: SessionRecord): void {
    this.records.set(record.id, record);
  }

  forget(sessionId: string): void {
    const key = this.keys.get(sessionId);
    if (key !== undefined) this.ids.delete(key);
    this.keys.delete(sessionId);
    this.records.delete(sessionId);
  }

  private setKey(sessionId: string, key: number): void {
    this.keys.set(sessionId, key);
    this.ids.set(key, sessionId);
  }
}
