/** `signalbox down`: ends the daemon. */
import { CLIENT_HELP, CLIENT_OPTIONS } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { stopDaemon, stopEverything } from "../stop-daemon.js";
import { takeWords } from "../take-words.js";

export const downCommand: Command = {
  help: `Usage: signalbox down [options]

Ends the daemon. Agents go on, and what they do is read when it is up again.

Options:
  --all            end every agent too
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("down", args, { ...CLIENT_OPTIONS, all: { type: "boolean" } });
  takeWords("down", positionals, []);
  const dataDir = dataFolder(values["data-dir"]);
  const stopped = values.all ? await stopEverything(dataDir) : await stopDaemon(dataDir);
  if (values.json) await printJson({ stopped });
  else await print(stopped ? "down\n" : "not running\n");
  return EXIT.ok;
}
