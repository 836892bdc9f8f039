/** What the session wants typed. */
import { unchanged } from "../step.js";
import type { Change } from "./change.js";
import type { EventOf } from "./events.js";
import { interruptKeys } from "./program.js";
import { refuse, rule } from "./rule.js";
import { isShellRun, programIn, type OpenAsk } from "./state.js";

/** No prompt has it: an ask whose prompt is known to be gone. */
export const GONE_FINGERPRINT = "";

export const deliver = rule<EventOf<"deliver">>(
  ["same"],
  "typed with care, to the process that is in front now",
  (change, { messageId, force = false }) => {
    change.typing("message");
    change.act({ type: "type_message", messageId, force, addressee: change.addressee });
  },
);

export const refuseNoAgent = rule<EventOf<"deliver">>(
  ["same"],
  "rejected `no_agent`: a message is never typed at a shell",
  ({ state }) => refuse(state, "no_agent", "No agent is in front: a message is never typed at a shell."),
);

export const refusePromptOpen = rule<EventOf<"deliver">>(
  ["same"],
  "rejected `prompt_open`: a message must not answer a prompt",
  ({ state }) => refuse(state, "prompt_open", "The agent asks something, which a message must not answer."),
);

export const continueRun = rule<EventOf<"continue">>(
  ["starting", "same"],
  "an agent is asked to go on; of a program that nobody knows it is not known how",
  (change) => {
    const { state } = change;
    if (programIn(state).type !== "agent") return unchanged(state);
    if (state.activity.type !== "starting") change.become({ type: "starting", first: null });
    typeContinuation(change);
    return undefined;
  },
);

export const continueTurn = rule<EventOf<"continue">>(
  ["same"],
  "an agent is asked to go on when it waits; its turn goes on meanwhile",
  (change) => {
    if (programIn(change.state).type === "agent") typeContinuation(change);
  },
);

function typeContinuation(change: Change): void {
  change.typing("continuation");
  change.act({ type: "type_message", messageId: null, force: false, addressee: change.addressee });
}

export const nothingToContinue = rule<EventOf<"continue">>(
  ["same"],
  "nothing is typed: there is nothing to go on with, or something is asked first",
  ({ state }) => unchanged(state),
);

export const interrupt = rule<EventOf<"interrupt">>(
  ["same"],
  "the keys that interrupt the program in front",
  (change) => {
    change.typing("keys");
    change.act({ type: "press_keys", keys: interruptKeys(programIn(change.state)) });
  },
);

export const nothingToInterrupt = rule<EventOf<"interrupt">>(
  ["same"],
  "no key is pressed: no agent is in front",
  ({ state }) => unchanged(state),
);

export const answer = rule<EventOf<"answer">>(
  ["answering", "same"],
  "chosen while its own prompt is shown; an answer to another ask presses nothing",
  (change, event) => {
    const { state } = change;
    const { activity } = state;
    const isAddressed = state.front !== null || !isShellRun(state);
    if (activity.type !== "asking" || activity.ask.askId !== event.askId || !isAddressed) {
      typeGone(change, event);
      return;
    }
    const { ask, turn } = activity;
    const isRejected = event.decision === "reject";
    change.become({ type: "answering", turn: { ...turn, isRejected }, ask, answer: event.decision });
    change.typing("choice");
    change.act({ ...event, type: "type_choice", ...promptOf(ask), addressee: change.addressee });
  },
);

export const answerGone = rule<EventOf<"answer">>(
  ["same"],
  "its prompt is gone: whoever types finds none, and says so",
  (change, event) => typeGone(change, event),
);

function typeGone(change: Change, event: EventOf<"answer">): void {
  change.typing("choice");
  const gone = { fingerprint: GONE_FINGERPRINT, asked: null, addressee: change.addressee };
  change.act({ ...event, type: "type_choice", ...gone });
}

/** How the prompt of an ask is known. */
function promptOf({ fingerprint, request }: OpenAsk) {
  if (fingerprint !== null || request === null) return { fingerprint, asked: null };
  const { title, detail, note } = request;
  return { fingerprint, asked: { title, detail, note } };
}
