/** `signalbox ls`: every session, once or whenever something changes. */
import { resolve } from "node:path";
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { listAllSessions, parseStatuses } from "../session-list.js";
import { sessionTable } from "../session-table.js";
import { outputWidth } from "../text-table.js";
import { takeWords } from "../take-words.js";

export const lsCommand: Command = {
  help: `Usage: signalbox ls [options]

Lists the sessions, newest first. The agent with a * gets messages that are sent without an ID.

Options:
  --status LIST    only these: failed,stopped; or by their names in JSON: error,stopped
  --cwd DIR        only those that work there, or in a folder below
  --harness NAME   only those of this agent
  --watch          go on, and show what changes
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("ls", args, {
    ...CLIENT_OPTIONS,
    status: { type: "string" },
    cwd: { type: "string" },
    harness: { type: "string" },
    watch: { type: "boolean" },
  });
  takeWords("ls", positionals, []);
  const statuses = values.status === undefined ? null : parseStatuses(values.status);
  const client = await openClient(values);
  const cwd = values.cwd === undefined ? null : resolve(values.cwd);
  const isWanted = (session: SessionSummary) =>
    (cwd === null || isWithin(session.cwd, cwd)) &&
    (values.harness === undefined || session.harness === values.harness);
  const list = async () => (await listAllSessions(client, statuses)).filter(isWanted);
  if (values.watch) {
    const { watchSessions } = await import("../session-watch.js");
    return watchSessions(client, list, values.json === true);
  }
  if (values.json) {
    await printJson(await list());
    return EXIT.ok;
  }
  const [sessions, { connected }] = await Promise.all([list(), client.getRoster()]);
  const look = { paint: painter(), connected, ...outputWidth() };
  await print(`${sessionTable(sessions, look).join("\n")}\n`);
  const isAll = statuses === null && cwd === null && values.harness === undefined;
  if (sessions.length === 0 && isAll && process.stdout.isTTY)
    process.stderr.write('signalbox: no sessions yet; signalbox run demo "Show me" starts one\n');
  return EXIT.ok;
}

function isWithin(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(parent === "/" ? parent : `${parent}/`);
}
