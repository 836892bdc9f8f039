/**
 * OpenCode, and Kilo, which is built on it. Its last rows are either a dialog, with a bar `┃` at its left down to the
 * last row, or the input box with the same bar, its lower edge `╹▀▀▀`, and a footer. Menus lie over the transcript, with
 * the input box still to be seen. The window title holds what the model said, and is never looked at.
 *
 * The selected button of a permission is told by its colour only: without colours there is no key to allow something.
 */
import { KEYS, arrowKeys, meaningOf } from "../choices.js";
import { byNumber, numberedDialog, prompt, promptOf } from "../dialogs.js";
import { typedIn } from "../input-box.js";
import type { ScreenChoice } from "../reading.js";
import { rowWith, type Prompt, type RuleTable } from "../rule.js";
import { findAbove, type Region, type View } from "../view.js";

const BAR = /^ {0,200}┃/;
const LOWER_EDGE = /^ {0,200}╹▀{5,}/;
const FOOTER_ROWS_MAX = 40;
const INPUT_ROWS_MAX = 30;
const DIALOG_ROWS_MAX = 80;
const BUTTON_ROWS_MAX = 5;
const BUTTONS = /^ *┃ +Allow once +Allow always +Reject\b/;
const WORKING = /^ {1,4}[⬝■][⬝■\s]*|\besc (?:again to )?interrupt\b|\bretrying (?:in \d|attempt)/;

export const OPENCODE: RuleTable = {
  rules: [
    {
      name: "permission dialog",
      activity: "approval",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/┃ {2}△ Permission required/), rowWith(BUTTONS)],
      supports: [rowWith(/⇆ select/)],
      prompt: readPermission,
    },
    {
      name: "permission dialog that does not fit on the screen",
      activity: "approval",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/┃ {2}△ Permission required/)],
      prompt: readPermission,
    },
    {
      name: "second step of a permission",
      activity: "approval",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/┃ {2}△ (?:Reject permission|Always allow)/)],
      supports: [rowWith(/enter confirm/), rowWith(/esc cancel/)],
      prompt: readSecondStep,
    },
    {
      name: "question dialog",
      activity: "question",
      looksAt: "dialog",
      find: dialogRegion,
      needs: [rowWith(/\besc dismiss\b/), rowWith(/^ *┃ +(?:\[.\] )?1\. /)],
      supports: [rowWith(/↑↓ select/), rowWith(/enter (?:submit|confirm|toggle)/)],
      prompt: (view, region) => {
        const list = numberedDialog(barless(view, region), view.cols - 8);
        return list && promptOf(list, byNumber);
      },
    },
    {
      name: "menu over the transcript",
      activity: "question",
      looksAt: "menu",
      find: menuRegion,
      needs: [rowWith(/\S {4,}esc(?:\s|┃|$)/), rowWith(/ Search(?:\s|┃|$)/)],
      prompt: (view, region) => prompt(menuTitle(view.rows[region.start] ?? ""), "", []),
    },
    {
      name: "footer says that it works",
      activity: "working",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(WORKING)],
      supports: [rowWith(/^ {1,4}[⬝■]{2,}/), rowWith(/\besc (?:again to )?interrupt\b/)],
    },
    {
      name: "input box and a footer at rest",
      activity: "idle",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(/\bctrl\+p commands(?: {2,}\S.*)?$/)],
      supports: [turnOver],
    },
    {
      // In some widths its footer is cut into pieces.
      name: "input box below a finished turn",
      activity: "idle",
      looksAt: "footer",
      find: footer,
      needs: [turnOver],
    },
    {
      // Where the spinner would turn stands the folder.
      name: "footer names the folder",
      activity: "idle",
      looksAt: "footer",
      find: footer,
      needs: [rowWith(/^ {2,4}(?:~|\/|\w:\\)\S/), rowWith(/\bcommands$/)],
    },
  ],
  input: readInput,
};

/** The rows with a bar down to the last one of the screen. */
function dialogRegion(view: View): Region | null {
  const last = view.rows.length - 1;
  if (!BAR.test(view.rows[last] ?? "")) return null;
  const other = findAbove(view, last, DIALOG_ROWS_MAX, (row) => !BAR.test(row));
  return { start: other + 1, end: last + 1 };
}

function barless(view: View, { start, end }: Region): readonly string[] {
  return view.rows.slice(start, end).map((row) => row.replace(/^ *┃ ?/, "").replace(/ +[█▀▄]$/, ""));
}

