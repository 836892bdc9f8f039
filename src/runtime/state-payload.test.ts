import { describe, expect, test } from "vitest";
import { ASKS_MAX } from "../core/session/state.js";
import { initialSession } from "../core/index.js";
import { OpenTools } from "./open-tools.js";
import {
  derivedPayload,
  emittedPayload,
  forgotten,
  isEmitted,
  isRepeatedEnd,
  remembered,
  withDetail,
  type OpenThings,
} from "./state-payload.js";

/** Calls are remembered in place: nobody shares them. */
const nothing = (): OpenThings => ({ askDetails: {}, openTools: new OpenTools() });
const NOTHING = nothing();
const DETAIL = { title: "Run?", detail: "ls", openedAtMs: 3, tool: { name: "sh" } };

describe("what the machine emits itself", () => {
  test("goes out under its public name", () => {
    expect(
      emittedPayload({
        type: "emit_state_changed",
        from: "idle",
        to: "creating",
        fromPhase: null,
        toPhase: null,
        reason: "start_session",
      }),
    ).toEqual({
      type: "state_changed",
      from: "idle",
      to: "creating",
      fromPhase: null,
      toPhase: null,
      reason: "start_session",
    });
    const error = { code: "queue_full", message: "m", retryable: false, source: "orchestrator" } as const;
    expect(emittedPayload({ type: "emit_session_error", ...error })).toEqual({
      type: "session_error",
      ...error,
    });
  });

  test("is told from what acts on the world", () => {
    expect(isEmitted({ type: "stop_harness", run: 1 })).toBe(false);
    expect(
      isEmitted({
        type: "emit_session_error",
        code: "queue_full",
        message: "",
        retryable: false,
        source: "tool",
      }),
    ).toBe(true);
  });
});

describe("what is derived", () => {
  test("messages and closed asks are as they are", () => {
    const message = { type: "message_status", messageId: "m", status: "queued" } as const;
    const closed = { type: "ask_closed", askId: "q", reason: "approve_action" } as const;
    expect([derivedPayload(message, NOTHING, 9), derivedPayload(closed, NOTHING, 9)]).toEqual([
      message,
      closed,
    ]);
  });

  test("an opened ask says what it is about", () => {
    const opened = { type: "ask_opened", askId: "q", ask: "tool", needsHuman: true } as const;
    expect(derivedPayload(opened, { ...NOTHING, askDetails: { q: DETAIL } }, 9)).toEqual({
      ...opened,
      title: "Run?",
      detail: "ls",
      openedAtMs: 3,
    });
    expect(derivedPayload(opened, NOTHING, 9)).toEqual({ ...opened, title: "", detail: "", openedAtMs: 9 });
  });

  test("a call says how long it took", () => {
    const open = { ...NOTHING, openTools: new OpenTools({ c: { toolName: "sh", startedAtMs: 4 } }) };
    const call = { type: "tool_lifecycle", callId: "c" } as const;
    expect(derivedPayload({ ...call, status: "running" }, open, 9)).toEqual({
      ...call,
      toolName: "sh",
      status: "running",
      startedAtMs: 4,
    });
    expect(derivedPayload({ ...call, toolName: "bash", status: "failed" }, open, 9)).toEqual({
      ...call,
      toolName: "bash",
      status: "failed",
      startedAtMs: 4,
      finishedAtMs: 9,
    });
    expect(derivedPayload({ ...call, status: "canceled" }, NOTHING, 9)).toEqual({
      ...call,
      toolName: "",
      status: "canceled",
      startedAtMs: 9,
      finishedAtMs: 9,
    });
  });
});

