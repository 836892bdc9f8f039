import { createTwoFilesPatch } from "diff";

const DIFF_LENGTH_MAX = 200_000;

const OPTIONS = { context: 3, timeout: 1_000 } as const;

function marked(sign: "-" | "+", text: string): string {
  // A person reads no more than the bound; the two halves share it.
  const shown = text.slice(0, DIFF_LENGTH_MAX / 2);
  return shown === "" ? "" : `${shown.replace(/^/gm, sign).replace(/\n[-+]$/, "")}\n`;
}

/** What changes, as a person reads it. */
export function unifiedDiff(path: string, before: string, after: string): string {
  // Too different to be compared in time: all of it goes, and all of it comes.
  const patch =
    createTwoFilesPatch(path, path, before, after, undefined, undefined, OPTIONS) ??
    `--- ${path}\n+++ ${path}\n${marked("-", before)}${marked("+", after)}`;
  // The first line only underlines the file's name.
  const diff = patch.slice(patch.indexOf("--- "));
  return diff.length > DIFF_LENGTH_MAX ? `${diff.slice(0, DIFF_LENGTH_MAX)}\n[The rest is left out.]` : diff;
}
