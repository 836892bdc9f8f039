/** The terminal machine in its ghost's world, and what must always hold there. */
import type { TerminalEffect, TerminalFact } from "../../src/core/terminal/effects.js";
import type { TerminalEvent } from "../../src/core/terminal/events.js";
import { CALLS_MAX, REQUESTS_MAX, TYPINGS_MAX, type TerminalState } from "../../src/core/terminal/state.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";
import type { Step } from "../../src/core/step.js";
import type { Check, Goal, Model, StepCheck, Taken } from "./search.js";
import { answerChecks, BUSY, OVER } from "./terminal-answer-checks.js";
import { toldBy, type Budget, type Told, type TerminalGhost } from "./terminal-ghost.js";
import {
  heardOf,
  isSettled,
  lookAt,
  movesFrom,
  settled,
  type TerminalNode,
  type World,
} from "./terminal-moves.js";

export type TerminalTaken = Taken<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;
export type TerminalModel = Model<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;

// prettier-ignore
export const WORLDS: Readonly<Record<World, Budget>> = {
  shell:     { starts: 2, turns: 1, prompts: 1, lies: 0, vague: 0, sends: 1, answers: 0, hooks: 0 },
  agent:     { starts: 0, turns: 1, prompts: 1, lies: 1, vague: 2, sends: 0, answers: 1, hooks: 0 },
  hooked:    { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 2, sends: 0, answers: 0, hooks: 3 },
  answered:  { starts: 0, turns: 2, prompts: 0, lies: 0, vague: 0, sends: 0, answers: 1, hooks: 3 },
  continued: { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 0, sends: 1, answers: 1, hooks: 2 },
  hurried:   { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 0, sends: 2, answers: 0, hooks: 1 },
  resumed:   { starts: 0, turns: 1, prompts: 0, lies: 0, vague: 1, sends: 1, answers: 0, hooks: 0 },
  stranger:  { starts: 0, turns: 1, prompts: 1, lies: 0, vague: 1, sends: 2, answers: 1, hooks: 0 },
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
    truth: world === "shell" ? "shell" : isSettled(world) ? "waiting" : "working",
    pid: 10,
    seenPid: 0,
    seesAgent: false,
    prompt: 0,
    isHalf: false,
    isLied: false,
    isHooked: false,
    typing: [],
    // The session of one that goes on was never new.
    told: world === "resumed" ? { ...UNTOLD, status: "busy" } : UNTOLD,
    first: isPrompted ? "held" : "none",
    budget: WORLDS[world],
  };
  const begun = { state: terminalMachine.transition(terminalMachine.initial, event).state, ghost };
  return isSettled(world) ? settled(begun, world) : begun;
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
    moves: ({ state, ghost }) => movesFrom(lookAt(state), ghost, world),
    parts: { state: lookAt, step: heardOf },
    stateChecks,
    answerChecks,
    nodeChecks,
    stepChecks,
    goals: goalsOf(world),
  };
}

/** Of a state alone, whatever the world around it. */
const stateChecks: Readonly<Record<string, Check<Pick<TerminalNode, "state">>>> = {
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
  "while it is being answered, the answer is on its way": ({ state }) =>
    state.activity.type !== "answering" || state.typing.includes("choice") ? null : state.typing.join(),
};

/** Of a state in its world. */
const nodeChecks: Readonly<Record<string, Check<TerminalNode>>> = {
  "an ask is open exactly where the session was told one": ({ state, ghost }) => {
    const open = state.activity.type === "asking" ? state.activity.ask.askId : null;
    return open === ghost.told.askId ? null : `${String(open)}, told ${String(ghost.told.askId)}`;
  },
  "what is known is what was told": ({ state, ghost }) =>
    (state.unknown !== null) === ghost.told.isUnknown ? null : "certainty differs",
  "what is there and not known is not being created any more": ({ ghost: { told } }) =>
    told.isReady && told.isUnknown && told.status === "creating" ? "still creating" : null,
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

function isKnownTold(fact: TerminalFact): boolean {
  return fact.type === "certainty_changed" && fact.certainty === "known";
}

type TerminalStepCheck = StepCheck<TerminalState, TerminalEvent, TerminalEffect, TerminalGhost>;

/** Whether the session is told anything. */
const tells: TerminalStepCheck["about"] = ({ step }) => step.effects.some(({ type }) => type === "tell");

/** Of a step in its world. */
const stepChecks: Readonly<Record<string, Check<TerminalTaken> | TerminalStepCheck>> = {
  "nothing is said to work that nobody understands": {
    about: tells,
    check: (taken) =>
      toldAlong(taken).some(
        ({ before, fact }, at, all) =>
          SPINS.has(fact.type) &&
          before.isUnknown &&
          !all.slice(at + 1).some((next) => isKnownTold(next.fact)),
      )
        ? "a spinner"
        : null,
  },
  "that it is understood is told after what it shows": {
    about: tells,
    check: (taken) => {
      const facts = factsOf(taken);
      if (!facts.some(isKnownTold)) return null;
      // Whatever follows that it is not, after all, finds nothing handed over.
      const [next] = facts.slice(facts.findIndex(isKnownTold) + 1);
      return next === undefined || next.type === "certainty_changed" ? null : JSON.stringify(next);
    },
  },
  "an ask opens only when none is open, and closes only if it is": {
    about: tells,
    check: (taken) => {
      const wrong = toldAlong(taken).find(({ before, fact }) => {
        if (fact.type === "ask_closed") return before.askId !== fact.askId;
        return fact.type.startsWith("ask:") && !OVER.has(fact.type) && before.askId !== null;
      });
      return wrong ? JSON.stringify(wrong.fact) : null;
    },
  },
  "a turn is over once": {
    about: tells,
    check: (taken) =>
      toldAlong(taken).some(({ before, fact }) => OVER.has(fact.type) && before.status === "over")
        ? "twice"
        : null,
  },
  "never over while it works, unless its screen lied for long": {
    about: tells,
    check: (taken) => {
      const { ghost } = taken.after;
      const isOver = factsOf(taken).some(({ type }) => OVER.has(type));
      if (!isOver || taken.event.type === "typed") return null;
      const isBusy = ghost.truth === "working" || ghost.truth === "asking" || ghost.truth === "dialog";
      return isBusy && !ghost.isLied ? `over while ${ghost.truth}` : null;
    },
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
  "what is typed is known to be on its way": ({ after }) => {
    const kinds = after.ghost.typing
      .map(({ kind }) => kind)
      .toSorted()
      .join();
    return kinds === [...after.state.typing].toSorted().join()
      ? null
      : `${kinds}: ${after.state.typing.join()}`;
  },
};

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
