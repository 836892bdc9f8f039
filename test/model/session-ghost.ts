/**
 * The world around a session, as small as it can be and still do what real agents do: answer late, repeat a line, die at
 * any moment, ask two things at once, talk while an ask is open, ignore a stop.
 *
 * It keeps the truth that the machine can only infer: which processes live, whether an agent is in a turn, which asks it
 * has open, what became of every message.
 */
import type { Result, Step } from "../../src/core/step.js";
import type { SessionAct, SessionEffect } from "../../src/core/session/effects.js";
import {
  isRequest,
  type EventOf,
  type SessionEvent,
  type SessionFact,
} from "../../src/core/session/events.js";
import { isActivity } from "../../src/core/session/gates.js";
import type { SessionState } from "../../src/core/session/state.js";

/** One run's process and what its agent is doing. */
export interface Agent {
  readonly run: number;
  /** `held`: spawned, but the run before has not ended; `over`: its end was reported. */
  readonly life: "held" | "up" | "over";
  readonly told: boolean;
  readonly ready: boolean;
  readonly busy: boolean;
  /** Whether it has shown anything of its present turn. */
  readonly shown: boolean;
  /** Whether it ever did anything: a run that did not must not lead to another by itself. */
  readonly acted: boolean;
  /** Spawned because of a fact, not of a request. */
  readonly byFact: boolean;
  /** Nothing was given to it: once it is ready, its adapter reports that it is idle. */
  readonly announces: boolean;
  /** Complete asks it waits for. */
  readonly open: readonly string[];
  /** Every ask id it used. */
  readonly used: readonly string[];
  /** A question it began and may never finish. */
  readonly partial: boolean;
  /** The last number of its one stream; 2 ends it. */
  readonly seq: number;
  /** How many turns it ended. */
  readonly turns: number;
  /** Its work in the background. */
  readonly background?: number;
  /** In a shell: the agent in front; its turn is what the fields above tell of. */
  readonly front?: string;
}

/** Handed to the driver, not yet to the agent. */
export interface Handover {
  readonly type: "deliver_message" | "answer_ask" | "continue_run";
  readonly run: number;
  readonly messageId?: string;
  readonly askId?: string;
  /** In a shell: the agent that it is for. */
  readonly front?: string;
}

/**
 * `line`: accepted, waiting. `out`: on its way or handed over, unproven. `reply`: on its way as an answer. `back`: it was
 * returned to the person.
 */
export type Fate = "new" | "line" | "out" | "reply" | "taken" | "back";

export interface Message {
  readonly fate: Fate;
  /** The run it went to. */
  readonly run: number;
  /** Came back from a failed answer: it may overtake. */
  readonly returned: boolean;
  /** In a shell: the agent that was in front when it was accepted. */
  readonly owner?: string;
}

export interface Ghost {
  readonly agents: readonly Agent[];
  readonly handovers: readonly Handover[];
  readonly timers: readonly string[];
  readonly messages: Readonly<Record<string, Message>>;
  /** Asks that may never be answered again, as `run:askId`. */
  readonly finished: readonly string[];
  /** Asks whose verdict may still come, as `run:askId`. */
  readonly checked: readonly string[];
  /** Rests that are being looked at, as `run:timerId`. */
  readonly restChecks: readonly string[];
  /** Hosts that the wall around a run holds and a person may answer, as `run:askId`. */
  readonly held: readonly string[];
  /** The turn whose files are being kept: nothing may be handed over meanwhile. */
  readonly saving: number | null;
  /** Since it failed, nothing was asked for and nothing was done. */
  readonly failed: boolean;
  /** What people may still do; each is bounded so that the world is finite. */
  readonly budget: Budget;
}

