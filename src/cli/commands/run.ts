/** `signalbox run`: starts a session and follows it. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import type { ExitCode } from "../exit-codes.js";
import { FollowedRun } from "../followed-run.js";
import { newSession, SESSION_HELP, SESSION_OPTIONS } from "../new-session.js";
import { parseOptions } from "../parse-options.js";
import { warnOfSharedFolder } from "../shared-folder.js";
import { takeWords } from "../take-words.js";
import { wantsBell } from "../wants-bell.js";

export const runCommand: Command = {
  help: `Usage: signalbox run HARNESS PROMPT [options]

Starts a session and shows what the agent says and does until it is done. At a terminal you are asked what the agent
asks: y approves, n rejects, anything else rejects and says what to do instead; questions are answered by typing.
Ctrl-C leaves the session running. A PROMPT of - is read from stdin.

Options:
${SESSION_HELP}${CLIENT_HELP}
Exit status: 0 completed, 1 error, 2 stopped, 3 it needs an answer or is paused, 130 left by Ctrl-C.
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("run", args, { ...CLIENT_OPTIONS, ...SESSION_OPTIONS });
  const [harness, prompt] = takeWords("run", positionals, ["HARNESS", "PROMPT"]);
  const request = await newSession("run", values, harness, prompt);
  const client = await openClient(values);
  const session = await client.createSession(request);
  await warnOfSharedFolder(client, session);
  const json = values.json === true;
  const interactive = !json && process.stdin.isTTY && process.stdout.isTTY;
  const bell = interactive && (await wantsBell());
  return new FollowedRun(client, session, { json, interactive, bell }).follow();
}
