/** What a change of files will do, for a person and for the permission rules. */
import type { Json } from "../../core/index.js";
import { cut } from "../cut.js";
import { asFields, asList, asText } from "./read-json.js";

export interface FileChanges {
  /** Every file that it writes, moves or deletes; null when there are too many to keep. */
  readonly paths: readonly string[] | null;
  /** Unified, for a person; its end may be cut off. */
  readonly diff: string;
}

const PATHS_MAX = 500;
const DIFF_LENGTH_MAX = 60_000;

/** A rule must see every file: an incomplete list would let the rest pass unseen. */
export function fileChanges(changes: Json | undefined, cwd: string): FileChanges {
  const paths = asList(changes).flatMap((change) => pathsOf(change));
  const complete = paths.length > 0 && paths.length <= PATHS_MAX && !paths.includes(null);
  return {
    paths: complete ? [...new Set(paths.filter((path) => path !== null))] : null,
    diff: cut(unifiedDiff(changes, cwd), DIFF_LENGTH_MAX),
  };
}

export function unifiedDiff(changes: Json | undefined, cwd: string): string {
  return asList(changes)
    .map((change) => oneDiff(asFields(change), cwd))
    .join("");
}

/** Older versions ask with changes by path, in words of their own. */
export function changesByPath(fileChanges: Json | undefined): Json {
  return Object.entries(asFields(fileChanges)).map(([path, change]) => {
    const { type = null, content, unified_diff, move_path } = asFields(change);
    return { path, kind: { type, move_path: move_path ?? null }, diff: content ?? unified_diff ?? "" };
  });
}

function pathsOf(change: Json): readonly (string | null)[] {
  const { path, kind } = asFields(change);
  const target = asText(asFields(kind)["move_path"]);
  return target === null ? [asText(path)] : [asText(path), target];
}

function oneDiff(change: Readonly<Record<string, Json>>, cwd: string): string {
  const path = shortPath(asText(change["path"]) ?? "?", cwd);
  const kind = asFields(change["kind"]);
  const text = asText(change["diff"]) ?? "";
  switch (kind["type"]) {
    case "add":
      return `--- /dev/null\n+++ b/${path}\n${wholeFile(text, "+")}`;
    case "delete":
      return `--- a/${path}\n+++ /dev/null\n${wholeFile(text, "-")}`;
    default: {
      const target = asText(kind["move_path"]);
      const hunks = target === null ? text : text.replace(/\n*Moved to: [^\n]*\n?$/, "\n");
      return `--- a/${path}\n+++ b/${target === null ? path : shortPath(target, cwd)}\n${ended(hunks)}`;
    }
  }
}

/** Codex gives the whole text of a file that is added or deleted. */
function wholeFile(text: string, sign: "+" | "-"): string {
  if (text === "") return "";
  const lines = text.replace(/\n$/, "").split("\n");
  const range = lines.length === 1 ? "1" : `1,${lines.length}`;
  const head = sign === "+" ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`;
  const end = text.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return `${head}\n${lines.map((line) => `${sign}${line}\n`).join("")}${end}`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function shortPath(path: string, cwd: string): string {
  return path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
}