export interface Budget {
  /** Runs beyond this many are not followed. */
  readonly runs: number;
  /** Turns that each run may end. */
  readonly turns: number;
  readonly asks: number;
  /** Whether the second ask may be an approval too. */
  readonly approvals: number;
  readonly messages: number;
  readonly starts: number;
  readonly interrupts: number;
  readonly partials: number;
  readonly autos: number;
  /** Tool calls, retries and streams, which only move the phase, are followed too, not only tried. */
  readonly work: number;
  /** Answers may reach the agent late or not at all; otherwise at once. */
  readonly lateAnswers: number;
  /** Beside its exit: processes that break, or are found dead after a restart. */
  readonly accidents: number;
  /** The terminal is started as a shell, in which agents come and go. */
  readonly shell?: number;
  /** How many agents may yet be started in it. */
  readonly agents?: number;
  /** How often what is shown may yet come not to be understood. */
  readonly doubts?: number;
  /** How often an agent may yet be found idle for long; absent: nobody looks. */
  readonly idles?: number;
  /** How often work may yet begin in the background. */
  readonly backgrounds?: number;
  /** How many hosts may yet be asked for that the wall does not list; absent: there is no wall. */
  readonly walls?: number;
  /** The files are kept at the end of every turn; how often that may yet fail, or take too long. */
  readonly unsaved?: number;
}

export const MESSAGES = ["m1", "m2"] as const;

export function initialGhost(budget: Budget): Ghost {
  return {
    agents: [],
    handovers: [],
    timers: [],
    messages: {
      m1: { fate: "new", run: 0, returned: false },
      m2: { fate: "new", run: 0, returned: false },
    },
    finished: [],
    checked: [],
    restChecks: [],
    held: [],
    saving: null,
    failed: false,
    budget,
  };
}

export function agentOf(ghost: Ghost, run: number): Agent | undefined {
  return ghost.agents.find((agent) => agent.run === run);
}

/** The same world when nothing changes: what is the same object is known without a look. */
export function withAgent(ghost: Ghost, run: number, patch: Partial<Agent>): Ghost {
  const agent = agentOf(ghost, run);
  if (!agent || isPatched(agent, patch)) return ghost;
  const agents = ghost.agents.map((other) => (other.run === run ? { ...other, ...patch } : other));
  return { ...ghost, agents };
}

