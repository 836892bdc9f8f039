/**
 * Changes as a text in which a person writes comments: the diff as it is, and beneath its lines lines that begin with `>`.
 *
 * `>` speaks of the line above it, `>3` of the three above it; lines that follow each other are one comment. Above the
 * first file it is said of the whole change. No line of a diff begins with `>` or `#`.
 */
import type { FileChangeItem } from "../protocol/changes.js";
import { PatchReader, type PatchLine } from "../protocol/patch.js";
import type { AddComment } from "../protocol/review.js";

export interface ReviewText {
  /** Of the whole change; null: nothing. */
  readonly text: string | null;
  readonly comments: readonly AddComment[];
}

/** What is wrong with it, and in which line. */
export class ReviewFlaw extends Error {
  override readonly name = "ReviewFlaw";
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(`line ${line}: ${message}`);
  }
}

export const INSTRUCTIONS = [
  "# Write a comment beneath the line that it is about, on a line that begins with >",
  "# >3 speaks of the three lines above it. Lines with > that follow each other are one comment.",
  "# Here, above the first file, a line with > is said of the whole change.",
  "# Leave all other lines as they are. Without any comment, nothing is sent.",
] as const;

export function reviewText(lines: readonly string[], open: number): string {
  const left =
    open === 0 ? [] : [`# ${open} open comment${open === 1 ? "" : "s"} will be sent with what you write.`];
  return [...INSTRUCTIONS, ...left, "", ...lines, ""].join("\n");
}

/** Whether the list and the diff tell of the same contents: both were read, but not at once. */
export function isSameChange(lines: readonly string[], files: readonly FileChangeItem[]): boolean {
  const reader = new PatchReader();
  let at = -1;
  const isSame = lines.every((text) => {
    const line = reader.read(text);
    if (line.type === "file") at += 1;
    const index = line.type === "head" ? /^index ([0-9a-f]+)\.\.([0-9a-f]+)/.exec(line.text) : null;
    if (!index) return true;
    const file = files[at];
    return isShort(index[1] ?? "", file?.oldBlob) && isShort(index[2] ?? "", file?.newBlob);
  });
  return isSame && at + 1 === files.length;
}

function isShort(short: string, blob: string | null | undefined): boolean {
  return blob === null ? /^0+$/.test(short) : blob?.startsWith(short) === true;
}

interface Said {
  readonly line: number;
  /** How many above it are meant. */
  readonly lines: number;
  readonly words: string[];
}

const COMMENT = /^>(\d{1,5}(?=\s|$))?\s?(.*)$/s;

/** `lines` and `files`: the diff that the text was made of. Throws a `ReviewFlaw`. */
export function readReview(
  text: string,
  lines: readonly string[],
  files: readonly FileChangeItem[],
): ReviewText {
  const reader = new PatchReader();
  const read: PatchLine[] = [];
  const whole: string[] = [];
  const comments: AddComment[] = [];
  let at = -1;
  let said: Said | null = null;
  const end = (): void => {
    if (said) addTo(comments, said, read, files[at]);
    said = null;
  };
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const comment = COMMENT.exec(line);
    if (comment) {
      const [, count, words = ""] = comment;
      if (at === -1) whole.push(words);
      else if (count === undefined && said !== null) said.words.push(words);
      else {
        end();
        said = { line: index + 1, lines: Number(count ?? 1), words: [words] };
      }
      continue;
    }
    end();
    if (line.startsWith("#") || (line.trim() === "" && (at === -1 || read.length === lines.length))) continue;
    const expected = lines[read.length];
    // Editors take blanks at the end of a line away.
    if (expected?.trimEnd() !== line.trimEnd())
      throw new ReviewFlaw(index + 1, "this is not what the diff has there; comments begin with >");
    const next = reader.read(expected);
    if (next.type === "file") at += 1;
    read.push(next);
  }
  end();
  if (read.length < lines.length)
    throw new ReviewFlaw(
      text.split("\n").length,
      "the diff does not go on here, but lines of it are missing",
    );
  const words = whole.join("\n").trim();
  return { text: words === "" ? null : words, comments };
}

function addTo(
  comments: AddComment[],
  said: Said,
  read: readonly PatchLine[],
  file: FileChangeItem | undefined,
): void {
  const text = said.words.join("\n").trim();
  if (text === "") return;
  const above = read.slice(-Math.max(1, said.lines)).filter(({ type }) => type !== "note");
  const last = above.at(-1);
  const side = last?.type === "removed" ? "old" : "new";
  const numbers = above.map((line) => lineOn(line, side));
  const known = numbers.filter((number) => number !== null);
  const blob = side === "old" ? file?.oldBlob : file?.newBlob;
  const [startLine] = known;
  const endLine = known.at(-1);
  const isCode = above.every(({ type }) => type === "context" || type === "added" || type === "removed");
  if (!isCode || !file || !blob || startLine === undefined || endLine === undefined)
    throw new ReviewFlaw(said.line, "a comment is about lines of code: put it beneath one");
  comments.push({ path: file.path, side, startLine, endLine, blob, text });
}

/** Null: it is not on that side. */
function lineOn(line: PatchLine, side: "old" | "new"): number | null {
  if (line.type === "context") return side === "old" ? line.oldLine : line.newLine;
  if (line.type === "removed") return side === "old" ? line.oldLine : null;
  return line.type === "added" && side === "new" ? line.newLine : null;
}
