/** `signalbox harnesses`: which agents are installed here, and what is wrong with them. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { outputWidth, textTable } from "../text-table.js";

export const harnessesCommand: Command = {
  help: `Usage: signalbox harnesses [options]

Lists which agents can be run, which of them are installed here, and what is wrong with them.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("harnesses", args, CLIENT_OPTIONS);
  takeWords("harnesses", positionals, []);
  const client = await openClient(values);
  const { items } = await client.listHarnesses();
  if (values.json) {
    await printJson(items);
    return EXIT.ok;
  }
  const rows = items.map((harness) => [
    harness.name,
    { text: harness.installed ? "yes" : "no", colour: harness.installed ? "green" : "dim" } as const,
    harness.version ?? "",
    harness.problems.length > 0 ? harness.problems.join("; ") : (harness.path ?? ""),
  ]);
  const header = ["NAME", "INSTALLED", "VERSION", "WHERE, OR WHAT IS WRONG"];
  await print(`${textTable(header, rows, { paint: painter(), ...outputWidth() }).join("\n")}\n`);
  return EXIT.ok;
}
