/** Everything that can happen next in the world around a session. */
import type { Move as AnyMove, Node as AnyNode } from "./search.js";
import {
  MESSAGES,
  agentOf,
  currentRun,
  finish,
  handedOver,
  letGo,
  prove,
  settle,
  spend,
  spoke,
  toldBy,
  withAgent,
  withFront,
  withMessage,
  type Agent,
  type Ghost,
  type Handover,
} from "./session-ghost.js";
import type { SessionEffect } from "../../src/core/session/effects.js";
import type { SessionEvent, SessionFact } from "../../src/core/session/events.js";
import { isKnownAsk } from "../../src/core/session/gates.js";
import { APPROVALS, type SessionState } from "../../src/core/session/state.js";

export type Node = AnyNode<SessionState, Ghost>;
export type Move = AnyMove<SessionState, SessionEvent, SessionEffect, Ghost>;

/** Beyond the last run that is followed everything is possible. */
export function isHorizon(node: Node): boolean {
  return node.state.run > node.ghost.budget.runs;
}

/** All that the world sees of a state. */
export type Look = Pick<
  SessionState,
  "run" | "approve" | "prompt" | "returned" | "certainty" | "unknownNotified"
> & {
  readonly isIdle: boolean;
  readonly isSettling: boolean;
  readonly knowsSecondAsk: boolean;
  readonly knownHosts: readonly string[];
};

export function lookAt(state: SessionState): Look {
  const { run, approve, prompt, returned, certainty, unknownNotified, status, settle: settling } = state;
  return {
    ...{ run, approve, prompt, returned, certainty, unknownNotified },
    isIdle: status === "idle",
    isSettling: settling !== null,
    knowsSecondAsk: isKnownAsk(state, "a2"),
    knownHosts: HOSTS.filter((askId) => isKnownAsk(state, askId)),
  };
}

interface Place {
  readonly look: Look;
  readonly ghost: Ghost;
}

export function movesFrom(
  place: Place,
  asksClose: "implicit" | "explicit",
  isProbing: boolean,
): readonly Move[] {
  const { look, ghost } = place;
  if (look.run > ghost.budget.runs) return [];
  return [
    ...personMoves(place, asksClose),
    ...ghost.agents.flatMap((agent) => agentMoves(place, agent, asksClose, isProbing)),
    ...terminalMoves(place),
    ...wallMoves(place),
    ...ghost.handovers.flatMap((handover) => handoverMoves(ghost, handover)),
    ...ghost.timers.flatMap((timerId) => timerMoves(ghost, timerId)),
    ...ghost.restChecks.flatMap((name) => restMoves(ghost, name)),
    ...checkpointMoves(ghost),
    ...ghost.checked.flatMap((name) => verdictMoves(ghost, name)),
    ...deathMoves(ghost),
    ...promptMoves(place),
    probe(ghost, { type: "timer_fired", timerId: "ready:99" }),
  ];
}

/** An event, and the world just before the machine answers it. */
function move(world: Ghost, event: SessionEvent): Move {
  return { event, ghost: (step) => settle(world, event, toldBy(step)) };
}

function probe(world: Ghost, event: SessionEvent): Move {
  return { ...move(world, event), probe: true };
}

// People

