/** `signalbox rm`: deletes a session. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

export const rmCommand: Command = {
  help: `Usage: signalbox rm ID [options]

Deletes a session and all that is kept of it. The files that its agent changed stay as they are.

Options:
  --force          even while its agent works or waits; it is ended
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("rm", args, { ...CLIENT_OPTIONS, force: { type: "boolean" } });
  const [id] = takeWords("rm", positionals, ["ID"]);
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  if (session.ui.isActive && values.force !== true) {
    throw new CommandFailure(
      `${session.id} is ${session.status}`,
      `Stop it first with signalbox stop ${session.id}, or add --force.`,
      EXIT.refused,
    );
  }
  await client.deleteSession(session.id);
  if (values.json) await printJson({ id: session.id });
  else await print(`deleted ${session.id} ${clipped(session.title, 60)}\n`);
  return EXIT.ok;
}
