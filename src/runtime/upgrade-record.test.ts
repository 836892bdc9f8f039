import { expect, test } from "vitest";
import { NEW_RECORD } from "../../test/sim/loop-fixture.js";
import { initialSession, type SessionState } from "../core/index.js";
import { upgradedRecord } from "./upgrade-record.js";

/** As version 0.1 wrote it. */
function oldState(fields: Partial<SessionState>): SessionState {
  const {
    returned: _returned,
    addressee: _addressee,
    agent: _agent,
    certainty: _certainty,
    unknownSinceMs: _since,
    unknownNotified: _notified,
    ending: _ending,
    idleAfterMs: _idle,
    rest: _rest,
    wallAsks: _hosts,
    checkpoints: _checkpoints,
    turn: _turn,
    checkpoint: _checkpoint,
    unsaved: _unsaved,
    approve,
    ...old
  } = { ...initialSession, ...fields };
  return { ...old, autoApprove: approve === "auto" } as unknown as SessionState;
}

const BUSY: Partial<SessionState> = {
  status: "streaming",
  phase: "calling_llm",
  run: 2,
  alive: true,
  seen: { sessionCreated: true, apiReqStarted: true },
  delivering: "m1",
  queue: ["m2"],
  readyTimer: "ready:2",
  timerCount: 3,
  approve: "auto",
};

test("a conversation goes on as it was", () => {
  const record = { ...NEW_RECORD, state: oldState(BUSY) };
  expect(upgradedRecord(record)).toEqual({ ...NEW_RECORD, state: { ...initialSession, ...BUSY } });
});

test("a shell that runs waits to be told who is in front, and its messages come back", () => {
  const settings = { ...NEW_RECORD.settings, harness: "terminal", args: [] };
  const record = { ...NEW_RECORD, settings, state: oldState(BUSY) };
  expect(upgradedRecord(record)).toEqual({
    ...NEW_RECORD,
    settings,
    state: {
      ...initialSession,
      run: 2,
      alive: true,
      timerCount: 3,
      approve: "auto",
      addressee: "agent",
      returned: ["m1", "m2"],
    },
  });
});

test("a shell that has ended keeps its status", () => {
  const settings = { ...NEW_RECORD.settings, harness: "terminal", args: ["zsh"] };
  const ended = { status: "stopped", run: 2, queue: ["m2"] } as const;
  const record = { ...NEW_RECORD, settings, state: oldState(ended) };
  expect(upgradedRecord(record).state).toEqual({
    ...initialSession,
    status: "stopped",
    run: 2,
    addressee: "agent",
    returned: ["m2"],
  });
});

test("a record of this version is left as it is", () => {
  expect(upgradedRecord(NEW_RECORD)).toBe(NEW_RECORD);
});

test("before walls asked, none did", () => {
  const { wallAsks: _hosts, ...before } = { ...initialSession, ...BUSY };
  const record = { ...NEW_RECORD, state: before as SessionState };
  expect(upgradedRecord(record)).toEqual({ ...NEW_RECORD, state: { ...initialSession, ...BUSY } });
});

test("who was started before there was rest never rests", () => {
  const {
    rest: _rest,
    idleAfterMs: _idle,
    approve: _approve,
    wallAsks: _hosts,
    checkpoints: _checkpoints,
    ...before
  } = { ...initialSession, ...BUSY };
  const state = { ...before, autoApprove: true } as unknown as SessionState;
  const record = { ...NEW_RECORD, state };
  expect(upgradedRecord(record)).toEqual({ ...NEW_RECORD, state: { ...initialSession, ...BUSY } });
  const now = { ...NEW_RECORD, state: { ...initialSession, idleAfterMs: 5 } };
  expect(upgradedRecord(now)).toBe(now);
});

test("who was started before there were checkpoints has none", () => {
  const { checkpoints: _kept, turn: _turn, checkpoint: _made, unsaved: _unsaved, ...before } = initialSession;
  const record = { ...NEW_RECORD, state: { ...before, idleAfterMs: 5 } as unknown as SessionState };
  expect(upgradedRecord(record).state).toEqual({ ...initialSession, idleAfterMs: 5 });
});
