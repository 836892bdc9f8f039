/** What must hold for every step of a session. */
import type { Check, StepCheck } from "./search.js";
import { agentOf, type Ghost } from "./session-ghost.js";
import type { Answered, Taken } from "./session-model.js";
import type { SessionEffect, StateChanged } from "../../src/core/session/effects.js";
import { isRequest, type SessionEvent } from "../../src/core/session/events.js";
import { sessionMachine } from "../../src/core/session/session-machine.js";
import { isUsable, messageLine, openStream, type SessionState } from "../../src/core/session/state.js";

/** Where each cell of the table says that it can lead. */
const TARGETS = new Map(
  sessionMachine.description.rows.flatMap(({ event, cells }) =>
    Object.entries(cells).map(([column, cell]) => [`${event} / ${column}`, cell.to] as const),
  ),
);

/** Of an answer alone, whatever the world around it. */
export const answerChecks: Readonly<Record<string, Check<Answered>>> = {
  "a step lands where its rule says": ({ before, event, after }) => {
    const cell = sessionMachine.locate(before.state, event);
    if (!cell) return before.state === after.state ? null : "a dropped event changed something";
    return TARGETS.get(`${cell.row} / ${cell.column}`)?.includes(after.state.status) === true
      ? null
      : `${cell.row} in ${cell.column} led to ${after.state.status}`;
  },

  "errors, then state changes, then acts": ({ step }) => {
    const ranks = step.effects.map(rank);
    return ranks.every((value, index) => index === 0 || (ranks[index - 1] ?? 0) <= value)
      ? null
      : step.effects.map((effect) => effect.type).join();
  },

  "facts are never rejected, requests never ignored": ({ event, step }) => {
    const wrong = isRequest(event) ? "ignored" : "rejected";
    return step.result === wrong ? step.result : null;
  },

  "a rejected request says so, and nothing else": ({ step }) => {
    if (step.result !== "rejected") return null;
    const [only, ...more] = step.effects;
    const said = only?.type === "emit_session_error" && only.code === step.error?.code;
    return said && more.length === 0 ? null : JSON.stringify(step.effects);
  },

  "every change of status or phase is told, step by step": (taken) => changeFlaw(taken),

  "an error is told when it begins": ({ before, step, after }) => {
    const { error } = after.state;
    if (error === null || JSON.stringify(error) === JSON.stringify(before.state.error)) return null;
    const { code } = error;
    const told = step.effects.some((effect) => effect.type === "emit_session_error" && effect.code === code);
    return told ? null : code;
  },

  "effects act for the current run": (taken) => runFlaw(taken),

  "no fact leaves stopped": ({ before, event, after }) =>
    before.state.status === "stopped" && !isRequest(event) && after.state.status !== "stopped"
      ? after.state.status
      : null,

  "an error names the stream that is open": ({ before, event, step }) => {
    const named = event.type === "harness_stream" ? event.event.streamId : openStream(before.state);
    const wrong = step.effects.find(
      (effect) => effect.type === "emit_session_error" && effect.streamId !== named,
    );
    return wrong ? JSON.stringify(wrong) : null;
  },

  "an idle agent is ended only when nobody else needs its run": ({ before, event, step }) => {
    const stops = step.effects.some((effect) => effect.type === "stop_harness");
    const mayEnd = event.type === "rest_checked" && event.mayRest && before.state.rest?.step === "checking";
    if (event.type === "timer_fired" && event.timerId.startsWith("idle")) return stops ? "unchecked" : null;
    if (event.type !== "rest_checked") return null;
    return stops === (mayEnd && step.result === "ok") ? null : `stops: ${stops}`;
  },

  "the next message resumes who rests, and is first": ({ before, event, step, after }) => {
    const { rest } = before.state;
    if ((rest?.step !== "ending" && rest?.step !== "resting") || event.type !== "send_message") return null;
    const spawned = step.effects.filter((effect) => effect.type === "spawn_harness");
    const isResumed = spawned.length === 1 && spawned[0]?.resume === true;
    const isNext = after.state.queue.join() === event.messageId && after.state.onReady === "message";
    return isResumed && isNext && after.state.rest === null ? null : JSON.stringify(spawned);
  },

  "the files are kept whenever a turn is completed, and only then": ({ before, step, after }) => {
    const wanted = step.effects.filter((effect) => effect.type === "checkpoint").map(({ turn }) => turn);
    const ends = step.effects.filter(
      (effect) => effect.type === "emit_state_changed" && effect.to === "completed",
    ).length;
    const due = ends > 0 && before.state.checkpoints ? [before.state.turn + 1] : [];
    return wanted.join() === due.join() && after.state.turn === before.state.turn + due.length
      ? null
      : `${wanted} but ${due}`;
  },

  "files that could not be kept are told": ({ before, event, step, after }) => {
    if (step.result !== "ok") return null;
    const failed = event.type === "checkpoint_failed" || isCheckpointTimer(event);
    const turn = before.state.checkpoint?.turn ?? null;
    if (failed) return after.state.unsaved?.turn === turn ? null : JSON.stringify(after.state.unsaved);
    const saved = event.type === "say:checkpoint_saved" && event.turn !== undefined;
    const kept = saved ? null : before.state.unsaved;
    return JSON.stringify(kept) === JSON.stringify(after.state.unsaved) ? null : "forgotten";
  },

  "who comes to need a person is told": ({ before, step, after }) => {
    const wasShown = new Set(askIdsForPeople(before.state));
    const shown = askIdsForPeople(after.state).filter((askId) => !wasShown.has(askId));
    const notified = step.effects.filter(
      (effect) => effect.type === "notify" && (effect.reason === "approval" || effect.reason === "question"),
    ).length;
    return shown.length === notified ? null : `${shown.length} shown, ${notified} notified`;
  },

  "asks are voided when they end unanswered": ({ before, event, step, after }) => {
    const left = before.state.asks.filter(
      (ask) => !after.state.asks.some(({ askId }) => askId === ask.askId),
    );
    const told = step.effects.flatMap((effect) => {
      if (effect.type === "void_asks") return effect.reason === event.type ? effect.askIds : ["wrong reason"];
      return effect.type === "answer_ask" ? [effect.askId] : [];
    });
    const closed = event.type === "ask_closed" ? [event.askId] : [];
    const gone = left
      .map((ask) => ask.askId)
      .sort()
      .join();
    return gone === [...told, ...closed].sort().join() || (closed.length > 0 && gone === "") ? null : gone;
  },

  "an ask of the wall closes only by an answer, by the word of its proxy, or with its run": (taken) =>
    wallFlaw(taken),

  "a queued message answers no question": ({ before, event, step }) => {
    const wrong = step.effects.find(
      (effect) =>
        effect.type === "answer_ask" &&
        effect.messageId !== undefined &&
        (messageLine(before.state).includes(effect.messageId) || !isRequest(event)),
    );
    return wrong ? JSON.stringify(wrong) : null;
  },

  "into what nobody understands only what a person forces": ({ before, event, step, after }) => {
    const given = step.effects.find(
      (effect) => effect.type === "deliver_message" || effect.type === "continue_run",
    );
    if (!given) return null;
    const isForced = given.type === "deliver_message" && given.force === true;
    const asked = event.type === "send_message" && event.force === true;
    if (isForced) return asked && before.state.certainty === "unknown" ? null : "forced without need";
    return after.state.certainty === "known" ? null : JSON.stringify(given);
  },

  "an agent that ends leaves a shell": ({ before, event, step, after }) => {
    const ends = event.type === "agent_ended" && before.state.agent?.start === event.start;
    if (!ends || step.result !== "ok") return null;
    return after.state.status === "idle" ? null : after.state.status;
  },

  "an unknown screen that is still is told once": ({ before, event, step }) => {
    const told = step.effects.some(
      (effect) => effect.type === "notify" && effect.reason === "unknown_screen",
    );
    const due =
      event.type === "screen_still" &&
      before.state.certainty === "unknown" &&
      !before.state.unknownNotified &&
      isUsable(before.state);
    return told === due ? null : `told: ${told}`;
  },

  "auto mode answers only what no rule decides": ({ before, event, step }) => {
    const answer = step.effects.find((effect) => effect.type === "answer_ask" && effect.by === "auto");
    if (!answer) return null;
    const right =
      event.type === "permission_resolved" && event.verdict === "none" && before.state.approve === "auto";
    return right ? null : JSON.stringify(event);
  },

  "the wall answers only what it contains, and never where all is to be asked": ({ before, event, step }) => {
    const answer = step.effects.find((effect) => effect.type === "answer_ask" && effect.by === "wall");
    if (!answer) return null;
    const right =
      event.type === "permission_resolved" && event.verdict === "contained" && before.state.approve !== "ask";
    return right ? null : JSON.stringify(event);
  },
};