function personMoves(place: Place, asksClose: "implicit" | "explicit"): Move[] {
  const { ghost, look } = place;
  const { budget } = ghost;
  const moves = [
    move(ghost, { type: "cancel_session" }),
    move(ghost, { type: "resume_session" }),
    move(ghost, { type: "retry" }),
    move(ghost, { type: "approve_action" }),
    move(ghost, { type: "approve_action", askId: "a1" }),
    move(ghost, { type: "approve_action", askId: "a2", scope: "session" }),
    move(ghost, { type: "reject_action" }),
    move(ghost, { type: "reject_action", askId: "a2" }),
    ...APPROVALS.filter((approve) => approve !== look.approve).map((approve) =>
      probe(ghost, { type: "set_approve", approve }),
    ),
    probe(ghost, { type: "interrupt" }),
  ];
  const offered = MESSAGES.slice(0, budget.messages);
  const unsent = offered.find((messageId) => ghost.messages[messageId]?.fate === "new");
  const visible = ghost.agents.length === 0 || look.run > 0;
  const shell = isShellWorld(ghost) ? ({ addressee: "agent" } as const) : {};
  const idle = budget.idles === undefined ? {} : { idleAfterMs: 1 };
  const kept = budget.unsaved === undefined ? {} : { checkpoints: true };
  const anew = { type: "start_session", asksClose, ...shell, ...idle, ...kept } as const;
  if (visible && budget.starts === 0) moves.push(probe(ghost, anew));
  if (visible && budget.starts > 0) {
    const world = spend(ghost, "starts");
    moves.push(move(world, anew));
    if (unsent) moves.push(move(world, { ...anew, messageId: unsent }));
  }
  if (unsent) {
    moves.push(move(ghost, { type: "send_message", messageId: unsent }));
    if (budget.doubts !== undefined)
      moves.push(move(ghost, { type: "send_message", messageId: unsent, force: true }));
    moves.push(move(ghost, { type: "reject_action", askId: "a1", messageId: unsent }));
  }
  if (budget.interrupts > 0) moves.push(move(spend(ghost, "interrupts"), { type: "interrupt" }));
  if (budget.autos > 0)
    for (const approve of ["contained", "auto"] as const)
      moves.push(move(spend(ghost, "autos"), { type: "set_approve", approve }));
  return moves;
}

// Agents

function agentMoves(
  place: Place,
  agent: Agent,
  asksClose: "implicit" | "explicit",
  isProbing: boolean,
): Move[] {
  if (agent.life !== "up") return [];
  const { ghost } = place;
  if (isShellWorld(ghost) && agent.front === undefined)
    return [...processMoves(ghost, agent), ...strayMoves(ghost, agent)];
  const { run } = agent;
  // Joining an agent that is idle, its adapter says so: ready, then completed.
  const joining = place.look.isIdle && !agent.busy ? { announces: true, turns: 0 } : {};
  const says = (fact: SessionFact, patch: Partial<Agent>): Move => move(spoke(ghost, run, fact, patch), fact);
  const requesting = asksClose === "implicit" ? { open: [], partial: false } : {};
  const moves = [
    says({ type: "session_created", run, sessionId: "h1" }, { ready: true, ...joining }),
    says({ type: "api_req_started", run }, { busy: true, ...requesting }),
    ...processMoves(ghost, agent),
    ...(isProbing ? sideMoves(place, agent) : []),
  ];
  // An agent's id of its conversation is of no use to a shell.
  if (agent.front !== undefined) moves.splice(0, 1, probe(ghost, { type: "session_created", run }));
  if (place.look.isIdle) moves.push(says({ type: "tool_started", run, callId: "c1" }, {}));
  // What a run says after it was told to stop is at most a proof; its kinds are all tried.
  if (agent.told)
    return run === place.look.run
      ? moves
      : moves.map((late, at) => (at < 2 ? { ...late, probe: true } : late));
  // Before it is ready, an agent may at most begin its first request; whatever else it might say is only tried.
  if (!agent.ready) return moves;
  moves.push(...askMoves(place, agent, says));
  if (agent.turns < ghost.budget.turns) moves.push(...turnEndMoves(agent, says));
  if (agent.busy && ghost.budget.work > 0) moves.push(...workMoves(ghost, agent, says));
  moves.push(...backgroundMoves(ghost, agent));
  return moves;
}

type Says = (fact: SessionFact, patch: Partial<Agent>) => Move;

