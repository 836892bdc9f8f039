/** `signalbox status`: whether the daemon runs, and what it has. Never starts it. */
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { HealthReport } from "../../protocol/api-schemas.js";
import { CLIENT_HELP, CLIENT_OPTIONS, clientOf } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { findDaemon } from "../daemon-process.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { listAllSessions } from "../session-list.js";
import { takeWords } from "../take-words.js";
import { timeSpan } from "../time-span.js";

export const statusCommand: Command = {
  help: `Usage: signalbox status [options]

Says whether the daemon runs, and what it has. Exit status: 0 when it runs, 1 when it does not.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("status", args, CLIENT_OPTIONS);
  takeWords("status", positionals, []);
  const dataDir = dataFolder(values["data-dir"]);
  const daemon = await findDaemon(dataDir);
  if (daemon === null) {
    if (values.json) await printJson({ running: false, dataDir });
    else await print(`not running (data folder ${dataDir})\n`);
    return EXIT.refused;
  }
  const { url, pid, health } = daemon;
  const client = clientOf(daemon);
  const [held, { ok, readOnly, checks }] = await Promise.all([count(client), healthOf(client)]);
  const wrong = checks.filter((check) => !check.ok);
  if (values.json) {
    const { version, uptimeMs } = health;
    await printJson({ running: true, url, pid, version, uptimeMs, dataDir, healthy: ok, readOnly, ...held });
    return EXIT.ok;
  }
  const sessions = Object.entries(held.sessions).map(([status, number]) => `${number} ${status}`);
  const lines = [
    `running  ${url}, process ${pid}, version ${health.version}, for ${timeSpan(health.uptimeMs)}`,
    `data     ${dataDir}`,
    `sessions ${sessions.length === 0 ? "none" : sessions.join(", ")}`,
    `asks     ${held.asks}`,
    ...wrong.map(
      ({ name, detail, remedy }) => `${name.padEnd(8)} NOT WELL: ${clipped(detail, 300)}. ${remedy ?? ""}`,
    ),
    `messages ${held.connected === null ? "go to nobody: no agent runs" : `go to ${held.connected}`}`,
  ];
  await print(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

/** A daemon of the version before does not tell. */
async function healthOf(client: Client): Promise<HealthReport> {
  try {
    return await client.getHealth();
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    return { ok: true, readOnly: false, checks: [] };
  }
}

async function count(client: Client) {
  const [list, inbox, roster] = await Promise.all([
    listAllSessions(client),
    client.listAsks(),
    client.getRoster(),
  ]);
  const sessions: Record<string, number> = {};
  for (const { status } of list) sessions[status] = (sessions[status] ?? 0) + 1;
  return { sessions, asks: inbox.items.length, connected: roster.connected };
}
