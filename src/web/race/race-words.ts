import type { Race, RaceRow } from "../../protocol/race.js";

const OVER: ReadonlySet<string> = new Set(["completed", "stopped", "error"]);

/** Its agent does nothing now. */
export function isOver({ status, sessionId, problem }: RaceRow): boolean {
  if (sessionId === null) return problem !== null;
  return status === null || OVER.has(status);
}

/** How the race stands, in one sentence. */
export function raceWords(race: Race): string {
  const { status, entries } = race;
  const chosen = entries.find(({ isChosen }) => isChosen);
  switch (status) {
    case "running":
      return runningWords(entries);
    case "choosing":
      return chosen?.workspaceStatus === "conflicted"
        ? "The chosen change conflicts with its base: resolve that on its page, under Changes."
        : "The chosen change is being finished.";
    case "chosen": {
      const parked = entries.filter((row) => !row.isChosen && row.isParked).length;
      const others = entries.length - 1;
      return parked === others
        ? `One is chosen and finished; the ${others === 1 ? "other is" : `${others} others are`} parked.`
        : "One is chosen and finished; the others are being parked.";
    }
    case "stopped":
      return "It was stopped. Any of them can still be chosen.";
  }
}

function runningWords(entries: readonly RaceRow[]): string {
  const over = entries.filter(isOver).length;
  const checking = entries.filter(({ check }) => check?.status === "running").length;
  const waiting = entries.filter(({ needsPerson }) => needsPerson).length;
  const parts = [
    over === entries.length ? "All are done" : `${over} of ${entries.length} are done`,
    checking > 0 ? `${checking} being checked` : "",
    waiting > 0 ? `${waiting} waiting for you` : "",
  ];
  return `${parts.filter((part) => part !== "").join(", ")}.`;
}