function backgroundMoves(ghost: Ghost, { run, background = 0 }: Agent): Move[] {
  const changed = (world: Ghost, count: number): Move =>
    move(withAgent(world, run, { background: count }), { type: "background_changed", run, count });
  if (background > 0) return [changed(ghost, 0)];
  return (ghost.budget.backgrounds ?? 0) > 0 ? [changed(spend(ghost, "backgrounds"), 1)] : [];
}

function workMoves(ghost: Ghost, agent: Agent, says: Says): Move[] {
  const { run } = agent;
  const moves = [
    says({ type: "tool_started", run, callId: "c1" }, {}),
    says({ type: "tool_finished", run, callId: "c1", ok: true }, {}),
    says({ type: "retry_scheduled", run, attempt: 1, atMs: 1 }, {}),
  ];
  if (agent.seq === 0) moves.push(says(streamFact(run, 1, "text_delta"), { seq: 1 }));
  else moves.push(move(ghost, streamFact(run, 1, "text_delta")));
  if (agent.seq === 1) moves.push(says(streamFact(run, 2, "completed"), { seq: 2 }));
  return moves;
}

/** Once for each turn: each ends with an id of its own. */
function turnEndMoves(agent: Agent, says: Says): Move[] {
  const { run } = agent;
  const ended = { busy: false, shown: false, open: [], partial: false, turns: agent.turns + 1 };
  const askId = `end${agent.turns}`;
  if (!agent.busy) {
    const announced = { ...ended, announces: false };
    return agent.announces ? [says({ type: "ask:completion_result", run, askId }, announced)] : [];
  }
  const moves = [
    says({ type: "ask:completion_result", run, askId }, ended),
    says({ type: "ask:api_req_failed", run, askId }, ended),
    says({ type: "ask:resume_task", run, askId }, ended),
    says({ type: "turn_interrupted", run }, ended),
  ];
  if (agent.seq === 1) moves.push(says(streamFact(run, 2, "error"), { ...ended, seq: 2 }));
  return moves;
}

/** Two asks; the second is a question or another approval. An agent may ask without a request before it. */
function askMoves(place: Place, agent: Agent, says: Says): Move[] {
  const { ghost } = place;
  const { run, used, open } = agent;
  const asked = (askId: string): Partial<Agent> => ({
    busy: true,
    used: [...used, askId].sort(),
    open: [...open, askId].sort(),
    partial: agent.partial && askId !== "a2",
  });
  const moves: Move[] = [];
  if (ghost.budget.partials > 0 && !used.includes("a2")) {
    // A question that is begun; it may never be finished.
    const fact: SessionFact = { type: "ask:followup", run, askId: "a2", partial: true };
    moves.push(move(spend(spoke(ghost, run, fact, { busy: true, partial: true }), "partials"), fact));
  }
  if (ghost.budget.asks === 0) return moves;
  const first: SessionFact = {
    type: ghost.budget.approvals > 0 ? "ask:tool" : "ask:followup",
    run,
    askId: "a1",
  };
  // A line said twice is no activity.
  moves.push(used.includes("a1") ? move(ghost, first) : says(first, asked("a1")));
  if (!used.includes("a2") && ghost.budget.asks > 1) {
    const question: SessionFact = { type: "ask:followup", run, askId: "a2" };
    // It may have settled before: then its final form is no news.
    const known = run === place.look.run && place.look.knowsSecondAsk;
    moves.push(
      known ? move(withAgent(ghost, run, { used: ["a2", ...used] }), question) : says(question, asked("a2")),
    );
    if (ghost.budget.approvals > 1 && !agent.partial && !known)
      moves.push(says({ type: "ask:command", run, askId: "a2" }, asked("a2")));
  }
  for (const askId of open) {
    const fact: SessionFact = { type: "ask_closed", run, askId };
    const left = { open: open.filter((other) => other !== askId) };
    moves.push(move(finish(spoke(ghost, run, fact, left), run, askId), fact));
  }
  return moves;
}

