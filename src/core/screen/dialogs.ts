/** Dialogs that ask a person to choose from a list: what is asked, and which key gives which answer. */
import { KEYS, arrowKeys, meaningOf, numberedOptions, type Option } from "./choices.js";
import { fingerprintOf } from "./fingerprint.js";
import type { ScreenChoice } from "./reading.js";
import type { Prompt } from "./rule.js";

export interface ListDialog {
  /** Its rows, without frames. */
  readonly rows: readonly string[];
  readonly options: readonly Option[];
  /** As wide as its text can be, to tell a line that was wrapped. */
  readonly cols: number;
}

/** The keys for one of the options; null when none is sure to mean exactly it. */
export type KeysOf = (option: Option, index: number, options: readonly Option[]) => string | null;

/** The number is the key. */
export const byNumber: KeysOf = ({ number }, _, options) =>
  number !== null && options.length <= 9 ? number : null;

/** `(y)`, `(p)`, `(esc)` at the end of the label, else the number. */
export const byLetter: KeysOf = (option, index, options) => {
  const letter = /\((?:([a-z])|(esc))\)$/i.exec(option.label);
  if (!letter) return byNumber(option, index, options);
  return letter[2] === undefined ? (letter[1] ?? null) : KEYS.esc;
};

/** The arrows lead from the selected option to another one. */
export const byArrows: KeysOf = (_option, index, options) => {
  const selected = options.findIndex((each) => each.selected);
  return selected < 0 ? null : arrowKeys(selected, index, KEYS.up, KEYS.down);
};

export const byNumberOrArrows: KeysOf = (option, index, options) =>
  (option.number === null ? byArrows : byNumber)(option, index, options);

export function numberedDialog(rows: readonly string[], cols: number): ListDialog | null {
  const options = numberedOptions(rows, { start: 0, end: rows.length });
  return options.length < 2
    ? null
    : { rows, cols, options: options.map((option) => whole(option, rows, cols)) };
}

/** A list without numbers: the rows around `❯`, up to what is blank or not indented like them. */
export function plainDialog(rows: readonly string[], cols: number): ListDialog | null {
  const selected = rows.findLastIndex((row) => /^\s*❯ \S/.test(row));
  if (selected < 0) return null;
  const indent = (rows[selected] ?? "").indexOf("❯") + 2;
  const isOption = (row: string) => row.slice(0, indent).trim() === "" && /^\S/.test(row.slice(indent));
  let start = selected;
  while (isOption(rows[start - 1] ?? "")) start -= 1;
  let end = selected + 1;
  while (isOption(rows[end] ?? "")) end += 1;
  const options = rows.slice(start, end).map((row, at): Option => {
    return {
      row: start + at,
      number: null,
      label: row.slice(indent).trim(),
      selected: start + at === selected,
    };
  });
  return options.length < 2 ? null : { rows, cols, options };
}

/** A list without numbers, each option below a blank row, and what it means right below it. */
export function spacedDialog(rows: readonly string[], cols: number): ListDialog | null {
  const selected = rows.findLastIndex((row) => /^\s*[❯›] \S/.test(row));
  if (selected < 0) return null;
  const indent = (rows[selected] ?? "").search(/[❯›]/) + 2;
  const options = rows.flatMap((row, at): readonly Option[] => {
    const isAligned = /^\s*[❯›]?\s*$/.test(row.slice(0, indent)) && /^\S/.test(row.slice(indent));
    const isOption = isAligned && (rows[at - 1] ?? "").trim() === "";
    return isOption
      ? [{ row: at, number: null, label: row.slice(indent).trim(), selected: at === selected }]
      : [];
  });
  return options.length < 2 ? null : { rows, cols, options };
}

/** What a list dialog asks: its title, all else that stands above the options, and the options with their keys. */
export function promptOf(dialog: ListDialog, keysOf: KeysOf): Prompt {
  const { rows, options, cols } = dialog;
  const isApproval = asksForApproval(options.map(({ label }) => label));
  const texts = textsIn(rows.slice(0, options[0]?.row ?? 0), cols);
  // An approval says first what is to be done; a question stands right above its answers.
  const isAsked = !isApproval && /[?:]$/.test(texts.at(-1) ?? "");
  const title = (isAsked ? texts.pop() : texts.shift()) ?? "";
  const choices = options.flatMap((option, index): readonly ScreenChoice[] => {
    const keys = keysOf(option, index, options);
    const meaning = isApproval ? meaningOf(option.label) : "other";
    return keys === null ? [] : [{ label: option.label, keys, meaning }];
  });
  return prompt(title.replace(/^\? +/, "").replace(/ ←$/, ""), texts.join("\n"), choices, options);
}

/** A prompt with its fingerprint, which covers the options that cannot be pressed from afar too. */
export function prompt(
  title: string,
  detail: string,
  choices: readonly ScreenChoice[],
  options: readonly { readonly label: string }[] = choices,
): Prompt {
  const fingerprint = fingerprintOf([title, detail, ...options.map(({ label }) => label)]);
  return { fingerprint, title, detail, choices };
}

/** Whether something is asked to be allowed: there is a way to say yes, and one to say no. */
export function asksForApproval(labels: readonly string[]): boolean {
  const meanings = labels.map(meaningOf);
  const approves = meanings.some((meaning) => meaning === "approve" || meaning === "approve_always");
  return approves && meanings.includes("reject");
}

/** A line that had to be wrapped goes on in the next ones. */
function whole(option: Option, rows: readonly string[], cols: number): Option {
  let { label } = option;
  for (let at = option.row + 1; isWrapped(rows[at - 1] ?? "", rows[at] ?? "", cols); at += 1) {
    if (/^\s*\S?\s*\d{1,2}\.\s/.test(rows[at] ?? "")) break;
    label += ` ${(rows[at] ?? "").trim()}`;
  }
  return { ...option, label: label.replace(/\s+/g, " ") };
}

/** Whether the next row's first word would not have fitted into this one. */
function isWrapped(row: string, next: string, cols: number): boolean {
  const word = next.trim().split(" ")[0] ?? "";
  return word !== "" && row.length + 1 + word.length >= cols;
}

/** What is written there, without lines drawn across and without tips, which come and go. */
function textsIn(rows: readonly string[], cols: number): string[] {
  const texts: string[] = [];
  let isTip = false;
  rows.forEach((row, at) => {
    const text = row.trim();
    isTip = text.startsWith("Tip: ") || (isTip && isWrapped(rows[at - 1] ?? "", row, cols));
    if (text !== "" && !isTip && !/^[─━╌▔·\s]+$/.test(text)) texts.push(text);
  });
  return texts;
}
