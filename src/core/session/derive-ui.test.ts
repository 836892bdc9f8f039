import { expect, test } from "vitest";
import { deriveUi, type UiState } from "./derive-ui.js";
import { sessionMachine } from "./session-machine.js";
import { STATUSES, initialSession, type Ask, type SessionState, type Status } from "./state.js";

/** What is true in each status with auto mode off and no ask that needs a person; all else is false. */
const TRUE_IN: Readonly<Record<Status, readonly (keyof UiState)[]>> = {
  idle: [],
  creating: ["showSpinner", "showCancelButton", "canCancel", "isActive"],
  streaming: ["showSpinner", "showCancelButton", "canCancel", "isActive"],
  waiting_approval: ["showCancelButton", "canCancel", "isActive"],
  waiting_input: ["showCancelButton", "canCancel", "inputEnabled", "isActive"],
  completed: ["showResumeButton", "canCancel", "inputEnabled"],
  paused: ["showResumeButton", "canCancel", "inputEnabled"],
  error: ["showRetryButton", "canCancel", "needsAttention"],
  stopped: ["showResumeButton", "inputEnabled"],
};

function uiWith(...shown: readonly (keyof UiState)[]): UiState {
  return {
    showSpinner: shown.includes("showSpinner"),
    showCancelButton: shown.includes("showCancelButton"),
    showResumeButton: shown.includes("showResumeButton"),
    showRetryButton: shown.includes("showRetryButton"),
    canCancel: shown.includes("canCancel"),
    showAutoModeWarning: shown.includes("showAutoModeWarning"),
    inputEnabled: shown.includes("inputEnabled"),
    isActive: shown.includes("isActive"),
    needsAttention: shown.includes("needsAttention"),
    resting: shown.includes("resting"),
  };
}

function stateIn(status: Status, fields: Partial<SessionState> = {}): SessionState {
  return { ...initialSession, status, ...fields };
}

test.each(STATUSES)("%s", (status) => {
  expect(deriveUi(stateIn(status))).toEqual(uiWith(...TRUE_IN[status]));
});

test.each(STATUSES)("%s with auto mode on", (status) => {
  const warns = status === "creating" || status === "streaming";
  const shown = warns ? [...TRUE_IN[status], "showAutoModeWarning" as const] : TRUE_IN[status];
  expect(deriveUi(stateIn(status, { approve: "auto" }))).toEqual(uiWith(...shown));
});

test.each([
  ["an approval that a rule may still answer", [false], false],
  ["an approval that needs a person", [true], true],
  ["one of several", [false, true], true],
])("%s", (_name, needs, needsAttention) => {
  const asks = needs.map((needsHuman, index): Ask => ({ askId: `a${index}`, ask: "tool", needsHuman }));
  expect(deriveUi(stateIn("waiting_approval", { asks }))).toEqual({
    ...uiWith(...TRUE_IN.waiting_approval),
    needsAttention,
  });
});

test("a question needs a person", () => {
  const asks: readonly Ask[] = [{ askId: "q1", ask: "followup", needsHuman: true }];
  expect(deriveUi(stateIn("waiting_input", { asks }))).toEqual(
    uiWith(...TRUE_IN.waiting_input, "needsAttention"),
  );
});

test.each(STATUSES)("%s: cancel is offered exactly where it is accepted", (status) => {
  const state = stateIn(status, { run: 1, alive: true });
  const { result } = sessionMachine.transition(state, { type: "cancel_session" });
  expect(deriveUi(state).canCancel).toBe(result === "ok");
});

test("what nobody understands has no spinner, and needs a person once it is still", () => {
  const unknown = stateIn("streaming", { run: 1, alive: true, certainty: "unknown", unknownSinceMs: 1 });
  const shown = TRUE_IN.streaming.filter((name) => name !== "showSpinner");
  expect(deriveUi(unknown)).toEqual(uiWith(...shown));
  expect(deriveUi({ ...unknown, unknownNotified: true })).toEqual(uiWith(...shown, "needsAttention"));
});

test("a shell can be stopped, and takes no message even when it has ended", () => {
  const shell = { run: 1, alive: true, addressee: "agent" } as const;
  expect(deriveUi(stateIn("idle", shell))).toEqual(uiWith("canCancel"));
  expect(deriveUi(stateIn("completed", { ...shell, alive: false }))).toEqual(
    uiWith("showResumeButton", "canCancel"),
  );
});

test("only a process that has ended rests", () => {
  const rest = (step: "waiting" | "checking" | "ending" | "resting") =>
    deriveUi(stateIn("completed", { rest: { step, timerId: "idle:1:1" } }));
  const done = uiWith(...TRUE_IN.completed);
  expect([rest("waiting"), rest("checking"), rest("ending")]).toEqual([done, done, done]);
  expect(rest("resting")).toEqual(uiWith(...TRUE_IN.completed, "resting"));
});

test("who is asked for by the wall needs a person, and works all the same", () => {
  const wallAsks = [{ askId: "w1", host: "a.test", port: 443 }];
  for (const status of ["streaming", "completed"] as const)
    expect(deriveUi(stateIn(status, { run: 1, alive: true, wallAsks }))).toEqual(
      uiWith(...TRUE_IN[status], "needsAttention"),
    );
});