/** How the process itself fails and ends. Whatever could not be handed over was reported before. */
function processMoves(ghost: Ghost, agent: Agent): Move[] {
  const { run } = agent;
  const broken = { type: "process_error", run, error: "broken pipe" } as const;
  const moves = [ghost.budget.accidents > 0 ? move(ghost, broken) : probe(ghost, broken)];
  if (ghost.handovers.some((handover) => handover.run === run)) return moves;
  const gone = ended(ghost, run);
  return [
    ...moves,
    move(gone, { type: "process_exit", run, code: 0 }),
    move(gone, { type: "process_exit", run, code: 1 }),
  ];
}

/** The first prompt could not be handed over. */
function promptMoves({ look, ghost }: Place): Move[] {
  if (look.prompt === null || agentOf(ghost, look.run)?.life !== "up") return [];
  const idle = withAgent(ghost, look.run, { busy: false });
  const failed = withMessage(idle, look.prompt, { fate: "line" });
  return [move(failed, { type: "delivery_failed", run: look.run, messageId: look.prompt, error: "no" })];
}

/** After a restart the current run is found dead. */
function deathMoves(ghost: Ghost): Move[] {
  const run = currentRun(ghost);
  const agent = agentOf(ghost, run);
  const busy = ghost.handovers.some((handover) => handover.run === run);
  if (agent?.life !== "up" || busy) return [];
  const found = ended(ghost, run);
  const fact = { type: "interrupted", run } as const;
  return [ghost.budget.accidents > 0 ? move(found, fact) : probe(found, fact)];
}

/** Nothing is left to know of a run that is over. */
const GONE: Partial<Agent> = {
  life: "over",
  told: false,
  ready: false,
  busy: false,
  shown: false,
  announces: false,
  open: [],
  used: [],
  partial: false,
  seq: 0,
  turns: 0,
  background: 0,
};

/** The run is over, so the one that waited for its end starts. */
function ended(ghost: Ghost, run: number): Ghost {
  const over = letGo(withAgent(ghost, run, { ...GONE }), `${run}:`);
  const held = over.agents.find((agent) => agent.life === "held");
  return held ? withAgent(over, held.run, { life: "up" }) : over;
}

/** Events like others that are searched, so that every row of the table is met everywhere. */
function sideMoves(place: Place, agent: Agent): Move[] {
  const { ghost } = place;
  const { run } = agent;
  const facts: SessionFact[] = [
    { type: "say:text", run, partial: true },
    { type: "say:completion_result", run, partial: false },
    { type: "say:checkpoint_saved", run },
    { type: "ask:tool", run, askId: "p1", partial: true },
    { type: "hooks_started", run },
    { type: "hooks_finished", run, ok: true },
    { type: "background_changed", run, count: 1 },
    { type: "ask_closed", run, askId: "unknown" },
    { type: "permission_resolved", askId: "unknown", verdict: "allow" },
    { type: "rest_checked", run, timerId: "idle:9:9", mayRest: true },
    streamFact(run, 0, "metadata"),
    streamFact(run, 1, "text_delta", "side"),
    streamFact(run, 1, "ask", "side"),
    streamFact(run, 1, "tool_call_completed", "side"),
    streamFact(run, 1, "completed", "side"),
    { type: "tool_started", run, callId: "side" },
    { type: "retry_scheduled", run, attempt: 1, atMs: 1 },
    { type: "tool_finished", run, callId: "side", ok: false },
    { type: "process_exit", run, code: null, signal: "SIGKILL" },
  ];
  const turnEnds: SessionFact[] = [
    { type: "ask:mistake_limit_reached", run, askId: "p2" },
    { type: "ask:invalid_model", run, askId: "p2" },
    { type: "ask:payment_required_prompt", run, askId: "p2" },
    { type: "ask:resume_completed_task", run, askId: "p2" },
    { type: "turn_interrupted", run },
    streamFact(run, 1, "error", "side"),
  ];
  const asks: SessionFact[] = [
    { type: "ask:command", run, askId: "p3" },
    { type: "ask:followup", run, askId: "p3" },
    { type: "ask:browser_action_launch", run, askId: "p3" },
    { type: "ask:use_mcp_server", run, askId: "p3" },
  ];
  const question: SessionFact = { type: "ask:followup", run, askId: "p1", partial: true };
  const begun = spoke(ghost, run, question, { busy: true });
  const over = { busy: false, shown: false, open: [], partial: false };
  return [
    ...facts.map((fact) =>
      probe(fact.type === "process_exit" ? ended(ghost, run) : spoke(ghost, run, fact, { busy: true }), fact),
    ),
    // It completes the question before it, and so proves what that would.
    probe(run === place.look.run && place.look.isSettling ? prove(begun, run) : begun, question),
    ...turnEnds.map((fact) => probe(spoke(ghost, run, fact, over), fact)),
    ...asks.map((fact) => probe(spoke(ghost, run, fact, { busy: true, open: [...agent.open, "p3"] }), fact)),
  ];
}

