/** Races, for another agent: it can start one and read how it goes. To choose is a person's. */
import { resolve } from "node:path";
import { z } from "zod";
import type { Race } from "../../protocol/race.js";
import { tool, ToolRefusal, UNRULED_HARNESS, type SessionTool } from "./tool.js";

const ENTRIES_MAX = 8;

export const RACE_TOOLS: Readonly<Record<"start_race" | "read_race", SessionTool>> = {
  start_race: tool({
    description:
      "Starts several coding agents on one prompt, each in a workspace of its own that begins at the same commit. The project's check is run in each when it is done. Returns its id: use read_race. A person chooses one of the changes.",
    input: {
      prompt: z.string().min(1).max(100_000),
      agents: z
        .array(
          z.object({
            harness: z.string().min(1).max(100).describe("claude, codex, gemini, builtin, demo, ..."),
            model: z.string().min(1).max(200).optional(),
          }),
        )
        .min(2)
        .max(ENTRIES_MAX),
      cwd: z.string().max(4_096).optional().describe("In the repository; the caller's folder when absent"),
      from: z.string().min(1).max(250).optional().describe("A branch, a tag or a commit"),
    },
    isReadOnly: false,
    run: async (client, caller, { prompt, agents, cwd, from }) => {
      if (agents.some(({ harness }) => harness === UNRULED_HARNESS))
        throw new ToolRefusal("No rule would hold in a terminal. Name agents.");
      const race = await client.createRace({
        ...{ prompt, directory: resolve(caller.cwd, cwd ?? ".") },
        entries: agents.map(({ harness, model }) => ({ harness, ...(model === undefined ? {} : { model }) })),
        ...(from === undefined ? {} : { from }),
      });
      return brief(race);
    },
  }),
  read_race: tool({
    description: "How the agents of a race compare: status, check, size of the change, time, tokens, cost.",
    input: { raceId: z.string().min(1).max(200) },
    isReadOnly: true,
    run: async (client, _caller, { raceId }) => brief(await client.getRace(raceId)),
  }),
};

function brief({ id, title, status, base, problem, entries }: Race) {
  return {
    ...{ id, title, status, base, ...(problem === null ? {} : { problem }) },
    entries: entries.map((row) => ({
      ...{ sessionId: row.sessionId, harness: row.harness, model: row.model, branch: row.branch },
      ...{ status: row.status, waitsForAPerson: row.needsPerson, check: row.check?.status ?? null },
      ...{ files: row.files, added: row.added, removed: row.removed, timeMs: row.timeMs, usage: row.usage },
      ...{ asksAnswered: row.asksAnswered, chosen: row.isChosen, parked: row.isParked },
      ...(row.problem === null ? {} : { problem: row.problem }),
    })),
  };
}
