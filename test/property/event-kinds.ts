/** Events of every machine, right and wrong, described apart from the shapes that parse them. */
import fc from "fast-check";
import type { RosterEvent } from "../../src/core/roster/events.js";
import type { WorkspaceEvent } from "../../src/core/workspace/events.js";
import type { SessionEvent } from "../../src/core/session/events.js";
import { STREAM_EVENT_TYPES } from "../../src/core/stream-event.js";
import type { TurnEvent } from "../../src/core/turn/events.js";

/** What may stand in a field, and some of what may not. */
export interface FieldKind {
  readonly right: fc.Arbitrary<unknown>;
  readonly wrong: fc.Arbitrary<unknown>;
  readonly optional?: true;
}

export type EventKinds = Readonly<Record<string, Readonly<Record<string, FieldKind>>>>;

const HUGE = "x".repeat(100_000);
const notText = fc.constantFrom<unknown>(7, true, null, [], {}, ["a"]);
const notObject = fc.constantFrom<unknown>(7, "a", false, null, []);

function ids(...names: readonly string[]): FieldKind {
  return {
    right: fc.constantFrom(...names),
    wrong: fc.oneof(notText, fc.constant("")),
  };
}

function words(...values: readonly string[]): FieldKind {
  return { right: fc.constantFrom(...values), wrong: notText };
}

function oneOf(...values: readonly string[]): FieldKind {
  return { right: fc.constantFrom(...values), wrong: fc.oneof(notText, fc.constantFrom("other", "", HUGE)) };
}

function count(max: number): FieldKind {
  return { right: fc.nat(max), wrong: fc.constantFrom<unknown>(-1, 0.5, "1", null, true, 2 ** 53, NaN, {}) };
}

function optional(kind: FieldKind): FieldKind {
  return { ...kind, optional: true };
}

const flag: FieldKind = { right: fc.boolean(), wrong: fc.constantFrom<unknown>("true", 1, 0, null, {}) };
const integer: FieldKind = {
  right: fc.integer({ min: -2, max: 300 }),
  wrong: fc.constantFrom<unknown>("0", 0.5, true, {}),
};
const timeMs: FieldKind = { right: fc.nat(9_999), wrong: fc.constantFrom<unknown>("0", null, Infinity, {}) };
const anyJson: FieldKind = {
  right: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ timeout: fc.nat(900), command: fc.constant("ls") }),
  ),
  wrong: fc.constant(undefined),
};
const anyText = words("", "a", "some words", "\u0000\ud800");

// The session

const RUNS = optional({
  ...count(3),
  right: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(1, 2) }, { weight: 1, arbitrary: fc.nat(3) }),
});
const askIds = ids("a1", "a2", "a3", "a4");
const messageIds = ids("m1", "m2", "m3", "m4");
const callIds = ids("c1", "c2", "c3");
const timerIds = ids(
  ...[1, 2, 3].flatMap((run) => [
    `ready:${run}`,
    ...[1, 2, 3].flatMap((number) => [
      `settle:${run}:${number}`,
      `interrupt:${run}:${number}`,
      `idle:${run}:${number}`,
      `checkpoint:${run}:${number}`,
    ]),
  ]),
);
const ask = { run: RUNS, askId: askIds, partial: optional(flag), text: optional(anyText) };

const streamEvent: FieldKind = {
  right: fc.record(
    {
      schemaVersion: fc.constant("1.0"),
      eventId: fc.constantFrom("e1", "e2"),
      sessionId: fc.constant("x"),
      harness: fc.constant("claude"),
      streamId: fc.constantFrom("s1", "s2", "s3"),
      seq: fc.nat(12),
      timestampMs: fc.nat(99),
      type: fc.constantFrom(...STREAM_EVENT_TYPES),
      payload: fc.oneof(
        fc.record({ callId: fc.constantFrom("c1", "c2") }),
        fc.record({ message: fc.constant("no"), recoverable: fc.boolean() }),
        fc.dictionary(fc.constantFrom("callId", "message", "__proto__"), fc.jsonValue({ maxDepth: 1 })),
      ),
      messageId: fc.constant("m1"),
    },
    {
      requiredKeys: [
        "schemaVersion",
        "eventId",
        "sessionId",
        "harness",
        "streamId",
        "seq",
        "timestampMs",
        "type",
        "payload",
      ],
    },
  ),
  wrong: fc.oneof(notObject, fc.constant({}), fc.constant({ schemaVersion: "1.0", type: "text_delta" })),
};

