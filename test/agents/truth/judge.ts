/** How far what was shown was true. */
import type { Status } from "../../../src/core/index.js";
import type { Segment, Truth } from "./segments.js";

/** From this time on, this was shown; null: nothing was. */
export interface Shown<S extends string = Status> {
  readonly atMs: number;
  readonly status: S | null;
  /** Unknown: the status is the last that was proven, and is shown as such. Absent: known. */
  readonly certainty?: "known" | "unknown";
}

export interface Verdict {
  readonly totalMs: number;
  readonly wrongMs: number;
  /** Shown as not known, where something could be known: neither right nor wrong. */
  readonly unknownMs: number;
  /** How often it was shown as idle while it worked or waited for a person. */
  readonly falseIdles: number;
  /** Asks that were never shown before they were answered. */
  readonly missedAsks: number;
  readonly asks: number;
  /** The wrong stretches, for whoever wants to know. */
  readonly faults: readonly Fault[];
}

export interface Fault {
  /** What was played. */
  readonly scene?: string;
  readonly truth: Truth;
  /** How long it had been true. */
  readonly afterMs: number;
  /** Null: nothing; shown as known, or else there is no fault in it. */
  readonly shown: string | null;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What may be shown, as known, for what is true. */
export const RIGHT: Readonly<Record<Truth, readonly string[]>> = {
  working: ["creating", "streaming"],
  approval: ["waiting_approval"],
  question: ["waiting_input"],
  about_to_ask: ["creating", "streaming", "waiting_approval", "waiting_input"],
  about_to_rest: ["creating", "streaming", "completed", "paused", "error"],
  idle: ["completed", "paused"],
  failed: ["error"],
  ended: ["error", "stopped"],
  shell: ["idle"],
  unknowable: [],
  unknowable_question: ["waiting_input", "waiting_approval"],
};
/** Where not to know is the truth. */
const UNKNOWABLE: readonly Truth[] = ["unknowable", "unknowable_question"];
const IDLE: readonly string[] = ["completed", "paused", "stopped", "idle"];
const NOT_IDLE: readonly Truth[] = ["working", "approval", "question", "about_to_ask"];

/** `graceMs`: for so long after the truth has changed, what was true before may still be shown. */
export function judge(
  segments: readonly Segment[],
  shown: readonly Shown<string>[],
  graceMs: number,
  right: Readonly<Record<Truth, readonly string[]>> = RIGHT,
): Verdict {
  const faults = segments.flatMap((segment, index) => {
    const before = segments[index - 1]?.truth;
    return stretches(shown, segment).flatMap((stretch): readonly Fault[] => {
      if (stretch.isUnknown || right[segment.truth].includes(stretch.shown ?? "")) return [];
      const isLate = before === undefined || right[before].includes(stretch.shown ?? "");
      const fromMs = Math.max(stretch.fromMs, segment.fromMs + (isLate ? graceMs : 0));
      // An agent that wakes by itself knows so before its model does.
      const isEarly = isWoken(segment, segments[index + 1]) && right.working.includes(stretch.shown ?? "");
      const untilMs = isEarly ? Math.min(stretch.untilMs, segment.untilMs - graceMs) : stretch.untilMs;
      if (fromMs >= untilMs) return [];
      const { truth, scene } = segment;
      const where = { ...(scene === undefined ? {} : { scene }), afterMs: fromMs - segment.fromMs };
      return [{ ...where, truth, shown: stretch.shown, fromMs, untilMs }];
    });
  });
  const asks = segments.filter(({ truth }) => truth === "approval" || truth === "question");
  // One that is answered as soon as it is shown can be both within the same millisecond.
  const missed = asks.filter(
    (segment) =>
      !stretches(shown, { ...segment, untilMs: segment.untilMs + 1 }).some(
        (stretch) => !stretch.isUnknown && right[segment.truth].includes(stretch.shown ?? ""),
      ),
  );
  return {
    totalMs: sum(segments.map(({ fromMs, untilMs }) => untilMs - fromMs)),
    wrongMs: sum(faults.map(({ fromMs, untilMs }) => untilMs - fromMs)),
    unknownMs: sum(
      segments
        .filter(({ truth }) => !UNKNOWABLE.includes(truth))
        .flatMap((segment) => stretches(shown, segment))
        .map(({ isUnknown, fromMs, untilMs }) => (isUnknown ? untilMs - fromMs : 0)),
    ),
    falseIdles: faults.filter((fault) => NOT_IDLE.includes(fault.truth) && IDLE.includes(fault.shown ?? ""))
      .length,
    missedAsks: missed.length,
    asks: asks.length,
    faults,
  };
}

function isWoken({ truth, scene }: Segment, next: Segment | undefined): boolean {
  return truth === "idle" && next?.truth === "working" && next.scene === scene;
}

/** Several verdicts as one. */
export function together(one: Verdict, other: Verdict): Verdict {
  return {
    totalMs: one.totalMs + other.totalMs,
    wrongMs: one.wrongMs + other.wrongMs,
    unknownMs: one.unknownMs + other.unknownMs,
    falseIdles: one.falseIdles + other.falseIdles,
    missedAsks: one.missedAsks + other.missedAsks,
    asks: one.asks + other.asks,
    faults: [...one.faults, ...other.faults],
  };
}

interface Stretch {
  readonly shown: string | null;
  readonly isUnknown: boolean;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What was shown during a segment, cut to it. */
function stretches(shown: readonly Shown<string>[], { fromMs, untilMs }: Segment): readonly Stretch[] {
  const found: Stretch[] = [];
  const first = shown.findLastIndex(({ atMs }) => atMs <= fromMs);
  for (let index = Math.max(first, 0); index < shown.length; index += 1) {
    const here = shown[index];
    if (!here || here.atMs >= untilMs) break;
    const start = Math.max(here.atMs, fromMs);
    const end = Math.min(shown[index + 1]?.atMs ?? Infinity, untilMs);
    // Before the first thing was shown, nothing was.
    if (found.length === 0 && start > fromMs)
      found.push({ shown: null, isUnknown: false, fromMs, untilMs: start });
    const isUnknown = here.certainty === "unknown";
    if (end > start) found.push({ shown: here.status, isUnknown, fromMs: start, untilMs: end });
  }
  return found.length > 0 ? found : [{ shown: null, isUnknown: false, fromMs, untilMs }];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