function streamFact(
  run: number,
  seq: number,
  type: "text_delta" | "completed" | "error" | "metadata" | "tool_call_completed" | "ask",
  streamId = `s${run}`,
): SessionFact {
  return {
    type: "harness_stream",
    run,
    event: {
      schemaVersion: "1.0",
      eventId: `${streamId}-${seq}`,
      sessionId: "x",
      harness: "script",
      streamId,
      seq,
      timestampMs: 0,
      type,
      payload: { text: "t", callId: "c1", message: "boom", recoverable: true },
    },
  };
}

// The driver and ourselves

function handoverMoves(ghost: Ghost, handover: Handover): Move[] {
  const { run, messageId } = handover;
  const moves: Move[] = [];
  const rest = { ...ghost, handovers: ghost.handovers.filter((other) => other !== handover) };
  const agent = agentOf(ghost, run);
  // In a shell nothing reaches anybody else than the one it is for.
  if (agent?.life === "up" && agent.front === handover.front) {
    // Reaching the agent is no fact: nobody tells the machine. A fact that means nothing stands for it.
    moves.push(move(handedOver(ghost, handover), { type: "timer_fired", timerId: "none" }));
  }
  if (handover.type === "deliver_message") {
    const failed = failedMessage(rest, messageId, run);
    moves.push(move(failed, { type: "delivery_failed", run, messageId: messageId ?? "", error: "no" }));
  } else {
    const failed = failedMessage(rest, messageId, run);
    moves.push(move(failed, { type: "effect_failed", run, effect: { ...handover }, message: "no" }));
  }
  return moves;
}

/** It is to be sent again, unless it was since. */
function failedMessage(ghost: Ghost, messageId: string | undefined, run: number): Ghost {
  if (messageId === undefined) return ghost;
  const message = ghost.messages[messageId];
  if (message?.run !== run || message.fate === "line" || message.fate === "back") return ghost;
  return withMessage(ghost, messageId, {
    fate: "line",
    returned: message.fate !== "out" || message.returned,
  });
}

function timerMoves(ghost: Ghost, timerId: string): Move[] {
  if (timerId.startsWith("checkpoint")) return lateMoves(ghost, timerId);
  if (!timerId.startsWith("idle")) return [timerMove(ghost, timerId)];
  return (ghost.budget.idles ?? 0) > 0 ? [timerMove(spend(ghost, "idles"), timerId)] : [];
}

/** Who else lives in the run is found out whatever has become of it since. */
function restMoves(ghost: Ghost, name: string): Move[] {
  const [run, ...timer] = name.split(":");
  const known = { ...ghost, restChecks: ghost.restChecks.filter((other) => other !== name) };
  return [true, false].map((mayRest) =>
    move(known, { type: "rest_checked", run: Number(run), timerId: timer.join(":"), mayRest }),
  );
}