export const SESSION_KINDS = {
  start_session: {
    messageId: optional(messageIds),
    approve: optional(oneOf("ask", "contained", "auto")),
    asksClose: optional(oneOf("implicit", "explicit")),
    idleAfterMs: optional(count(9)),
    checkpoints: optional(flag),
    addressee: optional(oneOf("conversation", "agent")),
  },
  send_message: { messageId: messageIds, force: optional(flag) },
  drop_message: { messageId: messageIds },
  approve_action: { askId: optional(askIds), scope: optional(oneOf("once", "session", "project", "always")) },
  reject_action: { askId: optional(askIds), messageId: optional(messageIds) },
  interrupt: {},
  cancel_session: {},
  resume_session: {},
  retry: {},
  set_approve: { approve: oneOf("ask", "contained", "auto") },
  session_created: { run: RUNS, sessionId: optional(ids("h1", "h2")) },
  api_req_started: { run: RUNS },
  "say:text": { run: RUNS, partial: flag },
  "say:completion_result": { run: RUNS, partial: flag },
  "say:checkpoint_saved": { run: RUNS, turn: optional(count(3)) },
  "ask:tool": ask,
  "ask:command": ask,
  "ask:browser_action_launch": ask,
  "ask:use_mcp_server": ask,
  "ask:followup": ask,
  "ask:completion_result": { ...ask, ending: optional(oneOf("max_tokens", "refusal", "context_full")) },
  "ask:api_req_failed": ask,
  "ask:mistake_limit_reached": ask,
  "ask:invalid_model": ask,
  "ask:payment_required_prompt": ask,
  "ask:resume_task": ask,
  "ask:resume_completed_task": ask,
  ask_closed: { run: RUNS, askId: askIds },
  turn_interrupted: { run: RUNS },
  retry_scheduled: { run: RUNS, attempt: count(3), atMs: timeMs },
  background_changed: { run: RUNS, count: count(3) },
  tool_started: { run: RUNS, callId: callIds, toolName: optional(anyText) },
  tool_finished: { run: RUNS, callId: callIds, ok: flag },
  hooks_started: { run: RUNS },
  hooks_finished: { run: RUNS, ok: flag },
  process_exit: {
    run: RUNS,
    code: { ...integer, right: fc.constantFrom(0, 0, 1, 137, null) },
    signal: optional({
      right: fc.constantFrom("SIGTERM", null),
      wrong: fc.constantFrom<unknown>(9, {}, false),
    }),
  },
  process_error: { run: RUNS, error: anyText, code: optional(oneOf("harness_failed", "login_required")) },
  harness_stream: { run: RUNS, event: streamEvent },
  shell_ready: { run: RUNS },
  agent_started: {
    run: RUNS,
    name: words("claude", "codex"),
    start: ids("100:1", "200:2"),
    sinceMs: optional(timeMs),
  },
  agent_ended: { run: RUNS, start: ids("100:1", "200:2") },
  certainty_changed: { run: RUNS, certainty: oneOf("known", "unknown"), sinceMs: timeMs },
  screen_still: { run: RUNS, sinceMs: timeMs },
  wall_asked: { run: RUNS, askId: askIds, host: ids("a.test", "b.test"), port: count(65_535) },
  wall_closed: {
    run: RUNS,
    askId: askIds,
    because: oneOf("expired", "rule", "gone"),
    rule: optional(anyText),
    file: optional(anyText),
  },
  permission_resolved: {
    run: RUNS,
    askId: askIds,
    verdict: oneOf("allow", "deny", "ask", "contained", "none"),
    rule: optional(anyText),
    file: optional(anyText),
    because: optional(anyText),
  },
  timer_fired: { run: RUNS, timerId: timerIds },
  checkpoint_failed: { run: RUNS, turn: count(3), error: anyText },
  rest_checked: { run: RUNS, timerId: timerIds, mayRest: flag },
  delivery_failed: { run: RUNS, messageId: messageIds, error: anyText },
  effect_failed: {
    run: RUNS,
    effect: {
      right: fc.record(
        {
          type: fc.constantFrom("answer_ask", "continue_run", "interrupt_run"),
          run: fc.constantFrom(1, 2),
          askId: fc.constantFrom("a1", "a2"),
          messageId: fc.constantFrom("m1", "m2"),
        },
        { requiredKeys: ["type"] },
      ),
      wrong: fc.oneof(notObject, fc.constant({}), fc.constant({ type: "continue_run", run: "1" })),
    },
    message: anyText,
  },
  interrupted: { run: RUNS },
} as const satisfies Record<SessionEvent["type"], EventKinds[string]>;

