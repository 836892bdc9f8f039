/** What a tool printed, as lines for a terminal. */
import { plainText } from "./plain-text.js";
import { leading } from "./text-width.js";

/** How many of its last lines are shown, unless somebody wants all. */
const LINES_SHOWN = 20;

/** Without what steers a terminal. Of a line that was written over again and again, its last form. */
export function outputLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => plainText(lastForm(line)).replace(/\t/g, "    ").trimEnd());
  while (lines.at(-1) === "") lines.pop();
  return lines.slice(
    Math.max(
      0,
      lines.findIndex((line) => line !== ""),
    ),
  );
}

function lastForm(line: string): string {
  return line.split("\r").findLast((form) => form.trim() !== "") ?? "";
}

/** Indented, under the line that names the tool. */
export function shownOutput(lines: readonly string[], isWhole: boolean): readonly string[] {
  const shown = isWhole ? lines : lines.slice(-LINES_SHOWN);
  const left = lines.length - shown.length;
  const more = left === 1 ? "1 more line" : `${left} more lines`;
  const note = left === 0 ? [] : [`  … ${more} above; signalbox logs --full shows all`];
  return [...note, ...shown.map((line) => `  ${line}`)];
}

export interface ScreenSize {
  readonly cols: number;
  readonly rows: number;
}

/** Room for the line that names the tool, and for the cursor: what has left the screen cannot be written over. */
const OTHER_ROWS = 3;

/** The same while the tool still runs: each takes one row of the terminal. */
export function liveOutput(lines: readonly string[], { cols, rows }: ScreenSize): readonly string[] {
  const count = Math.max(1, Math.min(LINES_SHOWN, rows - OTHER_ROWS));
  return lines.slice(-count).map((line) => leading(`  ${line}`, Math.max(2, cols - 1)));
}

/** As text: what a tool answers may be any JSON value. */
export function outputText(output: unknown): string {
  if (typeof output === "string") return output;
  return output === undefined || output === null ? "" : JSON.stringify(output, null, 2);
}
