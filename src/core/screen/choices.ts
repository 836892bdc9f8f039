/** The answers that a dialog offers, as they stand on the screen. */
import type { ScreenChoice } from "./reading.js";
import type { Region } from "./view.js";

export const KEYS = {
  enter: "\r",
  esc: "\x1b",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
} as const;

/** One line of a list of options, and those that it goes on in. */
export interface Option {
  readonly row: number;
  /** As the dialog numbers it; null when it does not. */
  readonly number: string | null;
  readonly label: string;
  readonly selected: boolean;
}

/** `❯ 1. Yes`, `› 1. Yes`, `● 1. Yes`, `  2. No`, `↓ 3. More`, with a checkbox or without. */
const NUMBERED = /^(\s*)([❯›●>▶↑↓▲▼]?)\s*(\d{1,2})\.\s+(\S.*)$/u;

/**
 * The numbered options of a region: from the last number back to the first, one after the other. Text between them
 * belongs to the option above it; what stands deeper goes on with its label.
 */
export function numberedOptions(rows: readonly string[], { start, end }: Region): readonly Option[] {
  const options: Option[] = [];
  let wanted: number | null = null;
  for (let row = end - 1; row >= start; row -= 1) {
    const match = NUMBERED.exec(rows[row] ?? "");
    if (!match) continue;
    const [, , glyph = "", number = "", label = ""] = match;
    if (wanted !== null && Number(number) !== wanted) continue;
    options.unshift({ row, number, label: label.trim(), selected: /[❯›●>▶]/u.test(glyph) });
    wanted = Number(number) - 1;
    if (wanted === 0) return options;
  }
  return [];
}

/** What choosing it means for what is asked. */
export function meaningOf(label: string): ScreenChoice["meaning"] {
  const text = label.toLowerCase();
  if (/^(?:no\b|reject|deny|don't|do not|cancel|exit|quit|stop)/.test(text)) return "reject";
  const approves = /^(?:yes\b|allow|approve|always|accept|proceed|confirm|trust)/.test(text);
  if (!approves) return "other";
  // This changes how everything is decided from now on, not only what is asked here.
  if (/auto mode|yolo/.test(text)) return "other";
  const lasting =
    /\balways\b|(?:ask again|never ask)|this session|remember|accept edits|auto-accept|don't ask|all future/;
  return lasting.test(text) ? "approve_always" : "approve";
}

/** In a list that only knows arrows: from the selected option to another one, and Enter. */
export function arrowKeys(selected: number, wanted: number, back: string, forth: string): string {
  const steps = Math.abs(wanted - selected);
  return (wanted < selected ? back : forth).repeat(steps) + KEYS.enter;
}
