/** Changes to files as text that a person reads. */
import { listAt, numberAt, objectsAt, textAt, type WireObject } from "./wire-object.js";

/** A unified diff of what a tool has done, or null when it changed no file. */
export function diffOfResult(result: WireObject): string | null {
  const path = textAt(result, "filePath");
  if (path === null) return null;
  const hunks = objectsAt(result, "structuredPatch").map(hunkText);
  if (hunks.length > 0) return unified(path, path, hunks);
  const content = result["content"];
  if (textAt(result, "type") !== "create" || typeof content !== "string") return null;
  const lines = linesOf(content);
  return unified("/dev/null", path, [`@@ -0,0 +1,${lines.length} @@\n${marked("+", lines)}`]);
}

function unified(before: string, after: string, hunks: readonly string[]): string {
  return [`--- ${before}`, `+++ ${after}`, ...hunks].join("\n");
}

function hunkText(hunk: WireObject): string {
  const at = (key: string) => numberAt(hunk, key) ?? 0;
  const head = `@@ -${at("oldStart")},${at("oldLines")} +${at("newStart")},${at("newLines")} @@`;
  const lines = listAt(hunk, "lines").filter((line) => typeof line === "string");
  return [head, ...lines].join("\n");
}

/** What a replacement would change; lines that stay the same at its ends are shown once. */
export function replacementText(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === fresh.at(-1 - end)) end += 1;
  const parts = [
    marked(" ", old.slice(0, start)),
    marked("-", old.slice(start, old.length - end)),
    marked("+", fresh.slice(start, fresh.length - end)),
    marked(" ", end === 0 ? [] : old.slice(-end)),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** Lines of a new file. */
export function additionText(content: string): string {
  return marked("+", linesOf(content));
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function marked(mark: string, lines: readonly string[]): string {
  return lines.map((line) => `${mark}${line}`).join("\n");
}