function isPatched(agent: Agent, patch: Partial<Agent>): boolean {
  for (const key of Object.keys(patch) as (keyof Agent)[]) {
    const [is, becomes] = [agent[key], patch[key]];
    if (is !== becomes && !(isEmptyList(is) && isEmptyList(becomes))) return false;
  }
  return true;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

export function withMessage(ghost: Ghost, messageId: string, patch: Partial<Message>): Ghost {
  const message = ghost.messages[messageId];
  if (!message) return ghost;
  return { ...ghost, messages: { ...ghost.messages, [messageId]: { ...message, ...patch } } };
}

export function spend(ghost: Ghost, on: keyof Budget): Ghost {
  return { ...ghost, budget: { ...ghost.budget, [on]: (ghost.budget[on] ?? 0) - 1 } };
}

/** All that the world sees of the machine's answer. */
export interface Told {
  readonly result: Result;
  readonly effects: readonly SessionEffect[];
  readonly run: number;
  readonly isIdle: boolean;
  readonly hasPrompt: boolean;
}

export function toldBy({ result, effects, state }: Step<SessionState, SessionEffect>): Told {
  const { run, status, prompt } = state;
  return { result, effects, run, isIdle: status === "idle", hasPrompt: prompt !== null };
}

/** What the machine's answer does to the world. */
export function settle(ghost: Ghost, event: SessionEvent, told: Told): Ghost {
  let next = noteEvent(ghost, event, told);
  for (const effect of told.effects) next = perform(next, effect);
  if (next.agents === ghost.agents || !told.effects.some(({ type }) => type === "spawn_harness")) return next;
  const announces = event.type === "start_session" && !told.hasPrompt;
  return withAgent(next, told.run, { announces, byFact: !isRequest(event) });
}

function noteEvent(ghost: Ghost, event: SessionEvent, told: Told): Ghost {
  let next = ghost;
  if (told.result === "ok" && isAccepting(event)) {
    if (next.failed) next = { ...next, failed: false };
    if ("messageId" in event) {
      const front = agentOf(ghost, told.run)?.front;
      const owner = front === undefined ? {} : { owner: front };
      next = withMessage(next, event.messageId, { fate: "line", ...owner });
    }
  }
  if (told.result === "ok" && told.effects.some((effect) => effect.type === "emit_session_error")) {
    next = { ...next, failed: true };
  }
  // A shell, and whoever is started in it next, is done with whoever failed in it.
  const isAnew = told.isIdle || (event.type === "agent_started" && told.result === "ok");
  return isAnew && next.failed ? { ...next, failed: false } : next;
}

type Accepting = EventOf<"start_session" | "send_message" | "resume_session" | "retry">;

function isAccepting(event: SessionEvent): event is Accepting {
  return (
    event.type === "start_session" ||
    event.type === "send_message" ||
    event.type === "resume_session" ||
    event.type === "retry"
  );
}

function perform(ghost: Ghost, effect: SessionEffect): Ghost {
  switch (effect.type) {
    case "emit_session_error":
    case "emit_state_changed":
    case "notify":
      return ghost;
    case "return_messages":
      return effect.messageIds.reduce(
        (next, messageId) => withMessage(next, messageId, { fate: "back", run: 0 }),
        ghost,
      );
    case "spawn_harness":
      return spawn(ghost, effect);
    case "stop_harness":
      return letGo(
        forgetAsks(withAgent(ghost, effect.run, { told: true, ...UNASKED }), effect.run),
        `${effect.run}:`,
      );
    case "interrupt_run":
      return ghost;
    case "deliver_message":
      return deliver(ghost, effect);
    case "continue_run":
      return handOver(ghost, effect);
    case "answer_ask":
      return answer(ghost, effect);
    case "answer_wall":
      return answerWall(ghost, effect);
    case "check_rest":
      return { ...ghost, restChecks: [...ghost.restChecks, `${effect.run}:${effect.timerId}`] };
    case "checkpoint":
      return { ...ghost, saving: effect.turn };
    case "check_permission":
      return { ...ghost, checked: add(ghost.checked, `${currentRun(ghost)}:${effect.askId}`) };
    case "void_asks":
      if (agentOf(ghost, currentRun(ghost))?.told) return ghost;
      return effect.askIds.reduce((next, askId) => finish(next, currentRun(next), askId), ghost);
    case "start_timer":
      return { ...ghost, timers: [...ghost.timers, effect.timerId] };
    case "cancel_timer":
      return { ...ghost, timers: ghost.timers.filter((timerId) => timerId !== effect.timerId) };
  }
}

function answerWall(ghost: Ghost, effect: Extract<SessionAct, { type: "answer_wall" }>): Ghost {
  const { run, askId, messageId } = effect;
  const answered = finish(letGo(ghost, `${run}:${askId}`), run, askId);
  return messageId === undefined ? answered : withMessage(answered, messageId, { fate: "taken", run: 0 });
}

/** The wall holds them no more, or nobody is to answer them any more: those whose name begins so. */
export function letGo(ghost: Ghost, beginning: string): Ghost {
  const held = ghost.held.filter((name) => !name.startsWith(beginning));
  return held.length === ghost.held.length ? ghost : { ...ghost, held };
}

function deliver(ghost: Ghost, effect: Extract<SessionAct, { type: "deliver_message" }>): Ghost {
  const { run, messageId, force } = effect;
  // Who sends anyway has seen that the agent is there, and answers for what it is doing.
  const vouched = force === true ? withAgent(ghost, run, { ready: true, shown: false }) : ghost;
  return withMessage(handOver(vouched, effect), messageId, { fate: "out", run });
}

export function currentRun(ghost: Ghost): number {
  return ghost.agents.at(-1)?.run ?? 0;
}

function spawn(ghost: Ghost, effect: Extract<SessionAct, { type: "spawn_harness" }>): Ghost {
  const others = ghost.agents.filter((agent) => agent.life !== "over");
  const agent: Agent = {
    run: effect.run,
    life: others.length > 0 ? "held" : "up",
    told: false,
    ready: false,
    busy: effect.messageId !== undefined,
    shown: false,
    acted: false,
    byFact: false,
    announces: false,
    open: [],
    used: [],
    partial: false,
    seq: 0,
    turns: 0,
  };
  const next = backInLine({ ...ghost, agents: [...others, agent], finished: [], checked: [] });
  return effect.messageId === undefined
    ? next
    : withMessage(next, effect.messageId, { fate: "out", run: effect.run });
}

/** An agent that was told to stop can ask nothing that anybody answers. */
const UNASKED: Partial<Agent> = {
  shown: false,
  announces: false,
  open: [],
  used: [],
  partial: false,
  seq: 0,
  turns: 0,
};

/** What a run asked can come up no more. */
function forgetAsks(ghost: Ghost, run: number): Ghost {
  const ofOthers = (name: string) => !name.startsWith(`${run}:`);
  return { ...ghost, finished: ghost.finished.filter(ofOthers), checked: ghost.checked.filter(ofOthers) };
}

/** Nobody waits any more for the run before to take what it was given. */
function backInLine(ghost: Ghost): Ghost {
  return MESSAGES.reduce(
    (next, messageId) =>
      next.messages[messageId]?.fate === "out" ? withMessage(next, messageId, { fate: "line" }) : next,
    ghost,
  );
}

function handOver(ghost: Ghost, effect: Handover): Ghost {
  const { type, run, messageId, askId } = effect;
  const handover = {
    type,
    run,
    ...(messageId === undefined ? {} : { messageId }),
    ...(askId === undefined ? {} : { askId }),
    ...frontOf(ghost, run),
  };
  return { ...ghost, handovers: [...ghost.handovers, handover] };
}

function frontOf(ghost: Ghost, run: number): { readonly front?: string } {
  const front = agentOf(ghost, run)?.front;
  return front === undefined ? {} : { front };
}

/** Another agent is in front, or none: of what the one before was doing nothing is left. */
export function withFront(ghost: Ghost, run: number, front: string | undefined): Ghost {
  const agents = ghost.agents.map((agent) => {
    if (agent.run !== run) return agent;
    const { front: _gone, ...process } = agent;
    const began = front === undefined ? { busy: false } : { busy: true, front };
    return { ...process, ready: true, shown: false, announces: false, open: [], partial: false, ...began };
  });
  const ofOthers = (name: string) => !name.startsWith(`${run}:`);
  return { ...ghost, agents, checked: ghost.checked.filter(ofOthers) };
}

function answer(ghost: Ghost, effect: Extract<SessionAct, { type: "answer_ask" }>): Ghost {
  const next = finish(handOver(ghost, effect), effect.run, effect.askId);
  const replied =
    effect.messageId === undefined
      ? next
      : withMessage(next, effect.messageId, { fate: "reply", run: effect.run });
  const handover = replied.handovers.at(-1);
  return ghost.budget.lateAnswers > 0 || !handover ? replied : handedOver(replied, handover);
}

export function finish(ghost: Ghost, run: number, askId: string): Ghost {
  return { ...ghost, finished: add(ghost.finished, `${run}:${askId}`) };
}

function add(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name].sort();
}

