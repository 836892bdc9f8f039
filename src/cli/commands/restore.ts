/** `signalbox restore`: puts a backup in the place of the journal. */
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { CLIENT_HELP, CLIENT_OPTIONS } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { describeRebuilt, maintain, type Rebuilt } from "../maintain.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

export const restoreCommand: Command = {
  help: `Usage: signalbox restore FILE [options]

Puts a backup in the place of the journal, and keeps the journal that was there. Refuses while the daemon or an agent
runs. Sessions that were at work when the backup was made are paused; signalbox resume goes on with them. Values of
--env are in no backup: they stay as they are in secrets.json, and signalbox doctor names those that are missing.

Options:
  --end-agents     end agents that still run
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const options = { ...CLIENT_OPTIONS, "end-agents": { type: "boolean" } } as const;
  const { values, positionals } = parseOptions("restore", args, options);
  const [file] = takeWords("restore", positionals, ["FILE"]);
  const dataDir = dataFolder(values["data-dir"]);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const rebuilt = await maintain<Rebuilt>("restore", dataDir, [
    ...["--file", resolve(file)],
    ...(values["end-agents"] ? ["--end-agents"] : []),
  ]);
  if (values.json) await printJson(rebuilt);
  else await print(`restored: ${describeRebuilt(rebuilt)}`);
  return EXIT.ok;
}