/** Esc says no whatever is selected. To say yes, the selection must be seen. */
function readPermission(view: View, region: Region): Prompt {
  const at = findAbove(view, region.end, BUTTON_ROWS_MAX, (row) => BUTTONS.test(row));
  const labels = ["Allow once", "Allow always", "Reject"];
  const [, title = "Permission required", ...detail] = textsIn(view, {
    start: region.start,
    end: at < 0 ? region.end : at,
  });
  const choices = labels.flatMap((label, index): readonly ScreenChoice[] => {
    const meaning = meaningOf(label);
    const keys = meaning === "reject" ? KEYS.esc : buttonKeys(view, at, labels, index);
    return keys === null ? [] : [{ label, keys, meaning }];
  });
  const options = labels.map((label) => ({ label }));
  return prompt(title.replace(/^[#→←⚙$] /, ""), detail.join("\n"), choices, options);
}

/** After a choice it asks once more: for words with a refusal, or whether always is meant. */
function readSecondStep(view: View, region: Region): Prompt {
  const at = findAbove(view, region.end, BUTTON_ROWS_MAX, (row) => /^ *┃ +Confirm +Cancel\b/.test(row));
  const [heading = "", ...texts] = textsIn(view, { start: region.start, end: at < 0 ? region.end : at });
  const title = heading.replace(/^△ /, "");
  const detail = texts.filter((text) => !text.includes("enter confirm")).join("\n");
  const cancel = { label: "Cancel", keys: KEYS.esc, meaning: "other" } as const;
  if (title.startsWith("Reject")) {
    return prompt(title, detail, [{ label: "Reject", keys: KEYS.enter, meaning: "reject" }, cancel]);
  }
  const keys = buttonKeys(view, at, ["Confirm", "Cancel"], 0);
  const confirm = keys === null ? [] : [{ label: "Confirm", keys, meaning: "approve_always" } as const];
  return prompt(title, detail, [...confirm, cancel], [{ label: "Confirm" }, cancel]);
}

/** From the button that is selected to another one; null when the selection cannot be seen. */
function buttonKeys(view: View, row: number, labels: readonly string[], wanted: number): string | null {
  const text = view.rows[row] ?? "";
  const bar = text.indexOf("┃");
  const isSelected = (col: number) =>
    view.highlights.some(
      (span) => span.row === row && span.start > bar && span.start <= col && col < span.end,
    );
  const selected = labels.findIndex((label) => isSelected(text.indexOf(label)));
  return selected < 0 ? null : arrowKeys(selected, wanted, KEYS.left, KEYS.right);
}

function textsIn(view: View, region: Region): readonly string[] {
  return barless(view, region)
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/** From the row with its title and `esc` at the right, to the input box. */
function menuRegion(view: View): Region | null {
  const edge = lowerEdge(view);
  const end = edge < 0 ? view.rows.length : edge;
  const search = findAbove(view, end, DIALOG_ROWS_MAX, (row) => / Search(?:\s|┃|$)/.test(row));
  if (search < 0) return null;
  const start = findAbove(view, search, 3, (row) => /\S {4,}esc(?:\s|┃|$)/.test(row));
  return start < 0 ? null : { start, end };
}

function menuTitle(row: string): string {
  return /(\S+(?: \S+)*) {4,}esc/.exec(row)?.[1] ?? "";
}

function lowerEdge(view: View): number {
  return findAbove(view, view.rows.length, FOOTER_ROWS_MAX, (row) => LOWER_EDGE.test(row));
}

function footer(view: View): Region | null {
  const edge = lowerEdge(view);
  return edge < 0 ? null : { start: edge + 1, end: view.rows.length };
}

/** `▣  Build · Model · 2.1s` right above the input box. */
function turnOver(view: View): string | null {
  const box = inputBox(view);
  const at = box ? findAbove(view, box.start, view.rows.length, (row) => row !== "") : -1;
  const row = (view.rows[at] ?? "").trim();
  return /^▣ .* · (?:[\d.]+m?s|\d+m.*|interrupted)$/.test(row) ? row : null;
}

/** The rows with a bar above the lower edge. */
function inputBox(view: View): Region | null {
  const edge = lowerEdge(view);
  if (edge < 0) return null;
  const indent = (view.rows[edge] ?? "").indexOf("╹");
  const other = findAbove(
    view,
    edge,
    INPUT_ROWS_MAX,
    (row) => row.indexOf("┃") !== indent || row.slice(indent + 1).endsWith("┃"),
  );
  return { start: other + 1, end: edge };
}

/** All but the last row, which names the model. */
function readInput(view: View): string | null {
  const box = inputBox(view);
  if (!box) return null;
  const edge = view.rows[box.end] ?? "";
  // In a wide terminal a side bar stands to the right of the box.
  const width = (/^ *╹▀+/.exec(edge)?.[0] ?? edge).length;
  return typedIn(view, { start: box.start, end: box.end - 1 }, edge.indexOf("╹") + 3, width).trim();
}