/** The files of a turn are kept, or not; what is told of another turn's means nothing. */
function checkpointMoves(ghost: Ghost): Move[] {
  if (ghost.saving === null) return [];
  const settled = { ...ghost, saving: null };
  const failed = { type: "checkpoint_failed", turn: ghost.saving, error: "no" } as const;
  return [
    move(settled, { type: "say:checkpoint_saved", turn: ghost.saving }),
    (ghost.budget.unsaved ?? 0) > 0 ? move(spend(settled, "unsaved"), failed) : probe(settled, failed),
    probe(ghost, { type: "say:checkpoint_saved", turn: 99 }),
    probe(ghost, { type: "checkpoint_failed", turn: 99, error: "no" }),
  ];
}

/** Whoever keeps the files gives up too, and tells nothing more that counts. */
function lateMoves(ghost: Ghost, timerId: string): Move[] {
  const late = { ...ghost, saving: null };
  const fired = timerMove(late, timerId);
  return [
    (ghost.budget.unsaved ?? 0) > 0 ? timerMove(spend(late, "unsaved"), timerId) : { ...fired, probe: true },
  ];
}

function timerMove(ghost: Ghost, timerId: string): Move {
  const fired = { ...ghost, timers: ghost.timers.filter((other) => other !== timerId) };
  // A question that settles counts as asked, so its agent has taken what it was given.
  const run = currentRun(fired);
  const world = timerId.startsWith("settle") ? prove(withAgent(fired, run, { acted: true }), run) : fired;
  return move(world, { type: "timer_fired", timerId });
}

function verdictMoves(ghost: Ghost, name: string): Move[] {
  const [run, askId = ""] = name.split(":");
  return (["allow", "deny", "ask", "contained", "none"] as const).map((verdict) =>
    move(ghost, { type: "permission_resolved", run: Number(run), askId, verdict }),
  );
}

// The wall

/** Names of the hosts that are asked for. */
const HOSTS = ["w1", "w2"] as const;

/** What the proxy of the current run tells; it may tell again what it has told. */
function wallMoves({ look, ghost }: Place): Move[] {
  const { walls } = ghost.budget;
  if (walls === undefined) return [];
  const { run } = look;
  const asked = (askId: string): SessionFact => ({ type: "wall_asked", run, askId, host: "h", port: 443 });
  const closed = (askId: string): SessionFact => ({ type: "wall_closed", run, askId, because: "expired" });
  const moves = HOSTS.flatMap((askId) => [
    move(ghost, { type: "approve_action", askId }),
    move(ghost, { type: "reject_action", askId }),
  ]);
  const unsent = MESSAGES.slice(0, ghost.budget.messages).find(
    (messageId) => ghost.messages[messageId]?.fate === "new",
  );
  if (unsent !== undefined)
    moves.push(move(ghost, { type: "reject_action", askId: "w1", messageId: unsent }));
  const agent = agentOf(ghost, run);
  // It has not begun, and nothing can be told of it.
  if (agent?.life === "held") return moves;
  // Its run is over, or was told to stop: what the proxy still says of it is no news.
  if (agent?.life !== "up" || agent.told)
    return [...moves, probe(ghost, asked("late")), probe(ghost, closed("late"))];
  const next = HOSTS[walls - 1];
  if (next !== undefined) {
    const held = [...ghost.held, `${run}:${next}`].sort();
    moves.push(move(spend({ ...ghost, held }, "walls"), asked(next)));
  }
  for (const askId of look.knownHosts) moves.push(probe(ghost, asked(askId)));
  for (const name of ghost.held)
    moves.push(move(letGo(ghost, name), closed(name.slice(name.indexOf(":") + 1))));
  return [...moves, probe(ghost, closed("unknown"))];
}

// Terminals

function isShellWorld(ghost: Ghost): boolean {
  return ghost.budget.shell !== undefined;
}

