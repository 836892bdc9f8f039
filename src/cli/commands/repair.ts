/** `signalbox repair`: writes a damaged journal anew. */
import { CLIENT_HELP, CLIENT_OPTIONS } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { describeRebuilt, maintain, type Rebuilt } from "../maintain.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

export const repairCommand: Command = {
  help: `Usage: signalbox repair [options]

Writes the journal anew from what can be read of it, and keeps the old file. What cannot be read is said in its place.
Refuses while the daemon or an agent runs. Sessions that were at work are paused; signalbox resume goes on with them.

Options:
  --end-agents     end agents that still run
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const options = { ...CLIENT_OPTIONS, "end-agents": { type: "boolean" } } as const;
  const { values, positionals } = parseOptions("repair", args, options);
  takeWords("repair", positionals, []);
  const rebuilt = await maintain<Rebuilt>(
    "repair",
    dataFolder(values["data-dir"]),
    values["end-agents"] ? ["--end-agents"] : [],
  );
  if (values.json) await printJson(rebuilt);
  else await print(`repaired: ${describeRebuilt(rebuilt)}`);
  return EXIT.ok;
}
