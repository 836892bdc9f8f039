#!/usr/bin/env node
import { COMMANDS } from "./command-table.js";
import { helpOf } from "./command-help.js";
import { UsageError } from "./command.js";
import { errorReport } from "./error-report.js";
import { EXIT, EXIT_HELP, type ExitCode } from "./exit-codes.js";
import { nearestName } from "./nearest-name.js";
import { packageVersion } from "./package-version.js";
import { print } from "./print.js";

const HELP = `Usage: signalbox <command> [options]

Run many coding agents at once, and always know, truthfully, what each one is doing.

Commands:
${Object.entries(COMMANDS)
  .map(([name, entry]) => `  ${name.padEnd(11)} ${entry.summary}`)
  .join("\n")}

Where to begin:
  $ signalbox tour                 # ten minutes with three demo agents, step by step
  $ signalbox run demo "Show me"   # an agent that needs no model and no key
  $ signalbox harnesses            # the agents that are installed here
  $ signalbox top                  # all sessions, live, in this terminal

Options:
  --help      this text, or with a command that command's
  --version   the version
  --debug     on a failure, print where it happened

An ID may be abbreviated, as long as it means one session. The daemon starts by itself when a command needs it.
Its data folder is --data-dir, else SIGNALBOX_DATA_DIR, else signalbox in XDG_STATE_HOME or ~/.local/state.

${EXIT_HELP}

See also: signalbox <command> --help
`;

const SEE_HELP = "See signalbox --help.";

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "help" && rest[0] !== undefined) return main([rest[0], "--help"]);
  if (name === "--help" || name === "-h" || name === "help") return say(HELP);
  if (name === "--version" || name === "-V") return say(`${packageVersion()}\n`);
  if (name === undefined) throw new UsageError("which command?", SEE_HELP);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw unknownName(name);
  const command = await entry.load();
  const options = optionsOf(rest);
  return options.includes("--help") || options.includes("-h")
    ? say(helpOf(entry, command))
    : command.run(rest);
}

function unknownName(name: string): UsageError {
  const kind = name.startsWith("-") ? "option" : "command";
  const nearest = nearestName(name, [...Object.keys(COMMANDS), "--help", "--version", "--debug"]);
  const hint = nearest === null ? SEE_HELP : `Did you mean ${nearest}? ${SEE_HELP}`;
  return new UsageError(`unknown ${kind} ${JSON.stringify(name)}`, hint);
}

/** What stands after `--` is never an option. */
function optionsOf(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

async function say(text: string): Promise<ExitCode> {
  await print(text);
  return EXIT.ok;
}

/** Says on stderr what went wrong, and with which exit status it ends. */
function report(error: unknown, debug: boolean): ExitCode {
  const { message, hint, exitCode } = errorReport(error);
  const stack = error instanceof Error ? error.stack : undefined;
  process.stderr.write(`signalbox: ${debug && stack !== undefined ? stack : `${message}\n${hint}`}\n`);
  return exitCode;
}

// What cannot be said on stderr cannot be said at all.
process.stderr.on("error", () => undefined);

const typed = process.argv.slice(2);
const debug = optionsOf(typed).includes("--debug");
const args = debug ? typed.toSpliced(typed.indexOf("--debug"), 1) : typed;

// The status is set, not forced with exit(): what was written must still get out.
process.exitCode = await main(args).catch((error: unknown) => report(error, debug));
