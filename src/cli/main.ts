#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { BatchWriter } from "./batch-writer.js";
import { UsageError, type Command } from "./command.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { nearestName } from "./nearest-name.js";

interface Entry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Loaded on demand: `signalbox ls` must not pay for what it does not use. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  machine: {
    summary: "run a pure machine on events from stdin",
    load: async () => (await import("./commands/machine.js")).machineCommand,
  },
  tour: {
    summary: "see the machines at work, in a minute",
    load: async () => (await import("./commands/tour.js")).tourCommand,
  },
};

const HELP = `Usage: signalbox <command> [options]

Run many coding agents at once, and always know, truthfully, what each one is doing.

Commands:
${Object.entries(COMMANDS)
  .map(([name, entry]) => `  ${name.padEnd(10)}${entry.summary}`)
  .join("\n")}

Options:
  --help      this text, or with a command that command's
  --version   the version
  --debug     on a failure, print where it happened

See also: signalbox <command> --help
`;

const SEE_HELP = "See signalbox --help.";

async function main(args: readonly string[]): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === "--help" || name === "-h" || name === "help") return say(HELP);
  if (name === "--version" || name === "-V") return say(`${version()}\n`);
  if (name === undefined) throw new UsageError("which command?", SEE_HELP);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw unknownName(name);
  const command = await entry.load();
  return rest.includes("--help") || rest.includes("-h") ? say(command.help) : command.run(rest);
}

function unknownName(name: string): UsageError {
  const kind = name.startsWith("-") ? "option" : "command";
  const nearest = nearestName(name, [...Object.keys(COMMANDS), "--help", "--version", "--debug"]);
  const hint = nearest === null ? SEE_HELP : `Did you mean ${nearest}? ${SEE_HELP}`;
  return new UsageError(`unknown ${kind} ${JSON.stringify(name)}`, hint);
}

async function say(text: string): Promise<ExitCode> {
  const output = new BatchWriter(process.stdout);
  await output.write(text);
  await output.flush();
  return EXIT.ok;
}

function version(): string {
  const file = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}

/** Says on stderr what went wrong, and with which exit status it ends. */
function report(error: unknown, debug: boolean): ExitCode {
  const fault = error instanceof Error ? error : new Error(String(error));
  const misused = fault instanceof UsageError;
  const hint = misused ? fault.hint : "Add --debug to see where.";
  const detail = debug ? (fault.stack ?? fault.message) : `${fault.message}\n${hint}`;
  process.stderr.write(`signalbox: ${detail}\n`);
  return misused ? EXIT.usage : EXIT.failure;
}

// What cannot be said on stderr cannot be said at all.
process.stderr.on("error", () => undefined);

const typed = process.argv.slice(2);
const args = typed.filter((arg) => arg !== "--debug");
const debug = args.length < typed.length;

// The status is set, not forced with exit(): what was written must still get out.
process.exitCode = await main(args).catch((error: unknown) => report(error, debug));
