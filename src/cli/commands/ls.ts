/** `signalbox ls`: every session, once or whenever something changes. */
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

Lists the sessions, newest first.

Options:
  --status LIST    only these: error,stopped
  --watch          go on, and show what changes
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("ls", args, {
    ...CLIENT_OPTIONS,
    status: { type: "string" },
    watch: { type: "boolean" },
  });
  takeWords("ls", positionals, []);
  const statuses = values.status === undefined ? null : parseStatuses(values.status);
  const client = await openClient(values);
  const list = () => listAllSessions(client, statuses);
  if (values.watch) {
    const { watchSessions } = await import("../session-watch.js");
    return watchSessions(client, list, values.json === true);
  }
  const sessions = await list();
  if (values.json) await printJson(sessions);
  else await print(`${sessionTable(sessions, { paint: painter(), ...outputWidth() }).join("\n")}\n`);
  if (sessions.length === 0 && statuses === null && process.stdout.isTTY)
    process.stderr.write('signalbox: no sessions yet; signalbox run demo "Show me" starts one\n');
  return EXIT.ok;
}
