/** The terminal machine in its ghost's world, and what must always hold there. */
import type { TerminalEffect, TerminalFact } from "../../src/core/terminal/effects.js";
import type { TerminalEvent } from "../../src/core/terminal/events.js";
import { CALLS_MAX, REQUESTS_MAX, TYPINGS_MAX, type TerminalState } from "../../src/core/terminal/state.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";
import type { Step } from "../../src/core/step.js";
import type { Check, Goal, Model, Taken } from "./search.js";
import { toldBy, type Budget, type Told, type TerminalGhost } from "./terminal-ghost.js";
import { movesFrom, type TerminalNode, type World } from "./terminal-moves.js";

export type TerminalTaken = Taken<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;
export type TerminalModel = Model<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;

// prettier-ignore
export const WORLDS: Readonly<Record<World, Budget>> = {
  shell:    { starts: 2, turns: 1, prompts: 1, lies: 0, vague: 0, sends: 1, answers: 0, hooks: 0 },
  agent:    { starts: 0, turns: 1, prompts: 1, lies: 1, vague: 1, sends: 0, answers: 1, hooks: 0 },
  hooked:   { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 1, sends: 0, answers: 0, hooks: 3 },
  resumed:  { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 1, sends: 1, answers: 0, hooks: 0 },
  stranger: { starts: 0, turns: 1, prompts: 1, lies: 0, vague: 0, sends: 1, answers: 1, hooks: 0 },
};

const UNTOLD: Told = {
  status: "creating",
  isUnknown: false,
  isReady: false,
  askId: null,
  agent: null,
  seat: null,
};

function initialOf(world: World): TerminalNode {
  const launched =
    world === "shell"
      ? ({ type: "shell" } as const)
      : world === "stranger"
        ? ({ type: "other", command: "aider" } as const)
        : ({ type: "agent", agent: "codex" } as const);
  const isPrompted = world === "agent" || world === "hooked";
  const event: TerminalEvent = {
    type: "run_started",
    run: 1,
    launched,
    first: isPrompted ? "prompt" : world === "resumed" ? "handover" : null,
    messageId: isPrompted ? "first" : null,
  };
  const ghost: TerminalGhost = {
    truth: world === "shell" ? "shell" : "working",
    pid: 10,
    seenPid: 0,
    seesAgent: false,
    prompt: 0,
    isHalf: false,
    isLied: false,
    isHooked: false,
    typing: [],
    told: UNTOLD,
    first: isPrompted ? "held" : "none",
    budget: WORLDS[world],
  };
  return { state: terminalMachine.transition(terminalMachine.initial, event).state, ghost };
}

export function terminalModel(
  world: World,
  transition: (
    state: TerminalState,
    event: TerminalEvent,
  ) => Step<TerminalState, TerminalEffect> = terminalMachine.transition,
): TerminalModel {
  return {
    name: `terminal (${world})`,
    initial: [initialOf(world)],
    transition,
    cell(state, event) {
      const cell = terminalMachine.locate(state, event);
      return cell && `${cell.row} / ${cell.column}`;
    },
    moves: (node) => movesFrom(node, world),
    nodeChecks,
    stepChecks,
    goals: goalsOf(world),
  };
}

const BUSY = new Set(["given", "working", "ending"]);

