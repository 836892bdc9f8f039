/**
 * What a keeper from before there were walls says of a run behind one, in the words of one that knows them: agents keep
 * their keeper through an upgrade, and it starts what comes after, too.
 */
import { basename } from "node:path";
import { exitThroughWall } from "../../keeper/own-process.js";
import type { Foreground, RunReport } from "../../protocol/keeper.js";
import type { RunNotice } from "../keeper/keeper-client.js";

const BUBBLEWRAP = "bwrap";

/** Null: there is nothing to say yet. */
export function noticeThroughWall(notice: RunNotice): RunNotice | null {
  switch (notice.type) {
    case "output":
    case "hooks":
      return notice;
    case "exit":
      return { ...notice, exit: exitThroughWall(notice.exit) };
    case "foreground": {
      const foreground = foregroundThroughWall(notice.foreground);
      return foreground && { ...notice, foreground };
    }
  }
}

export function reportThroughWall(report: RunReport): RunReport {
  const { foreground, exit, ...rest } = report;
  const seen = foreground && foregroundThroughWall(foreground);
  return { ...rest, exit: exit && exitThroughWall(exit), ...(seen ? { foreground: seen } : {}) };
}

/** Bubblewrap, its first process inside, and then the program. Null: that is not there yet. */
function foregroundThroughWall(foreground: Foreground): Foreground | null {
  const first = foreground.programs.findIndex(({ command }) => basename(command) !== BUBBLEWRAP);
  return first < 0 ? null : { ...foreground, programs: foreground.programs.slice(first) };
}
