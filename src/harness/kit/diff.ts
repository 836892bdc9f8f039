/** What changes in a text, line by line. Pure: the bound is one of work, not of time, so that a line read again says the same. */
import { structuredPatch } from "diff";

/** Lines that stay around each change. */
const CONTEXT_LINES = 3;
/** Texts that differ in more lines are not compared further: all of the one goes, all of the other comes. */
const CHANGES_MAX = 400;

/** As `diff -u` writes it; `before` null: there was no such file. Empty where nothing changes. */
export function unifiedDiff(path: string, before: string | null, after: string): string {
  if (before === after) return "";
  const hunks = hunksOf(before ?? "", after, CONTEXT_LINES).map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines].join("\n"),
  );
  return `${[`--- ${before === null ? "/dev/null" : path}`, `+++ ${path}`, ...hunks].join("\n")}\n`;
}

/** The lines of a part that is replaced, with a sign before each; those that stay are shown once. */
export function replacedLines(before: string, after: string): string {
  if (before === after) return markedLines(" ", before);
  return hunksOf(ended(before), ended(after), Number.MAX_SAFE_INTEGER)
    .flatMap(({ lines }) => lines)
    .join("\n");
}

export function markedLines(mark: " " | "+" | "-", text: string): string {
  return linesIn(text)
    .map((line) => `${mark}${line}`)
    .join("\n");
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function hunksOf(before: string, after: string, context: number): readonly Hunk[] {
  const options = { context, maxEditLength: CHANGES_MAX };
  const patch = structuredPatch("", "", before, after, undefined, undefined, options);
  return patch?.hunks ?? [wholeHunk(linesIn(before), linesIn(after))];
}

function wholeHunk(before: readonly string[], after: readonly string[]): Hunk {
  const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
}

/** Where a part is cut out says nothing of the end of a line. */
function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function linesIn(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** Nothing stands after the line before. */
function range(start: number, length: number): string {
  return `${length === 0 ? start - 1 : start},${length}`;
}
