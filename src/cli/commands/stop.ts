/** `signalbox stop`: stops sessions. */
import { isShellSession } from "../../protocol/session-words.js";
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { listAllSessions } from "../session-list.js";
import { forEachSession } from "../several-sessions.js";
import { statusWord } from "../status-words.js";

export const stopCommand: Command = {
  help: `Usage: signalbox stop ID [ID...] [options]
       signalbox stop --all [options]

Stops sessions: their agents are ended. Messages in their queues stay there; signalbox resume goes on with one.

Options:
  --all            every session that works or waits for you, and every shell
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("stop", args, { ...CLIENT_OPTIONS, all: { type: "boolean" } });
  const all = values.all === true;
  if (all === positionals.length > 0)
    throw new UsageError("give an ID or --all", "See signalbox stop --help.");
  const client = await openClient(values);
  const running = all
    ? (await listAllSessions(client)).filter((session) => session.ui.isActive || isShellSession(session))
    : [];
  const ids = all ? running.map(({ id }) => id) : positionals;
  const stopped: SessionSummary[] = [];
  const isDone = await forEachSession(client, ids, async ({ id }) => {
    const session = await client.cancel(id);
    stopped.push(session);
    if (!values.json) await print(`${session.id} ${statusWord(session)}\n`);
  });
  const [only] = stopped;
  if (values.json) await printJson(!all && ids.length === 1 && only ? only : stopped);
  else if (ids.length === 0) await print("no session works or waits\n");
  return isDone ? EXIT.ok : EXIT.refused;
}
