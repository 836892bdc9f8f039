/** `signalbox races`: all of them, or the table of one. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveRace } from "../race-name.js";
import { raceTable } from "../race-table.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";
import { timeAgo } from "../time-span.js";

export const racesCommand: Command = {
  help: `Usage: signalbox races [RACE] [options]

Lists the races, newest first; with RACE the table of one: status, check, size of the change, time, tokens, cost,
and how often a person answered.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("races", args, CLIENT_OPTIONS);
  const [typed] = takeWords("races", positionals, ["[RACE]"]);
  const client = await openClient(values);
  if (typed !== undefined) {
    const race = await client.getRace((await resolveRace(client, typed)).id);
    if (values.json) await printJson(race);
    else {
      const problem = race.problem === null ? "" : `not finished: ${oneLine(race.problem)}\n`;
      await print(`${oneLine(race.title)}: ${race.status}\n${problem}${raceTable(race).join("\n")}\n`);
    }
    return EXIT.ok;
  }
  const { items } = await client.listRaces({});
  if (values.json) await printJson(items);
  else if (items.length === 0)
    await print('no races; signalbox race "PROMPT" --with AGENT --with AGENT starts one\n');
  else {
    const rows = items.map((race) => [
      race.id.slice(0, 8),
      race.status,
      timeAgo(race.createdAtMs),
      `${race.entries.filter(({ status }) => status === "completed").length} of ${race.entries.length} done`,
      oneLine(race.title),
    ]);
    const look = { paint: painter(), ...outputWidth() };
    await print(`${textTable(["RACE", "STATUS", "BEGAN", "AGENTS", "TITLE"], rows, look).join("\n")}\n`);
  }
  return EXIT.ok;
}