const nodeChecks: Readonly<Record<string, Check<TerminalNode>>> = {
  "the state is of its shape": ({ state }) => {
    const parsed = terminalMachine.parseState(state);
    return parsed.ok ? null : JSON.stringify(parsed.flaw);
  },
  "everything is bounded": ({ state }) =>
    state.typing.length <= TYPINGS_MAX &&
    state.requests.length <= REQUESTS_MAX &&
    state.calls.length <= CALLS_MAX
      ? null
      : "a list is too long",
  "an ask is open exactly where the session was told one": ({ state, ghost }) => {
    const open = state.activity.type === "asking" ? state.activity.ask.askId : null;
    return open === ghost.told.askId ? null : `${String(open)}, told ${String(ghost.told.askId)}`;
  },
  "what is known is what was told": ({ state, ghost }) =>
    (state.unknown !== null) === ghost.told.isUnknown ? null : "certainty differs",
  "the agent and the seat are as told": ({ state, ghost }) => {
    const same = (state.agent?.start ?? null) === ghost.told.agent && state.seated === ghost.told.seat;
    return same ? null : "another agent";
  },
  "no agent is left once its process is seen to be gone": ({ state, ghost }) =>
    ghost.seenPid !== 0 &&
    !ghost.seesAgent &&
    state.front?.isNamed !== true &&
    (state.agent !== null || state.seated !== null)
      ? "agent_ended is missing"
      : null,
  "an agent that is seen in front is told": ({ state, ghost }) =>
    ghost.seesAgent && state.launched.type === "shell" && state.agent === null
      ? "agent_started is missing"
      : null,
  "the session's status follows": ({ state, ghost }) => {
    const { status } = ghost.told;
    const { type } = state.activity;
    if (type === "settling" || type === "waiting")
      return status === "over" ? null : `${type}, told ${status}`;
    if (BUSY.has(type) && status !== "busy" && status !== "creating") return `${type}, told ${status}`;
    return null;
  },
  "the first prompt is held, typed or back in the queue": ({ state, ghost }) => {
    const { activity } = state;
    const isHeld = activity.type === "starting" && activity.first?.type === "prompt";
    return isHeld === (ghost.first === "held") ? null : `${ghost.first}, but ${isHeld ? "held" : "not held"}`;
  },
};

function factsOf({ step }: TerminalTaken): readonly TerminalFact[] {
  return step.effects.flatMap((effect) => (effect.type === "tell" ? [effect.fact] : []));
}

/** What was told, fact by fact. */
function toldAlong(taken: TerminalTaken): readonly { readonly before: Told; readonly fact: TerminalFact }[] {
  let told = taken.before.ghost.told;
  if (taken.event.type === "answer" || taken.event.type === "continue") told = taken.after.ghost.told;
  return factsOf(taken).map((fact) => {
    const before = told;
    told = toldBy(told, fact);
    return { before, fact };
  });
}

const SPINS = new Set(["api_req_started", "tool_started", "retry_scheduled"]);
const OVER = new Set(["ask:completion_result", "ask:api_req_failed", "turn_interrupted"]);

