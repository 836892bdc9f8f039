/** `signalbox doctor`: whether all is well, and what to do where it is not. Never starts the daemon. */
import { existsSync } from "node:fs";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { CLIENT_HELP, CLIENT_OPTIONS, clientOf } from "../client-options.js";
import type { Command } from "../command.js";
import { findDaemon } from "../daemon-process.js";
import { dataFolder } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { maintain } from "../maintain.js";
import { parseOptions } from "../parse-options.js";
import { plainText } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";

export const doctorCommand: Command = {
  help: `Usage: signalbox doctor [options]

Reads all of the journal and checks the disk, the keeper and the private files. Says of each that it is well, or what
to do. Exit status: 0 when all is well, 1 when something is not.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("doctor", args, CLIENT_OPTIONS);
  takeWords("doctor", positionals, []);
  const dataDir = dataFolder(values["data-dir"]);
  const checks = await checksOf(dataDir);
  const ok = checks.every((check) => check.ok);
  if (values.json) await printJson({ ok, checks });
  else await print(checks.map(describe).join(""));
  return ok ? EXIT.ok : EXIT.refused;
}

async function checksOf(dataDir: string): Promise<readonly HealthCheck[]> {
  const daemon = await findDaemon(dataDir);
  if (daemon) {
    const { checks } = await clientOf(daemon).getHealth({ examine: "true" });
    return [{ name: "daemon", ok: true, detail: `runs at ${daemon.url}`, remedy: null }, ...checks];
  }
  const away = { name: "daemon", ok: true, detail: "it does not run", remedy: null };
  if (!existsSync(dataDir)) return [away];
  return [away, ...(await maintain<{ readonly checks: readonly HealthCheck[] }>("check", dataDir)).checks];
}

function describe({ name, ok, heading, detail, remedy }: HealthCheck): string {
  const todo = remedy === null ? "" : `\n           ${plainText(remedy)}`;
  const words = ok || heading === undefined ? detail : `${heading}: ${detail}`;
  return `${ok ? "ok " : "BAD"} ${name.padEnd(7)} ${plainText(words)}${todo}\n`;
}
