import { columnsOf, leading } from "./text-width.js";

/**
 * What a terminal could take for an order: escape sequences with all they carry, then every control character that is left,
 * and the marks that turn the direction of writing, with which a command can be made to look like another.
 */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Text that is safe to print: lines and tabs stay, all that could steer the terminal goes. */
export function plainText(text: string): string {
  return text.replace(SEQUENCES, "").replace(CONTROLS, "");
}

/** The same as one line. */
export function oneLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

/** One line in which nothing is left out: what cannot be seen is written as its number. */
export function visibleLine(text: string): string {
  return text.replace(UNSEEN, numbered);
}

/** The same, but lines and tabs stay: for what a person approves. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (char) => (char === "\n" || char === "\t" ? char : numbered(char)));
}

function numbered(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

/** One line that is at most so many columns wide. */
export function clipped(text: string, columns: number): string {
  const line = oneLine(text);
  return columnsOf(line) <= columns ? line : `${leading(line, columns - 1)}…`;
}