/** What an agent's own line does to the world: it may prove that a message was taken. */
export function spoke(ghost: Ghost, run: number, fact: SessionFact, patch: Partial<Agent>): Ghost {
  const before = agentOf(ghost, run);
  if (!before) return ghost;
  const next = withAgent(
    ghost,
    run,
    isActivity(fact) ? { acted: true, shown: true, announces: false, ...patch } : patch,
  );
  return isActivity(fact) ? prove(next, run) : next;
}

/** Messages handed to this run are taken: it does something. */
export function prove(ghost: Ghost, run: number): Ghost {
  let next: Ghost = ghost.failed ? { ...ghost, failed: false } : ghost;
  for (const messageId of MESSAGES) {
    const message = next.messages[messageId];
    if (message?.fate === "out" && message.run === run) {
      const onItsWay = next.handovers.some((handover) => handover.messageId === messageId);
      next = withMessage(next, messageId, { fate: "taken", run: onItsWay ? run : 0 });
    }
  }
  return next;
}

/** The driver's handover reached the agent. */
export function handedOver(ghost: Ghost, handover: Handover): Ghost {
  const rest = { ...ghost, handovers: ghost.handovers.filter((other) => other !== handover) };
  const agent = agentOf(rest, handover.run);
  if (!agent) return rest;
  if (handover.type === "answer_ask") {
    const open = agent.open.filter((askId) => askId !== handover.askId);
    const answered = withAgent(rest, handover.run, { open });
    return handover.messageId === undefined
      ? answered
      : withMessage(answered, handover.messageId, { fate: "taken", run: 0 });
  }
  const given = withAgent(rest, handover.run, { busy: true, announces: false });
  const { messageId } = handover;
  if (messageId === undefined || given.messages[messageId]?.fate !== "taken") return given;
  return withMessage(given, messageId, { run: 0 });
}
