/** What moves on the screen of an agent that works, and says nothing new: its spinner, and numbers that count. */
import type { Screen } from "./screen.js";

const SPINNER = /[⠁-⣿◐◑◒◓·✢✳✶✻✽*∗•◦⬝■]/gu;
const NUMBER = /\d+(?:\.\d+)?/g;
/** Each of these counts. */
const COUNTS = /attempt|retry/i;
const TITLE_SPINNER = /^[⠁-⣿◐◑◒◓]/u;

/**
 * Whether a screen that shows work still shows the same work. Never asked of any other screen: two dialogs may differ in
 * a number only.
 */
export function showsSameWork(before: Screen, now: Screen): boolean {
  return (
    before.rows.length === now.rows.length &&
    before.cols === now.cols &&
    before.altScreen === now.altScreen &&
    (before.title === now.title || atRest(before.title) === atRest(now.title)) &&
    now.rows.every((row, at) => {
      const other = before.rows[at] ?? "";
      return row === other || (!COUNTS.test(row) && still(row) === still(other));
    })
  );
}

function still(row: string): string {
  return row.replace(SPINNER, "*").replace(NUMBER, "0");
}

function atRest(title: string): string {
  return title.replace(TITLE_SPINNER, "*");
}