// The turn

const streamIds = optional({ ...count(4), right: fc.constantFrom(1, 2, 3) });
const toolIds = ids("t1", "t2", "t3", "t4");
const toolNames = words("shell", "read", "search", "none");
const timeoutIds = count(6);

export const TURN_KINDS = {
  user_submit: { messageId: messageIds, text: anyText },
  cancel: {},
  execute_command: {},
  insert_command: {},
  retry: {},
  interrupt_tools: {},
  new_session: {},
  slash_command: { command: anyText, content: anyText },
  request_skill_load: { name: ids("skill"), arguments: optional(anyText) },
  permission_user_choice: {
    toolId: toolIds,
    choice: oneOf("allow", "allow_for_session", "always_allow_in_project", "always_allow", "deny"),
  },
  stream_started: { streamId: streamIds },
  stream_chunk: { text: anyText, streamId: streamIds },
  stream_status_changed: {
    status: words("processing", "searching", "thinking", "other"),
    streamId: streamIds,
  },
  stream_tool_call: {
    id: toolIds,
    name: toolNames,
    input: anyJson,
    invalid: optional(anyText),
    streamId: streamIds,
  },
  stream_server_tool_result: {
    toolUseId: toolIds,
    content: anyText,
    isError: flag,
    remote: flag,
    contentLength: optional(count(9)),
    streamId: streamIds,
  },
  suggest_command: {
    id: toolIds,
    input: {
      ...anyJson,
      right: fc.record({ command: fc.constant("ls"), danger: fc.constantFrom("low", "medium", "high") }),
    },
    streamId: streamIds,
  },
  stream_done: { sessionId: anyText, streamId: streamIds },
  stream_error: { message: anyText, streamId: streamIds },
  permission_resolved: { toolId: toolIds, response: oneOf("allowed", "denied", "ask", "session_granted") },
  tool_execution_done: {
    toolId: toolIds,
    outcome: {
      right: fc.record({ isError: fc.boolean(), content: fc.constant("out") }),
      wrong: fc.oneof(notObject, fc.constant({ isError: "no", content: "" }), fc.constant({ isError: true })),
    },
    preview: optional({ right: fc.constant({ lines: ["a"] }), wrong: notObject }),
  },
  tool_preview_update: {
    toolId: toolIds,
    lines: {
      right: fc.array(fc.constant("line"), { maxLength: 3 }),
      wrong: fc.constantFrom<unknown>("a", null, [1], {}),
    },
    exitCode: optional(integer),
  },
  confirmation_timeout: { timeoutId: timeoutIds },
  tool_execution_timeout: { timeoutId: timeoutIds, toolId: toolIds },
  skill_loaded: { name: ids("skill"), arguments: optional(anyText), content: anyText },
  skill_load_failed: { name: ids("skill"), message: anyText },
} as const satisfies Record<TurnEvent["type"], EventKinds[string]>;

// The roster

const seats = ids("a", "b", "c", "d");

export const ROSTER_KINDS = {
  agent_started: { seat: seats, agent: ids("claude", "codex") },
  agent_rested: { seat: seats },
  agent_terminated: {
    seat: seats,
    evidence: oneOf("process_exit", "shell_prompt", "goodbye", "shell_integration"),
  },
  seat_opened: { seat: seats },
  seat_closed: { seat: seats },
  input_entered: { seat: seats, text: anyText },
  connect: { seat: seats },
} as const satisfies Record<RosterEvent["type"], EventKinds[string]>;

// The workspace