/** What a shell's screen and its processes tell. Whoever watches them tells the end of one agent before the next. */
function terminalMoves(place: Place): Move[] {
  const { look, ghost } = place;
  if (ghost.budget.doubts === undefined) return [];
  const { run } = look;
  const agent = agentOf(ghost, run);
  const live = agent?.life === "up" && !agent.told ? agent : undefined;
  const moves = MESSAGES.filter((messageId) => look.returned.includes(messageId)).map((messageId) =>
    probe(withMessage(ghost, messageId, { fate: "taken", run: 0 }), { type: "drop_message", messageId }),
  );
  moves.push(probe(ghost, { type: "drop_message", messageId: "none" }));
  // It has not begun, and nothing can be told of it.
  if (agent?.life === "held") return moves;
  moves.push(...certaintyMoves(place, live));
  if (isShellWorld(ghost)) moves.push(...shellMoves(place, live));
  return moves;
}

function certaintyMoves({ look, ghost }: Place, live: Agent | undefined): Move[] {
  const { run } = look;
  const known: SessionFact = { type: "certainty_changed", run, certainty: "known", sinceMs: 1 };
  const unknown: SessionFact = { type: "certainty_changed", run, certainty: "unknown", sinceMs: 1 };
  const still: SessionFact = { type: "screen_still", run, sinceMs: 1 };
  if (!live) return [known, unknown, still].map((fact) => probe(ghost, fact));
  const isDoubted = look.certainty === "unknown";
  const isShown = !isShellWorld(ghost) || live.front !== undefined;
  const mayDoubt = isShown && !isDoubted && (ghost.budget.doubts ?? 0) > 0;
  return [
    isDoubted ? move(ghost, known) : probe(ghost, known),
    mayDoubt ? move(spend(ghost, "doubts"), unknown) : probe(ghost, unknown),
    isDoubted && !look.unknownNotified ? move(ghost, still) : probe(ghost, still),
  ];
}

/** How many agents a shell may see. */
export const AGENTS = 2;

function shellMoves({ look, ghost }: Place, live: Agent | undefined): Move[] {
  const { run } = look;
  const ready: SessionFact = { type: "shell_ready", run };
  const other: SessionFact = { type: "agent_ended", run, start: "other" };
  if (run === 0) return [probe(ghost, ready), probe(ghost, other)];
  if (!live) {
    const started: SessionFact = { type: "agent_started", run, name: "agent", start: "A" };
    return [ready, other, started].map((fact) => probe(ghost, fact));
  }
  const moves = [probe(ghost, other)];
  const isFirst = live.front === undefined && !live.ready;
  moves.push(isFirst ? move(withAgent(ghost, run, { ready: true }), ready) : probe(ghost, ready));
  if (live.front !== undefined) {
    const { front } = live;
    moves.push(move(withFront(ghost, run, undefined), { type: "agent_ended", run, start: front }));
    moves.push(probe(ghost, { type: "agent_started", run, name: "agent", start: front }));
  }
  const left = ghost.budget.agents ?? 0;
  if (left === 0) return moves;
  // The same one again (a job that was stopped and goes on), or another.
  const isFirstAgent = left === AGENTS;
  const others = live.front === undefined ? ["A", "B"] : [live.front === "A" ? "B" : "A"];
  const starts = isFirstAgent ? ["A"] : others;
  return [
    ...moves,
    ...starts.map((start) =>
      move(withFront(spend(ghost, "agents"), run, start), {
        type: "agent_started",
        run,
        name: "agent",
        start,
      }),
    ),
  ];
}

/** What is told of an agent that is gone means nothing. */
function strayMoves(ghost: Ghost, { run }: Agent): Move[] {
  const facts: SessionFact[] = [
    { type: "session_created", run },
    { type: "api_req_started", run },
    { type: "ask:tool", run, askId: "stray" },
    { type: "ask:completion_result", run, askId: "stray" },
    { type: "tool_started", run, callId: "c1" },
    { type: "turn_interrupted", run },
    { type: "background_changed", run, count: 1 },
  ];
  return facts.map((fact) => probe(ghost, fact));
}
