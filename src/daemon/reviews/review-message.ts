import type { Comment } from "../../protocol/review.js";

/** Comments on changes as one message: for each its file, lines, the code that it was made on, and its words. */
export function reviewMessage(text: string | null, comments: readonly Comment[]): string {
  const count = `${comments.length} comment${comments.length === 1 ? "" : "s"}`;
  const head = comments.length === 0 ? "Review of your changes." : `Review of your changes: ${count}.`;
  return [head, ...(text === null ? [] : [text]), ...comments.map(oneComment)].join("\n\n");
}

function oneComment(comment: Comment, index: number): string {
  const { path, startLine, endLine, side, quoted, text, outdated } = comment;
  const lines = startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
  const where = side === "old" ? `${lines} as it was before your changes` : lines;
  const since = outdated === true ? " (the file has changed since this comment was made)" : "";
  const fence = "`".repeat(Math.max(3, longestRun(quoted) + 1));
  const left = endLine - startLine + 1 - quoted.length;
  return [
    `${index + 1}. ${onOneLine(path)}, ${where}${since}:`,
    fence,
    ...quoted,
    ...(left > 0 ? [`… ${left} more line${left === 1 ? "" : "s"}`] : []),
    fence,
    text,
  ].join("\n");
}

/** Of backticks: code must not end its own fence. */
function longestRun(lines: readonly string[]): number {
  let longest = 0;
  for (const line of lines) for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function onOneLine(path: string): string {
  return /[\p{Cc}]/u.test(path) ? JSON.stringify(path) : path;
}
