/** `signalbox backup`: a copy of the journal, while agents work. */
import { resolve } from "node:path";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

export const backupCommand: Command = {
  help: `Usage: signalbox backup FILE [options]

Writes a copy of the journal to FILE, which must not be there yet, while everything goes on. It holds every session
and all that was said, and can be read only by you. Values of --env are not in it; those that a restored session would
lack are named.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("backup", args, CLIENT_OPTIONS);
  const [file] = takeWords("backup", positionals, ["FILE"]);
  const client = await openClient(values);
  const made = await client.backUp({ file: resolve(file) });
  if (values.json) {
    await printJson(made);
    return EXIT.ok;
  }
  const missing = made.withoutSecrets.map(
    ({ sessionId, names }) => `not in it: the values of ${names.join(", ")} of session ${sessionId}\n`,
  );
  await print(`${made.file}: ${made.sessions} sessions, ${made.sizeBytes} bytes\n${missing.join("")}`);
  return EXIT.ok;
}
