/** What was really so, from when until when. */
import type { TruthEntry } from "../model-server/truth.js";

export type Truth =
  | "working"
  | "approval"
  | "question"
  /** Its model wants something that a person must allow, and its terminal does not show it yet. */
  | "about_to_ask"
  /** Nothing more is to come of its model, and its terminal still shows work. */
  | "about_to_rest"
  /** The turn is over. */
  | "idle"
  /** The turn failed for good. */
  | "failed"
  /** The agent's process is gone. */
  | "ended"
  /** The agent's process is gone, and the shell that it ran in is all that is left. */
  | "shell"
  /** A program that nobody knows does something: only that this is not known can be known. */
  | "unknowable"
  /** Such a program waits for a person, as its screen's structure shows: to say so is right, and so is not to know. */
  | "unknowable_question";

export interface Segment {
  /** What was played, for whoever wants to know. */
  readonly scene?: string;
  readonly truth: Truth;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What the script itself did. */
export type Deed =
  | "sent"
  /** Seen by the script at the agent's terminal. */
  | "asked"
  | "answered"
  | "interrupted"
  | "killed"
  /** Killed, in a shell that goes on. */
  | "left_in_shell";

export interface Mark {
  readonly atMs: number;
  readonly deed: Deed;
}

/** What a prompt leads to, where the model alone does not know. */
export interface Expectation {
  /** Its tool calls wait for a person. */
  readonly asks: "approval" | "question" | null;
  /** The agent gives up after an error of the model. */
  readonly fails: boolean;
}

type Happening = { readonly atMs: number } & (
  { readonly what: Deed } | { readonly what: TruthEntry["what"] }
);

/** The truth from the first mark until `endMs`, without two equal neighbours. */
export function segmentsOf(
  allMarks: readonly Mark[],
  model: readonly TruthEntry[],
  expectation: Expectation,
  endMs: number,
): readonly Segment[] {
  const marks = withoutLateDialogs(allMarks);
  const happenings: Happening[] = [...marks.map(({ atMs, deed }) => ({ atMs, what: deed })), ...model];
  happenings.sort((one, other) => one.atMs - other.atMs);
  const lastError = happenings.findLast(({ what }) => what === "error" || what === "dropped");
  const isSeen = marks.some(({ deed }) => deed === "asked");
  const segments: { truth: Truth; fromMs: number; untilMs: number }[] = [];
  for (const happening of happenings) {
    const { atMs, what } = happening;
    const last = segments.at(-1);
    // An agent may try again before it gives up.
    const fails = expectation.fails && happening === lastError;
    const after = truthAfter(what, last?.truth ?? "idle", { ...expectation, fails });
    const isToBeSeen = isSeen && what === "tool_call_sent" && expectation.asks !== null;
    const truth = isToBeSeen && after === expectation.asks ? "about_to_ask" : after;
    if (truth === last?.truth) continue;
    if (last) last.untilMs = atMs;
    segments.push({ truth, fromMs: atMs, untilMs: endMs });
  }
  return segments.filter(({ fromMs, untilMs }) => untilMs > fromMs);
}

/** An agent that says what it asks before it draws it can have its answer by then: the dialog waits for nobody. */
function withoutLateDialogs(marks: readonly Mark[]): readonly Mark[] {
  const answeredAtMs = marks.find(({ deed }) => deed === "answered")?.atMs ?? Infinity;
  return marks.filter(({ deed, atMs }) => deed !== "asked" || atMs <= answeredAtMs);
}

/** The same, with each rest beginning only where the agent's terminal shows it; null: that cannot be told. */
export function restsWhenShown(
  segments: readonly Segment[],
  restedAtMs: (fromMs: number) => number | null,
): readonly Segment[] {
  return segments.flatMap((segment) => {
    const { truth, fromMs, untilMs } = segment;
    const isRest = truth === "idle" || truth === "failed";
    const atMs = isRest ? Math.min(restedAtMs(fromMs) ?? fromMs, untilMs) : fromMs;
    if (atMs <= fromMs) return [segment];
    const first: Segment = { ...segment, truth: "about_to_rest", untilMs: atMs };
    return atMs < untilMs ? [first, { ...segment, fromMs: atMs }] : [first];
  });
}

function truthAfter(what: Happening["what"], before: Truth, { asks, fails }: Expectation): Truth {
  // What was still on its way when the agent ended, or was told to stop, changes nothing.
  if ((before === "ended" || before === "shell") && what !== "sent") return before;
  switch (what) {
    case "sent":
    case "answered":
    case "request":
    case "streaming":
      return "working";
    case "tool_call_sent":
    case "asked":
      return asks ?? "working";
    case "done":
      return "idle";
    case "error":
    case "dropped":
      return fails ? "failed" : "working";
    case "interrupted":
      return "idle";
    case "hung_up":
      return before;
    case "killed":
      return "ended";
    case "left_in_shell":
      return "shell";
  }
}
