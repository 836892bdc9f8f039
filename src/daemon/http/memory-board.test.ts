/** A board in memory, for the tests beside this file: the real machines, no processes, no disk. */
import { expect, test } from "vitest";
import {
  EMPTY_ROSTER,
  initialSession,
  transitionRoster,
  transitionSession,
  type RosterState,
  type SessionEvent,
} from "../../core/index.js";
import { TOKEN_PRINCIPAL, type Principal } from "../../protocol/principal.js";
import { NO_USAGE } from "../../protocol/session.js";
import type { Harness } from "../../runtime/harness.js";
import type { Bus, Entry, EntryKind, EntryQuery } from "../../runtime/ports.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { Answer, PersonRequest, ReceiptDraft, Submission } from "../../runtime/submission.js";
import type { Board } from "./board.js";

const HARNESS: Harness = {
  name: "demo",
  asksClose: "implicit",
  enforcement: "enforced",
  framing: "lines",
  start: () => ({ state: null, input: "" }),
  decode: (state) => ({ state, outputs: [] }),
  encode: (state) => ({ state, writes: [] }),
  launch: () => Promise.reject(new Error("not here")),
  probe: () =>
    Promise.resolve({
      name: "demo",
      installed: true,
      version: "1",
      path: null,
      login: "unknown" as const,
      problems: [],
      hint: null,
    }),
};

export interface EntryDraft {
  readonly sessionId: string;
  readonly kind: EntryKind;
  readonly body: string;
}

export class MemoryBoard implements Board {
  readonly records = new Map<string, SessionRecord>();
  readonly entries: Entry[] = [];
  /** Who asked, for each that was asked. */
  readonly principals: Principal[] = [];
  readonly audited: (readonly [string, string, string | null])[] = [];
  readonly receipts = new Map<string, { readonly fingerprint: string; readonly answer: Answer }>();
  readonly submissions: Submission[] = [];
  bus: Bus | null = null;
  /** Set to make the next submissions fail. */
  refusal: Answer | null = null;
  #roster: RosterState = EMPTY_ROSTER;
  #ids = 0;
  #lastPosition = 0;

  readonly journal = {
    readEntries: async ({ sessionId, kinds, after, limit }: EntryQuery): Promise<readonly Entry[]> => {
      await new Promise((resolve) => void setImmediate(resolve));
      const found: Entry[] = [];
      // Positions rise by one, so they are places in the list.
      for (let at = after; at < this.entries.length && found.length < limit; at += 1) {
        const entry = this.entries[at];
        if (!entry || (sessionId !== undefined && entry.sessionId !== sessionId)) continue;
        if (kinds?.includes(entry.kind) !== false) found.push(entry);
      }
      return found;
    },
    readAudit: () => Promise.resolve([]),
    readNewest: (sessionId: string, kinds: readonly EntryKind[], limit: number) => {
      const found = this.entries.filter(
        (entry) => entry.sessionId === sessionId && kinds.includes(entry.kind),
      );
      return Promise.resolve(found.toReversed().slice(0, limit));
    },
    readEntry: () => Promise.resolve(null),
    countAfter: (position: number) => Promise.resolve(this.entries.length - position),
  };

  session(sessionId: string): SessionRecord | null {
    return this.records.get(sessionId) ?? null;
  }

  sessions(): Iterable<SessionRecord> {
    return this.records.values();
  }

  messageText(): string | null {
    return "a text";
  }

  roster(): RosterState {
    return this.#roster;
  }

  lastPosition(): number {
    return this.#lastPosition;
  }

  harnesses(): readonly Harness[] {
    return [HARNESS];
  }

  suggest(): readonly string[] {
    return [];
  }

  audit(by: Principal, operation: string, sessionId: string | null): Promise<void> {
    this.audited.push([by.kind, operation, sessionId]);
    return Promise.resolve();
  }

  explain(sessionId: string) {
    const record = this.records.get(sessionId);
    const process = { run: 0, alive: false, pid: null };
    return Promise.resolve(
      record
        ? {
            sessionId,
            status: record.state.status,
            sinceMs: 0,
            because: "so",
            process,
            changes: [],
            waitingFor: [],
          }
        : null,
    );
  }

  /** Adds entries and makes them known, as one commit. */
  commit(drafts: readonly EntryDraft[]): readonly Entry[] {
    const entries = this.write(drafts);
    this.acknowledge(entries);
    this.tell(entries);
    return entries;
  }

  /** The first step of a commit: whoever reads the journal can see them. */
  write(drafts: readonly EntryDraft[]): readonly Entry[] {
    const entries = drafts.map((draft, index) => {
      const position = this.entries.length + index + 1;
      return { ...draft, position, seq: position, atMs: Date.now(), run: 1 };
    });
    this.entries.push(...entries);
    return entries;
  }

  /** The second: they count. */
  acknowledge(entries: readonly Entry[]): void {
    this.#lastPosition = entries.at(-1)?.position ?? this.#lastPosition;
  }

  /** The last: subscribers get them. */
  tell(entries: readonly Entry[]): void {
    const sessionIds = [...new Set(entries.map((entry) => entry.sessionId))];
    this.bus?.publish({ sync: "normal", entries, sessionIds, removedSessionIds: [] });
  }