const stepChecks: Readonly<Record<string, Check<TerminalTaken>>> = {
  "nothing is said to work that nobody understands": (taken) =>
    toldAlong(taken).some(({ before, fact }) => SPINS.has(fact.type) && before.isUnknown)
      ? "a spinner"
      : null,
  "an ask opens only when none is open, and closes only if it is": (taken) => {
    const wrong = toldAlong(taken).find(({ before, fact }) => {
      if (fact.type === "ask_closed") return before.askId !== fact.askId;
      return fact.type.startsWith("ask:") && !OVER.has(fact.type) && before.askId !== null;
    });
    return wrong ? JSON.stringify(wrong.fact) : null;
  },
  "a turn is over once": (taken) =>
    toldAlong(taken).some(({ before, fact }) => OVER.has(fact.type) && before.status === "over")
      ? "twice"
      : null,
  "never over while it works, unless its screen lied for long": (taken) => {
    const { ghost } = taken.after;
    const isOver = factsOf(taken).some(({ type }) => OVER.has(type));
    if (!isOver || taken.event.type === "typed") return null;
    const isBusy = ghost.truth === "working" || ghost.truth === "asking" || ghost.truth === "dialog";
    return isBusy && !ghost.isLied ? `over while ${ghost.truth}` : null;
  },
  "a fresh look that ends a screen's turn is told": ({ before, event, after }) => {
    const isEnd =
      event.type === "screen" && event.reading.activity === "idle" && before.ghost.truth === "working";
    if (!isEnd || after.ghost.truth !== "waiting" || before.state.typing.length > 0) return null;
    const { type } = before.state.activity;
    if (type !== "working") return null;
    const isHookTurn =
      before.state.activity.turn.by === "hooks" && !event.reading.evidence.includes("Interrupted");
    return isHookTurn || after.state.activity.type === "waiting" ? null : "not told";
  },
  "what asks is asked, once it is seen": ({ before, event, after }) => {
    if (event.type !== "screen" || before.state.activity.type === "shell") return null;
    const { activity, basis } = event.reading;
    const isAsk = activity === "approval" || (activity === "question" && event.stability !== "fresh");
    if (!isAsk || (basis === "structure" && before.state.activity.type === "answering")) return null;
    const { type } = after.state.activity;
    return type === "asking" || type === "answering" ? null : `${type} after a prompt`;
  },
  "what works is said to work, once it is seen": ({ before, event, after }) => {
    if (event.type !== "screen" || event.reading.activity !== "working") return null;
    const { type } = before.state.activity;
    const isLate = type === "shell" || type === "settling" || type === "asking" || type === "answering";
    if (isLate && event.stability === "fresh") return null;
    if (type === "shell") return null;
    const is = after.state.activity.type;
    return is === "working" || is === "ending" ? null : `${is} after work`;
  },
  "what nobody understands is said to be so, unless hooks know better": ({ before, event, after }) => {
    if (event.type !== "screen" || event.reading.activity !== "unknown" || event.stability === "fresh")
      return null;
    const { activity } = before.state;
    if (activity.type === "shell" || activity.type === "answering" || activity.type === "asking") return null;
    const isTold = "turn" in activity && activity.turn.by === "hooks";
    if (isTold && activity.type !== "ending")
      return after.state.unknown === before.state.unknown || after.state.activity.type === "asking"
        ? null
        : "hooks know better";
    return after.state.unknown !== null || after.state.activity.type === "asking" ? null : "not told";
  },
  "what is understood again is told": ({ event, after, before }) => {
    if (event.type !== "screen" || before.state.activity.type === "shell") return null;
    const { activity } = event.reading;
    if (activity !== "idle" && activity !== "working") return null;
    const isGiven = before.state.activity.type === "asking" || before.state.activity.type === "answering";
    const isDropped = activity === "idle" && before.state.typing.length > 0;
    return isGiven || isDropped || after.state.unknown === null ? null : "still unknown";
  },
  "nothing is typed but for an agent": ({ step, before }) => {
    const isTyped = step.effects.some(
      (effect) =>
        effect.type === "type_message" ||
        (effect.type === "type_choice" && effect.fingerprint !== "") ||
        effect.type === "press_keys",
    );
    return isTyped && before.state.activity.type === "shell" && before.ghost.seesAgent === false
      ? "typed at a shell"
      : null;
  },
  "what is typed names the process that was seen": ({ step, before, after }) => {
    const isShellRun = before.state.launched.type === "shell";
    const wrong = step.effects.some((effect) => {
      if (effect.type !== "type_message" && (effect.type !== "type_choice" || effect.fingerprint === ""))
        return false;
      const isOwn = after.state.front === null || after.state.front.isOwn;
      return isShellRun || !isOwn
        ? effect.addressee?.pid !== after.state.front?.pid
        : effect.addressee !== null;
    });
    return wrong ? "another addressee" : null;
  },
  "a request is answered as it must be": ({ event, before, step }) => {
    const { type } = before.state.activity;
    switch (event.type) {
      case "deliver": {
        const wanted =
          type === "shell" ? "no_agent" : type === "asking" || type === "answering" ? "prompt_open" : null;
        const isTyped = step.effects.some((effect) => effect.type === "type_message");
        return (step.error?.code ?? null) === wanted && isTyped === (wanted === null)
          ? null
          : "not as it must be";
      }
      case "answer": {
        const isIts =
          before.state.activity.type === "asking" && before.state.activity.ask.askId === event.askId;
        const [effect] = step.effects;
        const isGone = effect?.type === "type_choice" && effect.fingerprint === "";
        return step.effects.length === 1 && isGone !== isIts ? null : "an answer to another ask";
      }
      case "interrupt":
        return step.effects.length === (type === "shell" ? 0 : 1) ? null : "keys";
      case "continue": {
        const isAgent =
          before.state.front === null
            ? before.state.launched.type === "agent"
            : before.state.front.program.type === "agent";
        const isTyped = isAgent && type !== "shell" && type !== "asking" && type !== "answering";
        return step.effects.length === (isTyped ? 1 : 0) ? null : "a continuation";
      }
      default:
        return null;
    }
  },
  "what is typed is known to be on its way": ({ after }) => {
    const kinds = after.ghost.typing
      .map(({ kind }) => kind)
      .toSorted()
      .join();
    return kinds === [...after.state.typing].toSorted().join()
      ? null
      : `${kinds}: ${after.state.typing.join()}`;
  },
  "a message that was taken begins a turn": ({ event, before, after, step }) => {
    if (event.type !== "typed" || event.typing !== "message" || !event.isTaken) return null;
    const { type } = before.state.activity;
    if (type === "shell" || type === "asking" || type === "answering") return null;
    const isTold = step.effects.some(
      (effect) => effect.type === "tell" && effect.fact.type === "api_req_started",
    );
    const isNew = type === "starting" || type === "waiting" || type === "settling";
    return isTold === (isNew || before.state.unknown !== null) && BUSY.has(after.state.activity.type)
      ? null
      : "not begun";
  },
  "a continuation that was refused leaves nobody waiting": ({ event, before, after }) => {
    if (event.type !== "typed" || event.isTaken || event.typing !== "message") return null;
    const isContinuation =
      before.state.typing.find((kind) => kind === "message" || kind === "continuation") === "continuation";
    if (before.state.activity.type !== "starting")
      return after.state.activity.type === before.state.activity.type ? null : "moved";
    return after.state.activity.type === (isContinuation ? "waiting" : "starting") ? null : "the turn's end";
  },
  "an answer leaves answering": ({ event, before, after }) => {
    if (event.type !== "typed" || event.typing !== "choice") return null;
    if (before.state.activity.type !== "answering")
      return after.state.activity.type === before.state.activity.type ? null : "moved";
    const isDialog = before.state.activity.ask.basis === "structure" && !event.isTaken;
    return after.state.activity.type === (isDialog ? "asking" : "working") ? null : "still answering";
  },
  "an answer that was refused was no no": ({ event, after }) =>
    event.type === "typed" &&
    event.typing === "choice" &&
    !event.isTaken &&
    "turn" in after.state.activity &&
    after.state.activity.turn.isRejected
      ? "still rejected"
      : null,
  "hooks are believed, but not of an agent that is gone": ({ event, before, after, step }) =>
    event.type.startsWith("hook_") ? hookFlaw(event, before.state, after.state, step) : null,
  "a run begins with nothing known": ({ event, after }) =>
    event.type === "run_started" && after.state.activity.type !== "shell" ? "not a shell" : null,
};

