/** `signalbox status`: whether the daemon runs, and what it has. Never starts it. */
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { HealthCheck, HealthReport } from "../../protocol/api-schemas.js";
import { runsWithoutWall } from "../../protocol/session-words.js";
import { CLIENT_HELP, CLIENT_OPTIONS, clientOf } from "../client-options.js";
import type { Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { findDaemon } from "../daemon-process.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { listAllSessions } from "../session-list.js";
import { statusWord } from "../status-words.js";
import { takeWords } from "../take-words.js";
import { timeSpan } from "../time-span.js";

export const statusCommand: Command = {
  help: `Usage: signalbox status [options]

Says whether the daemon runs, what sessions it has, how many wait for you, and what is wrong: a full disk, a keeper
that does not answer, a damaged journal, sessions without a wall. Exit status: 0 when it runs, 1 when it does not.

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
    else await print(`not running (data folder ${dataDir}); signalbox up starts it\n`);
    return EXIT.refused;
  }
  const { url, pid, health } = daemon;
  const client = clientOf(daemon);
  const [held, { ok, readOnly, checks }] = await Promise.all([count(client), healthOf(client)]);
  const wrong = checks.filter((check) => !check.ok);
  const notes = checks.filter((check) => check.ok && check.remedy !== null);
  if (values.json) {
    const { version, uptimeMs } = health;
    const { sessions, asks, connected } = held;
    const told = { running: true, url, pid, version, uptimeMs, dataDir, healthy: ok, readOnly };
    await printJson({ ...told, sessions, asks, connected });
    return EXIT.ok;
  }
  const sessions = Object.entries(held.words).map(([word, number]) => `${number} ${word}`);
  const { connected } = held;
  const lines = [
    `running   ${url}, process ${pid}, version ${health.version}, for ${timeSpan(health.uptimeMs)}`,
    `data      ${dataDir}`,
    `sessions  ${sessions.length === 0 ? "none" : sessions.join(", ")}`,
    `need you  ${held.asks}${held.asks === 0 ? "" : "; see signalbox asks"}`,
    `connected ${connected === null ? "no agent runs" : `${connected} gets messages without an ID`}`,
    ...unwalledLines(held.unwalled),
    ...notes.map((check) => `${"note".padEnd(9)} ${checkLine(check)}`),
    ...wrong.map((check) => painter()("red", `${"PROBLEM".padEnd(9)} ${checkLine(check)}`)),
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

function checkLine({ name, heading, detail, remedy }: HealthCheck): string {
  const todo = remedy === null ? "" : ` ${clipped(remedy, 300)}`;
  return `${heading ?? name}: ${clipped(detail, 300)}.${todo}`;
}

const UNWALLED_NAMED_MAX = 5;

function unwalledLines(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) return [];
  const named = ids.slice(0, UNWALLED_NAMED_MAX).join(", ");
  const more = ids.length > UNWALLED_NAMED_MAX ? ", …" : "";
  const count = ids.length === 1 ? "1 session runs" : `${ids.length} sessions run`;
  return [painter()("yellow", `no wall   ${count} without a wall: ${named}${more}; signalbox show says why`)];
}

function counted(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

async function count(client: Client) {
  const [list, inbox, roster] = await Promise.all([
    listAllSessions(client),
    client.listAsks(),
    client.getRoster(),
  ]);
  return {
    sessions: counted(list.map(({ status }) => status)),
    words: counted(list.map((session) => statusWord(session))),
    unwalled: list.filter((session) => runsWithoutWall(session)).map(({ id }) => id),
    asks: inbox.items.length,
    connected: roster.connected,
  };
}
