/** One session loop, and what it writes. */
import { initialSession } from "../../src/core/index.js";
import { NO_USAGE } from "../../src/protocol/session.js";
import type { StatePayload } from "../../src/protocol/state-event.js";
import { Batch } from "../../src/runtime/batch.js";
import type { Harness } from "../../src/runtime/harness.js";
import { SessionLoop } from "../../src/runtime/session-loop.js";
import type { SessionRecord } from "../../src/runtime/session-record.js";
import type { Writing } from "../../src/runtime/writing.js";
import { SCRIPT, SETTINGS } from "./runtime-fixture.js";

export const AT_MS = 70;

export const NEW_RECORD: SessionRecord = {
  id: "s",
  createdAtMs: 5,
  updatedAtMs: 5,
  statusSinceMs: 5,
  settings: SETTINGS,
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

export interface LoopBench {
  readonly loop: SessionLoop;
  /** What no codec knew. */
  readonly unknown: string[];
  /** What `act` writes, in a batch of its own. */
  readonly during: (act: (writing: Writing) => void) => Batch;
  /** Starts it with the message `m1`. */
  readonly started: () => Batch;
  readonly fed: (...chunks: readonly Buffer[]) => Batch;
}

export function loopBench(harness: Harness = SCRIPT): LoopBench {
  const loop = new SessionLoop(NEW_RECORD, harness);
  const unknown: string[] = [];
  let position = 100;
  const during = (act: (writing: Writing) => void): Batch => {
    const batch = new Batch();
    act({
      batch,
      nowMs: AT_MS,
      by: null,
      nextPosition: () => (position += 1),
      seat: () => undefined,
      observer: {
        stepped: () => undefined,
        unknownMessage: (_, name, kind) => void unknown.push(`${name} ${kind}`),
        failed: () => undefined,
      },
    });
    return batch;
  };
  const started = (): Batch => {
    loop.texts.set("m1", "hello");
    return during((writing) =>
      loop.request({ type: "start_session", messageId: "m1", asksClose: "explicit" }, writing),
    );
  };
  const fed = (...chunks: readonly Buffer[]): Batch =>
    during((writing) => loop.feed(Buffer.concat(chunks), writing));
  return { loop, unknown, during, started, fed };
}

/** Kind, run and body of each entry. */
export function written({ entries }: Batch): readonly (readonly [string, number, unknown])[] {
  return entries.map(({ kind, run, body }) => [kind, run, JSON.parse(body) as unknown]);
}

/** A state event, caused by the entry `seq type source`. */
export function told(seq: number, payload: StatePayload, cause: readonly [number, string, string]) {
  const [causeSeq, type, source] = cause;
  const event = { eventId: `s:${seq}`, timestampMs: AT_MS, sessionId: "s", payload };
  return { ...event, cause: { seq: causeSeq, type, source } };
}

/** A stream event of the first turn. */
export function streamed(seq: number, type: string, payload: object, messageId?: string) {
  const envelope = { schemaVersion: "1.0", eventId: `s:${seq}`, sessionId: "s", harness: "script" };
  const id = messageId === undefined ? {} : { messageId };
  return { ...envelope, streamId: "run-1-turn-1", seq, timestampMs: AT_MS, type, payload, ...id };
}

type Changed = Extract<StatePayload, { readonly type: "state_changed" }>;

export function changed(
  [from, fromPhase]: readonly [Changed["from"], Changed["fromPhase"]],
  [to, toPhase]: readonly [Changed["to"], Changed["toPhase"]],
  reason: string,
): Changed {
  return { type: "state_changed", from, to, fromPhase, toPhase, reason };
}