function hookFlaw(
  event: TerminalEvent,
  before: TerminalState,
  after: TerminalState,
  { effects }: Step<TerminalState, TerminalEffect>,
): string | null {
  const { type } = after.activity;
  if (before.activity.type === "shell") return after === before ? null : "a late hook";
  const tells = (fact: TerminalFact["type"]) =>
    effects.some((effect) => effect.type === "tell" && effect.fact.type === fact);
  const wasOver = before.activity.type === "waiting" || before.activity.type === "settling";
  const queued = "turn" in before.activity ? before.activity.turn.queued : 0;
  switch (event.type) {
    case "hook_prompt": {
      const wasAsking = before.activity.type === "asking" || before.activity.type === "answering";
      if (
        !("turn" in after.activity) ||
        after.activity.turn.by !== "hooks" ||
        type === "asking" ||
        type === "ending"
      )
        return type;
      const wanted = wasOver || before.activity.type === "starting" ? 0 : wasAsking ? queued : queued + 1;
      return after.activity.turn.queued === wanted ? null : "queued prompts";
    }
    case "hook_tool_started":
      return "turn" in after.activity &&
        after.activity.turn.by === "hooks" &&
        type !== "ending" &&
        tells("tool_started")
        ? null
        : type;
    case "hook_tool_ended":
      return tells("tool_finished") ? null : "not told";
    case "hook_request":
      return type === "asking" || type === "answering" ? null : type;
    case "hook_stopped":
      if (wasOver) return after.activity.type === before.activity.type ? null : type;
      return type === (queued > 0 ? "ending" : "settling") ? null : type;
    case "hook_failed":
      return wasOver || (type === "settling" && tells("ask:api_req_failed")) ? null : type;
    case "hook_idle":
      return wasOver || type === "settling" || type === "asking" || type === "answering" ? null : type;
    case "hook_started":
      return before.activity.type === "starting" && before.activity.first?.type === "handover"
        ? null
        : tells("session_created")
          ? null
          : "not ready";
    default:
      return null;
  }
}

type TerminalGoal = Goal<TerminalState, TerminalEvent, TerminalGhost>;

function goalsOf(world: World): readonly TerminalGoal[] {
  const ends: TerminalGoal = {
    name: "whatever happened, an agent's death is told as soon as it is seen",
    from: ({ ghost }) => ghost.told.seat !== null && ghost.seenPid !== 0,
    to: ({ state }) => state.seated === null,
    by: (event) => event.type === "foreground",
  };
  if (world === "stranger") return [];
  return [ends];
}
