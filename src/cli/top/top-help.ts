/** What `top` says about its keys. */
import { isNotKnown, isShellSession } from "../../protocol/session-words.js";
import { clipped } from "../plain-text.js";
import { shortIds } from "../session-name.js";
import { openAsk } from "./attention.js";
import type { SessionSummary } from "../../protocol/session.js";
import type { Line, Mode, TopView } from "./top-view.js";

export const HELP_LINES: readonly string[] = [
  "",
  "up, down, j, k   another session",
  "n, Tab           the next one that waits for you",
  "Space, PgDn      the next lines of what it asks; b, PgUp: those before",
  "a                approve once; all of it must have been shown",
  "s, p, A          approve, and allow what is shown under it: in this session, in this project, always",
  "r                reject; you may say what to do instead",
  "m                send a message, or answer a question",
  "f                send a message although what it shows is not understood: look at it first",
  "i, x             interrupt the agent's turn; stop the session",
  "t, u, w          retry after a failure; resume; new turn",
  "c                connect: messages without an ID go to it, marked with *",
  "/                only sessions with these words; Esc ends it",
  "o                open the page in a browser",
  "q, Ctrl-C        leave; agents go on",
  "",
  "Sessions that wait for you come first, then failed ones, then those at work.",
];

const NAMES = { reject: "Reject, and tell the agent", message: "Message", filter: "Filter" } as const;
const HINTS = {
  reject: "Enter rejects, Esc goes back",
  message: "Enter sends, Esc goes back",
  filter: "Enter keeps it, Esc ends it",
} as const;

export const FOOTER_ROWS = 2;

/** One line of news or of writing, and one of keys. */
export function footerLines(view: TopView, cols: number): readonly Line[] {
  const { mode, notice } = view;
  const news: Line = [{ text: clipped(notice, cols) }];
  switch (mode.type) {
    case "list":
      return [news, [{ text: keysLine(view, cols), colour: "dim" }]];
    case "help":
      return [news, [{ text: "any key goes back", colour: "dim" }]];
    case "stop":
      return [
        [{ text: clipped(`Stop ${nameOf(view, mode.sessionId)}?`, cols), colour: "yellow" }],
        [{ text: "y stops it, any other key goes back", colour: "dim" }],
      ];
    case "reject":
    case "message":
    case "filter": {
      const before = `${NAMES[mode.type]}: `;
      // The end is where one writes.
      const text = mode.text.slice(-Math.max(1, cols - before.length - 2));
      return [
        [{ text: before, colour: "bold" }, { text }, { text: " ", inverse: true }],
        [{ text: clipped(hintOf(view, mode), cols), colour: "dim" }],
      ];
    }
  }
}

/** For which session it is: another may be chosen by now. */
function hintOf(view: TopView, mode: Extract<Mode, { readonly text: string }>): string {
  if (mode.type === "filter") return HINTS.filter;
  const anyway = mode.type === "message" && mode.force ? ", whatever it shows" : "";
  return `To ${nameOf(view, mode.sessionId)}${anyway}: ${HINTS[mode.type]}`;
}

function nameOf({ all }: TopView, sessionId: string): string {
  const session = all.find(({ id }) => id === sessionId);
  if (!session) return "a session that is gone";
  return `${shortIds(all.map(({ id }) => id)).get(sessionId) ?? sessionId} ${clipped(session.title, 30)}`;
}

/** The most useful first: the rest is cut off where there is no room. */
function keysLine(view: TopView, cols: number): string {
  const { all } = view;
  const answers = answerKeys(view);
  const keys = all.length === 0 ? ["o page"] : [...answers, "n next waiting", "/ filter", "o page"];
  const always = "? help  q quit";
  const count = keys.findLastIndex(
    (_, index) => `${keys.slice(0, index + 1).join("  ")}  ${always}`.length <= cols,
  );
  return [...keys.slice(0, count + 1), always].join("  ");
}

function answerKeys({ selected, isAskSeen }: TopView): readonly string[] {
  const ask = selected && openAsk(selected);
  if (selected && isShellSession(selected)) return [];
  if (!ask && selected) return restingKeys(selected);
  if (!ask) return [];
  if (ask.atTerminal === true) return [];
  const more = isAskSeen ? [] : ["Space more"];
  if (ask.ask === "followup") return ["m answer", ...more];
  if (!isAskSeen) return [...more, "r reject", "m message"];
  const lasting = ask.suggestions.length > 0 ? ["s session", "p project", "A always"] : [];
  return ["a approve", "r reject", ...lasting, "m message"];
}

function restingKeys(session: SessionSummary): readonly string[] {
  const { showRetryButton, showResumeButton } = session.ui;
  return [
    ...(showRetryButton ? ["t retry"] : []),
    "m message",
    ...(isNotKnown(session) ? ["f send anyway"] : []),
    ...(showResumeButton ? ["u resume"] : []),
  ];
}