const observations = ids("o1", "o2", "o3");
const heads = ids("h1", "h2");
const ops = count(12);
const places = {
  path: ids("/w/1", "/w/2"),
  branch: ids("agent/1"),
  base: {
    right: fc.constantFrom({ branch: "main", commit: "b0" }, { branch: "main", commit: "b1" }),
    wrong: notObject,
  },
};

export const WORKSPACE_KINDS = {
  create: { ...places, setup: flag },
  adopt: places,
  finish: {
    how: oneOf("merge", "squash", "rebase", "branch", "pr"),
    message: anyText,
    observation: observations,
    when: oneOf("now", "idle"),
  },
  discard: { observation: optional(observations), confirm: flag },
  update: { observation: observations },
  retry: {},
  abort: {},
  added: { op: ops },
  setup_ended: { op: ops, code: integer },
  observed: {
    observation: {
      right: fc.record({
        id: fc.constantFrom("o1", "o2", "o3"),
        head: fc.constantFrom("h1", "h2"),
        dirty: fc.boolean(),
        loose: fc.boolean(),
        ahead: fc.nat(2),
        behind: fc.nat(2),
        baseHead: fc.constantFrom("b0", "b1"),
        baseDirty: fc.boolean(),
      }),
      wrong: notObject,
    },
  },
  step_done: { op: ops, head: optional(heads), url: optional(anyText) },
  step_failed: {
    op: ops,
    code: oneOf("base_dirty", "base_moved", "observation_stale", "disk_full", "git_failed"),
    message: anyText,
  },
  conflict: {
    op: ops,
    files: {
      right: fc.array(fc.constantFrom("a.txt", "b.txt"), { maxLength: 3 }),
      wrong: fc.constantFrom<unknown>(7, "a.txt", {}, [7], null),
    },
  },
  removed: { op: ops },
  lost: {},
  activity: { running: count(2) },
} as const satisfies Record<WorkspaceEvent["type"], EventKinds[string]>;

// From kinds to events

type Plain = Readonly<Record<string, unknown>>;

function eventOf(type: string, fields: EventKinds[string]): fc.Arbitrary<Plain> {
  const right = Object.fromEntries(Object.entries(fields).map(([name, kind]) => [name, kind.right]));
  const requiredKeys = Object.keys(fields).filter((name) => fields[name]?.optional !== true);
  return fc.record(right, { requiredKeys }).map((values) => plain({ type, ...values }));
}

/** As it comes out of a line: ordinary objects, no `-0`. */
function plain(value: Plain): Plain {
  return JSON.parse(JSON.stringify(value)) as Plain;
}

/** Any valid event; some carry fields that nobody knows. */
export function rightEvents(kinds: EventKinds): fc.Arbitrary<Plain> {
  const events = fc.oneof(...Object.entries(kinds).map(([type, fields]) => eventOf(type, fields)));
  return fc.oneof(
    { weight: 20, arbitrary: events },
    { weight: 1, arbitrary: events.map((event) => ({ ...event, extra: { nested: [null] } })) },
  );
}

/** Values that are no event: unknown types, missing and wrong fields, anything at all. */
export function wrongEvents(kinds: EventKinds): fc.Arbitrary<unknown> {
  const spoilt = Object.entries(kinds).flatMap(([type, fields]) =>
    Object.entries(fields).flatMap(([name, kind]) => {
      const event = eventOf(type, fields);
      const wrong = fc.tuple(event, kind.wrong).map(([right, value]) => withField(right, name, value));
      return kind.optional === true
        ? [wrong]
        : [wrong, event.map((right) => withField(right, name, undefined))];
    }),
  );
  const unknown = fc
    .tuple(
      rightEvents(kinds),
      fc.constantFrom<unknown>("", "nothing", "__proto__", "toString", HUGE, null, 7, [], {}),
    )
    .map(([right, type]) => ({ ...right, type }));
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(null, HUGE, 0, [], {}, [{ type: "retry" }], undefined),
    fc.anything(),
  );
  return fc.oneof({ weight: 4, arbitrary: fc.oneof(...spoilt) }, unknown, anything);
}

/** `undefined` leaves the field out. */
function withField(event: Plain, name: string, value: unknown): Plain {
  const { [name]: _dropped, ...rest } = event;
  return value === undefined ? rest : { ...rest, [name]: value };
}
