/**
 * What a terminal answers to a program's questions by itself. The daemon's emulator answers every question, whether or
 * not somebody looks; the emulators of those who look answer too, and theirs must not reach the program a second time.
 */

const REPLIES = [
  // What kind of terminal it is; the state of a mode; that it works; its size; how it takes keys.
  /\x1b\[[?>=][0-9;]*c/,
  /\x1b\[\??[0-9;]+\$y/,
  /\x1b\[0n/,
  /\x1b\[[468];[0-9]+;[0-9]+t/,
  /\x1b\[\?[0-9]+u/,
  // Its name, its settings, and its colours.
  /\x1bP[0-9>!]*[|$+r][^\x1b]*\x1b\\/,
  /\x1b\](?:4;[0-9]+|1[0-9]);rgb:[0-9a-f/]+(?:\x07|\x1b\\)/i,
];
/** Where the cursor is. F3 with a modifier looks like the first row of it. */
const CURSOR_REPORT = /\x1b\[\??[0-9]+;[0-9]+(?:;[0-9]+)?R/;

const SURE = new RegExp(REPLIES.map(({ source }) => `(?:${source})`).join("|"), "gi");
const ANY = new RegExp(`${SURE.source}|(?:${CURSOR_REPORT.source})`, "gi");

/** What a person typed, without what their terminal answered. `isAsked`: the program has just asked for the cursor. */
export function withoutReplies(input: string, isAsked: boolean): string {
  if (!input.includes("\x1b")) return input;
  return input.replace(isAsked ? ANY : SURE, "");
}

export function isCursorReport(reply: string): boolean {
  return CURSOR_REPORT.test(reply);
}
