/** `signalbox harnesses`: which agents are installed here, what is wrong with them, and what to do about it. */
import type { HarnessReport } from "../../protocol/api-schemas.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import type { Colour } from "../paint.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable, type Cell } from "../text-table.js";

export const harnessesCommand: Command = {
  help: `Usage: signalbox harnesses [options]

Lists the agents that can be run: which version is installed here, whether it is logged in, what is wrong with it, and
the command that corrects it. What takes long to find out is looked up behind it: ask again.

Options:
${CLIENT_HELP}`,
  run,
};

const HEADER = ["AGENT", "VERSION", "LOGIN", "WHERE, OR WHAT IS WRONG"];

const LOGIN_COLOURS = { ok: "green", missing: "yellow", unknown: "dim" } as const satisfies Record<
  HarnessReport["login"],
  Colour
>;

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("harnesses", args, CLIENT_OPTIONS);
  takeWords("harnesses", positionals, []);
  const client = await openClient(values);
  const { items } = await client.listHarnesses();
  if (values.json) {
    await printJson(items);
    return EXIT.ok;
  }
  const table = textTable(HEADER, items.map(rowOf), { paint: painter(), ...outputWidth() });
  const hints = items.flatMap(({ name, hint }) => (hint === null ? [] : [`${name}: ${oneLine(hint)}`]));
  const lines = hints.length > 0 ? [...table, "", ...hints] : table;
  await print(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

function rowOf({
  name,
  installed,
  version,
  login,
  problems,
  path,
  note,
}: HarnessReport): readonly (string | Cell)[] {
  const shown: Cell = installed ? { text: version ?? "yes" } : { text: "not installed", colour: "dim" };
  const isWrong = problems.length > 0;
  return [
    name,
    shown,
    // Nobody logs in to what is not there.
    installed && login !== "unknown" ? { text: login, colour: LOGIN_COLOURS[login] } : "",
    isWrong ? { text: problems.join("; "), colour: installed ? "red" : "dim" } : (note ?? path ?? ""),
  ];
}