type SessionStepCheck = StepCheck<SessionState, SessionEvent, SessionEffect, Ghost>;

/** Whether the machine wants any of these done. */
function wants(...types: readonly SessionEffect["type"][]): (answered: Answered) => boolean {
  return ({ step }) => step.effects.some(({ type }) => types.includes(type));
}

/** Of a step in its world. */
export const stepChecks: Readonly<Record<string, SessionStepCheck>> = {
  "a failure is not followed by completed": {
    about: ({ event, after }) => !isRequest(event) && after.state.status === "completed",
    check: ({ before, after }) => (before.ghost.failed && after.ghost.failed ? "completed" : null),
  },

  "an ask is answered at most once, and never after it was dropped": {
    about: wants("answer_ask"),
    check: ({ before, step }) => {
      for (const effect of step.effects) {
        if (effect.type !== "answer_ask") continue;
        if (before.ghost.finished.includes(`${effect.run}:${effect.askId}`))
          return `${effect.askId} was finished`;
        if (!before.state.asks.some((ask) => ask.askId === effect.askId))
          return `${effect.askId} is not open`;
      }
      return null;
    },
  },

  "messages go only to a usable, idle run": {
    about: wants("deliver_message", "continue_run"),
    check: (taken) => handOverFlaw(taken),
  },

  "nothing is handed over while the files of a turn are being kept": {
    about: wants("deliver_message", "continue_run"),
    check: ({ before, event, step }) => {
      if (before.ghost.saving === null) return null;
      const isSettled =
        event.type === "say:checkpoint_saved" ||
        event.type === "checkpoint_failed" ||
        isCheckpointTimer(event);
      const given = step.effects.find(
        (effect) => effect.type === "deliver_message" || effect.type === "continue_run",
      );
      return isSettled ? null : JSON.stringify(given);
    },
  },

  "a message is given again only when it was not proven taken": {
    about: wants("deliver_message", "spawn_harness"),
    check: ({ before, step }) => {
      const again = step.effects.find((effect) => {
        if (effect.type !== "deliver_message" && effect.type !== "spawn_harness") return false;
        return effect.messageId !== undefined && before.ghost.messages[effect.messageId]?.fate === "taken";
      });
      return again ? JSON.stringify(again) : null;
    },
  },

  "facts alone do not respawn for ever": {
    about: wants("spawn_harness"),
    check: ({ before, event, step }) => {
      const spawns = step.effects.some((effect) => effect.type === "spawn_harness");
      if (!spawns || isRequest(event)) return null;
      const agent = agentOf(before.ghost, before.state.run);
      return agent?.byFact === true && !agent.acted ? "a run that did nothing led to another" : null;
    },
  },

  "no message goes to anybody else than the one it is for": {
    about: wants("deliver_message", "spawn_harness", "answer_ask"),
    check: ({ before, event, step }) => {
      if (before.state.addressee === "conversation") return null;
      const given = step.effects.find((effect) => {
        if (
          effect.type !== "deliver_message" &&
          effect.type !== "spawn_harness" &&
          effect.type !== "answer_ask"
        )
          return false;
        if (effect.messageId === undefined) return false;
        const isNew = "messageId" in event && isRequest(event) && event.messageId === effect.messageId;
        const owner = isNew ? before.state.agent?.start : before.ghost.messages[effect.messageId]?.owner;
        const front = agentOf(before.ghost, effect.run)?.front;
        return effect.type === "spawn_harness" || front === undefined || owner !== front;
      });
      return given ? JSON.stringify(given) : null;
    },
  },

  "a message comes back once, and the whole line with its agent": {
    about: ({ before, step, after }) =>
      before.state.agent?.start !== after.state.agent?.start ||
      step.effects.some(({ type }) => type === "return_messages"),
    check: ({ before, event, step, after }) => {
      if (before.state.addressee === "conversation")
        return step.effects.some((effect) => effect.type === "return_messages") ? "of a conversation" : null;
      const back = step.effects.flatMap((effect) =>
        effect.type === "return_messages" ? effect.messageIds : [],
      );
      const again = back.find((messageId) => before.ghost.messages[messageId]?.fate === "back");
      if (again !== undefined) return `${again} came back before`;
      if (before.state.agent === null || before.state.agent.start === after.state.agent?.start) return null;
      const line = messageLine(before.state);
      // An answer that could not be handed over comes back too.
      const failed = event.type === "effect_failed" ? event.effect.messageId : undefined;
      const ofLine = back.filter((messageId) => messageId !== failed || line.includes(messageId));
      return ofLine.join() === line.join() && messageLine(after.state).length === 0
        ? null
        : `${back} of ${line} at ${event.type}`;
    },
  },
};

