import { STATUS_WORDS } from "../core/words/status-words.js";
import type { Race, RaceRow } from "../protocol/race.js";
import { painter } from "./paint.js";
import { shortIds } from "./session-name.js";
import { outputWidth, textTable, type Cell } from "./text-table.js";
import { timeSpan } from "./time-span.js";

const HEADER = [
  "SESSION",
  "AGENT",
  "STATUS",
  "CHECK",
  "CHANGE",
  "TIME",
  "TOKENS",
  "COST",
  "ANSWERED",
  "BRANCH",
];

/** How they compare: a line for each, after one that names the columns. */
export function raceTable({ entries }: Race): readonly string[] {
  const short = shortIds(entries.flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId])));
  const rows = entries.map((row): readonly (string | Cell)[] => [
    row.sessionId === null ? "-" : (short.get(row.sessionId) ?? row.sessionId),
    row.model === null ? row.harness : `${row.harness}:${row.model}`,
    statusOf(row),
    checkOf(row),
    changeOf(row),
    row.timeMs === null ? "-" : timeSpan(row.timeMs),
    row.usage === null ? "-" : String(row.usage.inputTokens + row.usage.outputTokens),
    row.usage?.costUsd == null ? "-" : `$${row.usage.costUsd.toFixed(2)}`,
    row.asksAnswered === null ? "-" : String(row.asksAnswered),
    row.problem ?? row.branch ?? "-",
  ]);
  return textTable(HEADER, rows, { paint: painter(), ...outputWidth() });
}

function statusOf({ status, sessionId, problem, isChosen, isParked, needsPerson }: RaceRow): string {
  if (sessionId === null) return problem === null ? "starting" : "not started";
  const marks = [isChosen ? "chosen" : "", isParked ? "parked" : "", needsPerson ? "needs you" : ""];
  return [status === null ? "Deleted" : STATUS_WORDS[status], ...marks.filter((mark) => mark !== "")].join(
    ", ",
  );
}

function checkOf({ check }: RaceRow): string | Cell {
  if (check === null) return "-";
  switch (check.status) {
    case "running":
      return "running";
    case "passed":
      return { text: "passed", colour: "green" };
    case "failed":
      return { text: check.exitCode === null ? "failed" : `failed (${check.exitCode})`, colour: "red" };
  }
}

function changeOf({ files, added, removed }: RaceRow): string {
  if (files === null) return "-";
  return `${files} file${files === 1 ? "" : "s"} +${added ?? 0} −${removed ?? 0}`;
}