describe("what is remembered of open things", () => {
  const opened = { type: "ask_opened", askId: "q", ask: "tool", needsHuman: false } as const;
  const running = { type: "tool_lifecycle", callId: "c", toolName: "sh", status: "running" } as const;

  test("asks and calls, while they are open", () => {
    const open = remembered(remembered(nothing(), opened, 5), running, 6);
    const kept = ({ askDetails, openTools }: OpenThings) => [askDetails, openTools.snapshot()];
    const call = { c: { toolName: "sh", startedAtMs: 6 } };
    expect(kept(open)).toEqual([{ q: { title: "", detail: "", openedAtMs: 5, tool: null } }, call]);
    const closed = forgotten(open, { type: "ask_closed", askId: "q", reason: "x" });
    expect(kept(closed)).toEqual([{}, call]);
    expect(kept(forgotten(closed, { ...running, status: "succeeded" }))).toEqual([{}, {}]);
  });

  test("a call that is not open has ended before, or never began", () => {
    const open = remembered(nothing(), running, 6);
    const ended = { ...running, status: "succeeded" } as const;
    expect([isRepeatedEnd(ended, open), isRepeatedEnd(ended, NOTHING)]).toEqual([false, true]);
    expect([isRepeatedEnd(running, NOTHING), isRepeatedEnd(opened, NOTHING)]).toEqual([false, false]);
  });

  test("an ask that is told again keeps what is known of it", () => {
    const open = { ...NOTHING, askDetails: { q: DETAIL } };
    expect(remembered(open, { ...opened, needsHuman: true }, 8)).toEqual(open);
  });

  test("what changes nothing is the same object", () => {
    const message = { type: "message_status", messageId: "m", status: "sent" } as const;
    expect([
      remembered(NOTHING, message, 1),
      forgotten(NOTHING, message),
      forgotten(NOTHING, running),
    ]).toEqual([NOTHING, NOTHING, NOTHING]);
    expect(remembered(NOTHING, message, 1)).toBe(NOTHING);
  });

  test("a detail that no ask followed is forgotten with the next one", () => {
    const output = { type: "ask_detail", askId: "new", title: "t", detail: "d", tool: null } as const;
    const open = { ...NOTHING, askDetails: { q: DETAIL, stray: DETAIL } };
    const asks = [{ askId: "q", ask: "tool", needsHuman: false }] as const;
    expect(withDetail(open, { ...initialSession, asks }, output, 7)).toEqual({
      openTools: NOTHING.openTools,
      askDetails: { q: DETAIL, new: { title: "t", detail: "d", tool: null, openedAtMs: 7 } },
    });
  });

  test("of an ask that will be turned away nothing is remembered; one that is open may still change", () => {
    const asks = Array.from(
      { length: ASKS_MAX },
      (_, ask) => ({ askId: `${ask}`, ask: "tool", needsHuman: false }) as const,
    );
    const open = { ...NOTHING, askDetails: Object.fromEntries(asks.map(({ askId }) => [askId, DETAIL])) };
    const output = { type: "ask_detail", askId: "new", title: "t", detail: "d", tool: null } as const;
    expect(withDetail(open, { ...initialSession, asks }, output, 7)).toBe(open);
    expect(withDetail(open, { ...initialSession, asks }, { ...output, askId: "3" }, 7)).toEqual({
      ...open,
      askDetails: { ...open.askDetails, 3: { title: "t", detail: "d", tool: null, openedAtMs: 7 } },
    });
  });

  test("a call or an ask may have any name", () => {
    const named = { ...opened, askId: "constructor" } as const;
    expect(remembered(NOTHING, named, 5).askDetails).toEqual({
      constructor: { title: "", detail: "", openedAtMs: 5, tool: null },
    });
    const asks = [{ askId: "constructor", ask: "tool", needsHuman: false }] as const;
    const detail = { type: "ask_detail", askId: "q", title: "t", detail: "d", tool: null } as const;
    expect(Object.keys(withDetail(NOTHING, { ...initialSession, asks }, detail, 7).askDetails)).toEqual([
      "q",
    ]);
    const odd = { ...running, callId: "__proto__" } as const;
    const { openTools } = remembered(nothing(), odd, 6);
    expect(Object.keys(openTools.snapshot())).toEqual(["__proto__"]);
    forgotten({ ...NOTHING, openTools }, { ...odd, status: "failed" });
    expect(Object.keys(openTools.snapshot())).toEqual([]);
  });
});
