/** `signalbox new`: starts a session and prints its id. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { newSession, SESSION_HELP, SESSION_OPTIONS } from "../new-session.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { warnOfSharedFolder } from "../shared-folder.js";
import { takeWords } from "../take-words.js";

export const newCommand: Command = {
  help: `Usage: signalbox new AGENT [PROMPT] [options]

Starts a session and prints its id. signalbox harnesses lists the agents; demo needs no model and no key. A PROMPT of -
is read from stdin. Nothing is started when the agent is not installed or the folder is not there.

Options:
${SESSION_HELP}${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("new", args, { ...CLIENT_OPTIONS, ...SESSION_OPTIONS });
  const [harness, prompt] = takeWords("new", positionals, ["AGENT", "[PROMPT]"]);
  const request = await newSession("new", values, harness, prompt);
  const client = await openClient(values);
  const session = await client.createSession(request);
  await warnOfSharedFolder(client, session, request.workspace === "new");
  if (values.json) await printJson(session);
  else await print(`${session.id}\n`);
  return EXIT.ok;
}
