/** What must hold of every answer of the terminal machine, whatever the world around it. */
import type { TerminalEffect, TerminalFact } from "../../src/core/terminal/effects.js";
import type { TerminalEvent } from "../../src/core/terminal/events.js";
import type { TerminalState } from "../../src/core/terminal/state.js";
import { terminalMachine } from "../../src/core/terminal/terminal-machine.js";
import type { Step } from "../../src/core/step.js";
import type { Answered, Check } from "./search.js";

export type TerminalAnswered = Answered<TerminalState, TerminalEvent, TerminalEffect>;

/** In a turn, with nothing asked. */
export const BUSY: ReadonlySet<string> = new Set(["given", "working", "ending"]);
/** The facts that end a turn. */
export const OVER: ReadonlySet<string> = new Set([
  "ask:completion_result",
  "ask:api_req_failed",
  "turn_interrupted",
]);

const REQUESTS: ReadonlySet<string> = new Set(
  terminalMachine.description.rows.filter(({ kind }) => kind === "request").map(({ event }) => event),
);

/** Where each cell of the table says that it can lead. */
const TARGETS: ReadonlyMap<string, readonly string[]> = new Map(
  terminalMachine.description.rows.flatMap(({ event, cells }) =>
    Object.entries(cells).map(([column, { to }]) => [`${event} / ${column}`, to] as const),
  ),
);

function told({ step }: TerminalAnswered): readonly TerminalFact[] {
  return step.effects.flatMap((effect) => (effect.type === "tell" ? [effect.fact] : []));
}

function isAsked({ activity }: TerminalState): boolean {
  return activity.type === "asking" || activity.type === "answering";
}

/** What shows that a shell is there. */
const SHELL_SIGHTS: ReadonlySet<string> = new Set(["printed", "mark", "screen"]);

export const answerChecks: Readonly<Record<string, Check<TerminalAnswered>>> = {
  "a step lands where its rule says": ({ before, event, after }) => {
    const cell = terminalMachine.locate(before.state, event);
    if (!cell) return before.state === after.state ? null : "a dropped event changed something";
    const { type } = after.state.activity;
    return TARGETS.get(`${cell.row} / ${cell.column}`)?.includes(type) === true ? null : type;
  },
  "facts are never rejected, requests never ignored": ({ event, step }) =>
    step.result === (REQUESTS.has(event.type) ? "ignored" : "rejected") ? step.result : null,
  "of a shell nothing is told but that it is there, once": (taken) => {
    const { before, event, step } = taken;
    const { state } = before;
    if (state.activity.type !== "shell" || !SHELL_SIGHTS.has(event.type)) return null;
    const isSeen = event.type !== "screen" || !["working", "idle"].includes(event.reading.activity);
    const isPrompt = event.type === "screen" && event.reading.prompt !== null;
    const isDropped = terminalMachine.locate(state, event) === null;
    const isDue =
      isSeen && !isPrompt && !isDropped && state.launched.type === "shell" && state.isReady === false;
    const facts = step.effects.map((effect) => (effect.type === "tell" ? effect.fact.type : effect.type));
    return facts.join() === (isDue ? "shell_ready" : "") ? null : facts.join();
  },
  "a shell's mark says nothing of an agent": ({ before, event, step }) =>
    event.type === "mark" && before.state.activity.type !== "shell" && step.result !== "ignored"
      ? step.result
      : null,
  "a person's word makes the program in front that agent": ({ before, event, after, step }) => {
    if (event.type !== "named") return null;
    const { front } = before.state;
    const isNone = front === null || front.program.type === "shell";
    const isKnown = front?.program.type === "agent" && front.program.agent === event.name;
    if (isNone || isKnown) return step.result === "ignored" ? null : step.result;
    const isAgent = after.state.front?.isNamed === true && after.state.seated === event.name;
    const { type } = after.state.activity;
    return isAgent && type === "starting" && after.state.unknown !== null ? null : type;
  },
  "an end that is seen where no process is leaves a shell": ({ before, event, after, step }) => {
    if (event.type !== "left") return null;
    const { front, activity } = before.state;
    if (front !== null || activity.type === "shell") return step.result === "ignored" ? null : step.result;
    const { seated, unknown } = after.state;
    return after.state.activity.type === "shell" && seated === null && unknown !== null ? null : "not left";
  },
  "a prompt that is gone is asked no more": ({ before, event, after }) => {
    if (event.type !== "screen" || !isAsked(before.state)) return null;
    const { activity } = before.state;
    const isUnseen = "ask" in activity && activity.ask.fingerprint === null;
    const shown = event.reading.activity;
    if (shown !== "idle" && shown !== "working") return null;
    if (terminalMachine.locate(before.state, event) === null) return null;
    if (isUnseen && event.stability === "fresh") return after.state === before.state ? null : "no moment";
    if (shown === "working") return after.state.activity.type === "working" ? null : "still asked";
    return after.state.activity.type === "waiting" ? null : after.state.activity.type;
  },
  "how a turn ended is told": (taken) => {
    const { before, event } = taken;
    if (event.type !== "screen") return null;
    const [over] = told(taken).filter(({ type }) => OVER.has(type));
    if (!over) return null;
    const { activity } = before.state;
    const turn = "turn" in activity && activity.type !== "ending" ? activity.turn : null;
    const isCut = event.reading.evidence.includes("Interrupted") || turn?.by === "hooks";
    const wanted = turn && isCut && !turn.isRejected ? "turn_interrupted" : "ask:completion_result";
    return over.type === wanted ? null : over.type;
  },
  "an idle screen ends a turn whose end hooks told": ({ before, event, after }) => {
    const isIdle = event.type === "screen" && event.reading.activity === "idle";
    if (!isIdle || before.state.activity.type !== "ending" || before.state.typing.length > 0) return null;
    return after.state.activity.type === "waiting" ? null : after.state.activity.type;
  },
  "a steady idle screen ends any turn": ({ before, event, after }) => {
    const isIdle = event.type === "screen" && event.reading.activity === "idle";
    if (!isIdle || event.stability === "fresh" || before.state.typing.length > 0) return null;
    if (!("turn" in before.state.activity)) return null;
    return after.state.activity.type === "waiting" ? null : after.state.activity.type;
  },
  "whoever is asked to go on is not over, and whoever works goes on": ({ before, event, after, step }) => {
    if (event.type !== "continue" || step.effects.length === 0) return null;
    const { type } = before.state.activity;
    const wanted = BUSY.has(type) ? type : "starting";
    return after.state.activity.type === wanted ? null : after.state.activity.type;
  },
  "what was typed beside an ask changes nothing about it": ({ before, event, after, step }) => {
    if (event.type !== "typed" || event.typing === "choice" || !isAsked(before.state)) return null;
    const isSame = JSON.stringify(after.state.activity) === JSON.stringify(before.state.activity);
    return isSame && step.effects.length === 0 ? null : after.state.activity.type;
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
      // Of what was not known it is the first one.
      const isFirst =
        before.unknown !== null && "turn" in before.activity && before.activity.turn.by === "screen";
      const isNew = wasOver || before.activity.type === "starting";
      const wanted = isNew ? 0 : wasAsking || isFirst ? queued : queued + 1;
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
