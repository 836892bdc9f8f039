/** What came of what was typed. */
import type { Change } from "./change.js";
import type { EventOf } from "./events.js";
import { rule } from "./rule.js";
import { shownDialog } from "./screen-rules.js";
import { turnIn, type TerminalState } from "./state.js";

type Typed = EventOf<"typed">;
type Kind = TerminalState["typing"][number];

/** What the oldest typing of this kind was: a message, or the request to go on. */
export function typedKind({ typing }: Pick<TerminalState, "typing">, event: Typed): Kind {
  if (event.typing !== "message") return event.typing;
  return typing.find((kind) => kind === "message" || kind === "continuation") ?? "message";
}

function finish(change: Change, event: Typed): void {
  const { typing } = change.state;
  const at = typing.indexOf(typedKind(change.state, event));
  if (at >= 0) change.set({ typing: typing.toSpliced(at, 1) });
}

export const typingDone = rule<Typed>(["same"], "nothing more is known by it", (change, event) =>
  finish(change, event),
);

export const messageTaken = rule<Typed>(
  ["given"],
  "a turn begins; if nobody understands the screen, no more is known than that",
  (change, event) => {
    const isUnknown = change.state.unknown !== null;
    finish(change, event);
    change.begin("screen", false);
    if (isUnknown) change.becomeUnknown();
  },
);

export const messageTakenInTurn = rule<Typed>(
  ["same"],
  "the turn goes on; if nobody understands the screen, nobody else tells that it was taken",
  (change, event) => {
    finish(change, event);
    if (change.state.unknown === null) return;
    change.known();
    change.tell({ type: "api_req_started" });
    change.becomeUnknown();
  },
);

export const continuationRefused = rule<Typed>(
  ["waiting"],
  "it does not go on after all, which nobody else tells",
  (change, event) => {
    finish(change, event);
    change.over("completed", "waiting");
  },
);

export const choiceTaken = rule<Typed>(
  ["working"],
  "the turn goes on; should the prompt still be there, it is asked anew",
  (change, event) => {
    finish(change, event);
    change.forgetAsk();
  },
);

export const choiceRefused = rule<Typed>(
  ["working", "asking"],
  "nothing was answered: what is still shown is asked anew, a dialog that only the terminal can answer at once",
  (change, event) => {
    finish(change, event);
    const ask = change.forgetAsk();
    takeBackNo(change);
    if (ask?.basis === "structure" && ask.shown) {
      const { fingerprint, shown, basis, request } = ask;
      change.openAsk(shownDialog(shown.title, shown.detail), { fingerprint, shown, basis, request });
    } else if (ask?.request && ask.fingerprint === null) {
      // What could not be answered unseen is asked again when its prompt is seen.
      change.set({ requests: [ask.request, ...change.state.requests] });
    }
  },
);

export const lateChoiceRefused = rule<Typed>(
  ["same"],
  "nothing was answered: no no of ours",
  (change, event) => {
    finish(change, event);
    takeBackNo(change);
  },
);

function takeBackNo(change: Change): void {
  const { activity } = change.state;
  const turn = turnIn(change.state);
  if (turn?.isRejected && "turn" in activity)
    change.become({ ...activity, turn: { ...turn, isRejected: false } });
}