function askIdsForPeople({ asks, wallAsks }: SessionState): readonly string[] {
  return [...asks.filter((ask) => ask.needsHuman), ...wallAsks].map((ask) => ask.askId);
}

function wallFlaw({ before, event, step, after }: Answered): string | null {
  const isOpen = (askId: string): boolean => before.state.wallAsks.some((ask) => ask.askId === askId);
  const answered = step.effects.flatMap((effect) => (effect.type === "answer_wall" ? [effect.askId] : []));
  const strange = answered.find((askId) => !isOpen(askId));
  if (strange !== undefined) return `${strange} is not open`;
  if (answered.length > 0 && !isRequest(event)) return "no person answered it";
  const { run } = before.state;
  if (!isUsable(after.state) || after.state.run !== run) return null;
  const closed = event.type === "wall_closed" ? [event.askId] : [];
  const left = [...after.state.wallAsks.map((ask) => ask.askId), ...answered, ...closed];
  const wrong = before.state.wallAsks.find(({ askId }) => !left.includes(askId));
  return wrong ? `${wrong.askId} at ${event.type}` : null;
}

function isCheckpointTimer(event: SessionEvent): boolean {
  return event.type === "timer_fired" && event.timerId.startsWith("checkpoint");
}

function rank(effect: SessionEffect): number {
  if (effect.type === "emit_session_error") return 0;
  return effect.type === "emit_state_changed" ? 1 : 2;
}

