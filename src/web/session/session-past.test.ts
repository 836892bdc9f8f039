import { expect, test } from "vitest";
import { stateEvent } from "../../../test/cli/wire-values.js";
import type { Principal } from "../../protocol/principal.js";
import type { StateEvent } from "../../protocol/state-event.js";
import { pastAfter, type SessionPast } from "./session-past.js";

const NOTHING: SessionPast = { outcomes: new Map(), failures: [] };

function failed(eventId: string, timestampMs: number, more: Partial<StateEvent> = {}): StateEvent {
  const error = { code: "api_req_failed", message: "503", retryable: true, source: "harness" } as const;
  return { ...stateEvent({ type: "session_error", ...error }), eventId, timestampMs, ...more };
}

test("an attempt that failed stays known after the next one, once, in its place", () => {
  const past = pastAfter(pastAfter(NOTHING, [failed("b", 2)]), [failed("a", 1), failed("b", 2)]);
  expect(past.failures).toEqual([
    { eventId: "a", atMs: 1, code: "api_req_failed", message: "503" },
    { eventId: "b", atMs: 2, code: "api_req_failed", message: "503" },
  ]);
});

test("a request that was refused is no failure of the session", () => {
  const refused = failed("a", 1, { cause: { seq: 1, type: "retry", source: "request" } });
  expect(pastAfter(NOTHING, [refused])).toBe(NOTHING);
});

test("an ask's end is known by its id", () => {
  const past = pastAfter(NOTHING, [stateEvent({ type: "ask_closed", askId: "q", reason: "reject_action" })]);
  expect(past.outcomes.get("q")).toBe("rejected");
});

test("an ask's end says who answered", () => {
  const closed = (askId: string, reason: string, by: Principal) =>
    stateEvent({ type: "ask_closed", askId, reason, by });
  const past = pastAfter(NOTHING, [
    closed("a", "approve_action", { kind: "device", id: "d", name: "Chrome on Linux" }),
    closed("b", "permission_resolved", { kind: "rule", id: "/rules.toml", name: "Shell(ls *)" }),
    closed("c", "permission_resolved", { kind: "auto", id: "auto", name: "auto-approve" }),
    closed("d", "approve_action", { kind: "token", id: "token", name: "the token" }),
  ]);
  expect([...past.outcomes]).toEqual([
    ["a", "approved by Chrome on Linux"],
    ["b", "decided by rule Shell(ls *)"],
    ["c", "decided by auto-approve"],
    ["d", "approved with the token"],
  ]);
});
