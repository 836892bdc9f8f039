/** What an agent's hooks mean. They come at once and are never wrong, but Esc and the end of a dialog fire none. */
import type { Change } from "./change.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";
import {
  askIn,
  CALLS_MAX,
  QUEUED_PROMPTS_MAX,
  REQUESTS_MAX,
  TOOL_LENGTH_MAX,
  turnIn,
  type ToldRequest,
  type Turn,
} from "./state.js";
import { isShownAs } from "./told-requests.js";

export const hookReady = rule<EventOf<"hook_started">>(
  ["same"],
  "ready; one that is to go on is ready when it can be given something, which the screen shows",
  (change, { sessionId }) => {
    const { activity, isReady } = change.state;
    // What it does at its start only the screen shows.
    if (turnIn(change.state)?.by !== "screen") change.known();
    const isAwaited = activity.type === "starting" && activity.first?.type === "handover" && !isReady;
    if (!isAwaited) change.ready(sessionId);
    else if (sessionId !== undefined) change.set({ sessionId });
  },
);

export const promptEntered = rule<EventOf<"hook_prompt">>(
  ["given"],
  "a turn begins, and hooks have to tell its end",
  (change) => {
    change.set({ requests: [] });
    change.begin("hooks", false);
  },
);

export const promptQueued = rule<EventOf<"hook_prompt">>(
  ["working", "same"],
  "entered while a turn goes on: the next end is not the last one",
  (change) => {
    // Of a program that was at something unknown it is the first one.
    const isFirst = change.state.unknown !== null && turnIn(change.state)?.by === "screen";
    change.set({ requests: [] });
    change.begin("hooks", false);
    if (isFirst) return;
    changeTurn(change, (turn) => ({ ...turn, queued: Math.min(turn.queued + 1, QUEUED_PROMPTS_MAX) }));
  },
);

export const promptPastAsk = rule<EventOf<"hook_prompt">>(
  ["working"],
  "nobody enters one while a dialog is shown: the dialog is gone",
  (change) => {
    change.closeAsk();
    change.set({ requests: [] });
    change.begin("hooks", false);
  },
);

function changeTurn(change: Change, edit: (turn: Turn) => Turn): void {
  const { activity } = change.state;
  if ("turn" in activity) change.become({ ...activity, turn: edit(activity.turn) });
}

export const toolStarts = rule<EventOf<"hook_tool_started">>(
  ["given", "working", "same"],
  "the turn goes on with a call",
  (change, { callId, toolName, digest }) => {
    change.begin("hooks", false);
    if (callId === null) return;
    change.set({ calls: [...change.state.calls, { callId, digest }].slice(-CALLS_MAX) });
    change.tell({ type: "tool_started", callId, toolName });
  },
);

export const toolEnds = rule<EventOf<"hook_tool_ended">>(
  ["working", "same"],
  "a call is over, and whatever was asked about it",
  (change, { callId, ok }) => {
    if (callId === null) return;
    change.known();
    if (askIn(change.state)?.request?.call === callId) change.closeAsk();
    const { calls, requests } = change.state;
    change.set({
      calls: calls.filter((call) => call.callId !== callId),
      requests: requests.filter(({ call }) => call !== callId),
    });
    change.tell({ type: "tool_finished", callId, ok });
  },
);

export const requestOpens = rule<EventOf<"hook_request">>(
  ["asking"],
  "an ask; its prompt is seen a moment later",
  (change, { request }) => {
    change.begin("hooks", false);
    const told = withCall(change, request);
    change.openAsk(told, { fingerprint: null, basis: "rule", request: keptOf(told), shown: null });
    change.set({ lastFingerprint: null });
  },
);

/** The same prompt may have been seen on the screen before. What is on the screen of another one is not its dialog. */
export const requestWhileAsking = rule<EventOf<"hook_request">>(
  ["same"],
  "a prompt that the screen showed first is better known; any other request waits for its own prompt",
  (change, { request }) => {
    change.begin("hooks", false);
    const { activity, requests } = change.state;
    if (activity.type !== "asking" && activity.type !== "answering") return;
    const { ask } = activity;
    const told = withCall(change, request);
    const isShown =
      activity.type === "asking" && !ask.request && ask.shown && isShownAs(ask.shown, told, requests);
    if (isShown) {
      change.redescribeAsk({ ...ask, basis: "rule", request: keptOf(told) }, told);
    } else if (![ask.request, ...requests].some((known) => told.call !== null && known?.call === told.call)) {
      change.set({ requests: [...requests, keptOf(told)].slice(0, REQUESTS_MAX) });
    }
  },
);

/** The hook that asks names no call: it is the newest of that tool with that input. */
function withCall(change: Change, request: ToldRequest): ToldRequest {
  if (request.call !== null) return request;
  const { calls } = change.state;
  const call = calls.findLast(({ digest }) => digest === request.digest)?.callId ?? null;
  return { ...request, call };
}

/** As it is kept while it waits: of one that is too large no more is known than what a screen shows. */
function keptOf(request: ToldRequest): ToldRequest {
  if (JSON.stringify(request.tool).length <= TOOL_LENGTH_MAX) return request;
  const { title, detail } = request;
  return { ...request, tool: { name: "screen", input: { title, detail } } };
}

export const idleTold = rule<EventOf<"hook_idle">>(
  ["settling"],
  "it has waited for a minute: should its end have escaped everybody, it is known now",
  (change) => {
    change.known();
    change.over("completed", "settling");
  },
);

export const stops = rule<EventOf<"hook_stopped">>(
  ["settling", "ending"],
  "over; with prompts queued, the next one follows at once or was taken into this turn",
  (change, event) => {
    change.known();
    tellBackground(change, event);
    const turn = turnIn(change.state);
    if (turn === null || turn.queued === 0) {
      change.over("completed", "settling");
      return;
    }
    change.closeAsk();
    change.become({ type: "ending", turn: { ...turn, queued: turn.queued - 1 } });
  },
);

export const stopsAgain = rule<EventOf<"hook_stopped">>(
  ["same"],
  "its end was told before",
  (change, event) => tellBackground(change, event),
);

function tellBackground(change: Change, { background }: EventOf<"hook_stopped">): void {
  if (background === undefined || background === change.state.background) return;
  change.known();
  change.set({ background });
  change.tell({ type: "background_changed", count: background });
}

export const fails = rule<EventOf<"hook_failed">>(["settling"], "the turn failed", (change, { text }) => {
  change.known();
  change.over("failed", "settling", text);
});