function changeFlaw({ before, step, after }: Answered): string | null {
  const changes = step.effects.filter(
    (effect): effect is StateChanged => effect.type === "emit_state_changed",
  );
  let status = before.state.status;
  let phase = before.state.phase;
  for (const change of changes) {
    if (change.from !== status || change.fromPhase !== phase)
      return `from ${change.from}, but it was ${status}`;
    if (change.to === status && change.toPhase === phase) return `${status} to itself`;
    status = change.to;
    phase = change.toPhase;
  }
  return status === after.state.status && phase === after.state.phase
    ? null
    : `told ${status}, is ${after.state.status}`;
}

function runFlaw({ before, step, after }: Answered): string | null {
  for (const effect of step.effects) {
    if (!("run" in effect)) continue;
    const { run } = after.state;
    if (effect.type === "spawn_harness" && run !== before.state.run + 1) return `run ${run} is not new`;
    const ofTheOneBefore = effect.type === "stop_harness" && effect.run === before.state.run;
    if (effect.run !== run && !ofTheOneBefore) return JSON.stringify(effect);
  }
  return null;
}

function handOverFlaw({ before, event, step }: Taken): string | null {
  const given = step.effects.find(
    (effect) => effect.type === "deliver_message" || effect.type === "continue_run",
  );
  if (!given || !("run" in given)) return null;
  // Whoever sends anyway has looked: the run may be anything, but nothing else is on its way.
  if (given.type === "deliver_message" && given.force === true)
    return before.state.delivering === null ? null : "a message is on its way already";
  // The event itself may end the turn or make the run ready.
  const agent = agentOf(before.ghost, given.run);
  if (agent?.life !== "up" || agent.told) return `run ${given.run} cannot take it`;
  const endsTurn = event.type === "ask:completion_result" || event.type === "effect_failed";
  if (agent.shown && !endsTurn) return "the run is in a turn";
  if (!agent.ready && event.type !== "session_created" && !agent.acted && !endsTurn)
    return "the run is not ready";
  return before.state.delivering !== null && !endsTurn ? "a message is on its way already" : null;
}
