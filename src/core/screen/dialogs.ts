/** Dialogs that ask a person to choose from a list: what is asked, and which key gives which answer. */
import { KEYS, meaningOf, numberedOptions, type Option } from "./choices.js";
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

export function numberedDialog(rows: readonly string[], cols: number): ListDialog | null {
  const options = numberedOptions(rows, { start: 0, end: rows.length });
  return options.length < 2
    ? null
    : { rows, cols, options: options.map((option) => whole(option, rows, cols)) };
}

/** What a list dialog asks. Its first line is the title, what stands between that and the options the detail. */
export function promptOf(dialog: ListDialog, keysOf: KeysOf): Prompt {
  const { rows, options } = dialog;
  const above = rows.slice(0, options[0]?.row ?? 0).map((row) => row.trim());
  const texts = above.filter((row) => row !== "" && !isDecoration(row));
  const [title = "", ...detail] = texts;
  const choices = options.flatMap((option, index) => {
    const keys = keysOf(option, index, options);
    return keys === null ? [] : [{ label: option.label, keys, meaning: meaningOf(option.label) }];
  });
  return prompt(title, detail.join("\n"), choices, options);
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
  let last = rows[option.row] ?? "";
  for (let at = option.row + 1; at < rows.length; at += 1) {
    const next = rows[at] ?? "";
    const word = next.trim().split(" ")[0] ?? "";
    if (word === "" || /^\s*\S?\s*\d{1,2}\.\s/.test(next) || last.length + 1 + word.length < cols) break;
    label += ` ${next.trim()}`;
    last = next;
  }
  return { ...option, label };
}

function isDecoration(row: string): boolean {
  return /^[─━╌▔·\s]+$/.test(row) || row.startsWith("Tip: ");
}