  addSession(id: string, settings: Partial<SessionSettings> = {}, createdAtMs = 1_000): SessionRecord {
    const record: SessionRecord = {
      id,
      createdAtMs,
      updatedAtMs: createdAtMs,
      statusSinceMs: createdAtMs,
      settings: { harness: "demo", title: id, cwd: "/", model: null, args: [], env: {}, ...settings },
      state: initialSession,
      seq: 0,
      callCount: 0,
      seatedRun: 0,
      removing: false,
      progress: { run: 0, outOffset: 0, hooksOffset: 0, skipping: false, codec: null },
      askDetails: {},
      openTools: {},
      usage: NO_USAGE,
      grants: [],
    };
    this.records.set(id, record);
    return record;
  }

  /** What happens to a session, whoever says so. */
  happen(sessionId: string, ...events: readonly SessionEvent[]): void {
    for (const event of events) this.#step(sessionId, event);
  }

  submit(submission: Submission, receipt: ReceiptDraft | null, by: Principal): Promise<Answer> {
    this.principals.push(by);
    const known = receipt ? this.receipts.get(receipt.clientId) : undefined;
    if (known) {
      const conflict: Answer = { ok: false, code: "conflict", message: "used before" };
      return Promise.resolve(known.fingerprint === receipt?.fingerprint ? known.answer : conflict);
    }
    this.submissions.push(submission);
    const answer = this.refusal ?? this.#carryOut(submission);
    if (receipt) this.receipts.set(receipt.clientId, { fingerprint: receipt.fingerprint, answer });
    return Promise.resolve(answer);
  }

  #carryOut(submission: Submission): Answer {
    if (submission.type === "create") return this.#create(submission);
    const sessionId = submission.sessionId ?? this.#roster.connected;
    if (sessionId === null) return { ok: false, code: "no_active_agent", message: "no agent runs" };
    const record = this.records.get(sessionId);
    if (!record) return { ok: false, code: "session_not_found", message: "there is no such session" };
    switch (submission.type) {
      case "rename": {
        const settings = { ...record.settings, title: submission.title };
        this.records.set(sessionId, { ...record, settings });
        return { ok: true, value: { sessionId } };
      }
      case "remove":
        this.records.delete(sessionId);
        this.bus?.publish({ sync: "full", entries: [], sessionIds: [], removedSessionIds: [sessionId] });
        return { ok: true, value: { sessionId } };
      case "connect": {
        const step = transitionRoster(this.#roster, { type: "connect", seat: sessionId });
        this.#roster = step.state;
        return step.error ? { ok: false, ...step.error } : { ok: true, value: { sessionId } };
      }
      case "command":
      case "control":
        return { ok: true, value: { sessionId } };
      case "route":
        return this.#request(sessionId, { type: "send_message", text: submission.text });
      case "request":
        return this.#request(sessionId, submission.request);
    }
  }

  #create({ settings, text, approve }: Extract<Submission, { type: "create" }>): Answer {
    const { id } = this.addSession(`s${(this.#ids += 1)}`, settings, Date.now());
    const agent = { type: "agent_started", seat: id, agent: settings.harness } as const;
    this.#roster = transitionRoster(this.#roster, agent).state;
    return this.#request(id, { type: "start_session", approve, ...(text === null ? {} : { text }) });
  }

  #request(sessionId: string, { ...request }: PersonRequest): Answer {
    const messageId = "text" in request ? `m${(this.#ids += 1)}` : undefined;
    const { text: _text, ...rest } = { text: undefined, ...request };
    const event = { ...rest, ...(messageId === undefined ? {} : { messageId }) } as SessionEvent;
    const refused = this.#step(sessionId, event);
    if (refused) return refused;
    return {
      ok: true,
      value: { sessionId, ...(messageId === undefined ? {} : { messageId, messageStatus: "queued" }) },
    };
  }

  #step(sessionId: string, event: SessionEvent): Answer | null {
    const record = this.records.get(sessionId);
    if (!record) throw new Error(`no session ${sessionId}`);
    const step = transitionSession(record.state, event);
    this.records.set(sessionId, { ...record, state: step.state });
    return step.error ? { ok: false, ...step.error } : null;
  }
}

test("the board of these tests numbers entries without holes and answers a client's request once", async () => {
  const board = new MemoryBoard();
  board.addSession("a");
  board.commit([
    { sessionId: "a", kind: "stream", body: "{}" },
    { sessionId: "a", kind: "fact", body: "{}" },
  ]);
  board.commit([{ sessionId: "b", kind: "state", body: "{}" }]);
  expect((await board.journal.readEntries({ after: 1, limit: 9 })).map((entry) => entry.position)).toEqual([
    2, 3,
  ]);
  const submission = { type: "rename", sessionId: "a", title: "b" } as const;
  const receipt = { clientId: "c", fingerprint: "f" };
  const first = await board.submit(submission, receipt, TOKEN_PRINCIPAL);
  expect(await board.submit(submission, receipt, TOKEN_PRINCIPAL)).toBe(first);
  expect(board.submissions).toEqual([submission]);
});
