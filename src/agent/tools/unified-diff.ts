import { createTwoFilesPatch } from "diff";

const DIFF_LENGTH_MAX = 200_000;

/** What changes, as a person reads it. */
export function unifiedDiff(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: 3 });
  // The first line only underlines the file's name.
  const diff = patch.slice(patch.indexOf("--- "));
  return diff.length > DIFF_LENGTH_MAX ? `${diff.slice(0, DIFF_LENGTH_MAX)}\n[The rest is left out.]` : diff;
}
