/** `signalbox resume`: goes on with one session, or with every paused one. */
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { listAllSessions } from "../session-list.js";
import { resolveSession } from "../session-name.js";
import { statusWord } from "../status-words.js";
import { takeWords } from "../take-words.js";

export const resumeCommand: Command = {
  help: `Usage: signalbox resume ID [options]
       signalbox resume --all [options]

Goes on with a session that is done, paused, stopped or has failed.

Options:
  --all            every paused session
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("resume", args, {
    ...CLIENT_OPTIONS,
    all: { type: "boolean" },
  });
  const [id] = takeWords("resume", positionals, ["[ID]"]);
  if ((id === undefined) === (values.all !== true)) {
    throw new UsageError("give an ID or --all", "See signalbox resume --help.");
  }
  const client = await openClient(values);
  if (id === undefined) return resumeAll(client, values.json === true);
  const session = await client.resume((await resolveSession(client, id)).id);
  if (values.json) await printJson(session);
  else await print(`${session.id} ${statusWord(session)}\n`);
  return EXIT.ok;
}

/** One that cannot go on does not keep the others from it. */
async function resumeAll(client: Client, json: boolean): Promise<ExitCode> {
  const resumed: SessionSummary[] = [];
  let refused = 0;
  for (const { id } of await listAllSessions(client, ["paused"])) {
    try {
      resumed.push(await client.resume(id));
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error;
      refused += 1;
      process.stderr.write(`signalbox: ${id}: ${oneLine(error.detail)}\n`);
    }
  }
  if (json) await printJson(resumed);
  else await print(resumed.map((session) => `${session.id} ${statusWord(session)}\n`).join(""));
  return refused === 0 ? EXIT.ok : EXIT.refused;
}
