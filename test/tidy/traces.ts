/** Traces of the machine somebody works on, which must not get into the repository. */
import type { SourceFile } from "./repository.js";

// Put together here, so that this file has no trace itself.
const HOMES = ["work", "home", "root", "Users"].join("|");
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`(?<![\\w.~@/-])/(?:${HOMES})/[\\w.-]+`), "a path of somebody's machine"],
  [new RegExp(`file:///(?:${HOMES})/`), "a path of somebody's machine"],
  [/\bC:\\{1,2}Users\b/, "a path of somebody's machine"],
  [/\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i, "the host of a package registry"],
  [/^\s*(?:@[\w-]+:)?registry\s*=/m, "a setting for a package registry"],
];

/** `path:line` of every trace, and what it is. */
export function tracesIn(file: SourceFile): readonly string[] {
  if (file.text.includes("\0")) return [];
  return file.text.split("\n").flatMap((line, index) => {
    const found = PATTERNS.find(([pattern]) => pattern.test(line));
    return found ? [`${file.path}:${index + 1} has ${found[1]}`] : [];
  });
}
