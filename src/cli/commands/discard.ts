/** `signalbox discard`: moves a workspace to the trash. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { atRest, holdsWork, resolveWorkspace, workspaceWords } from "../workspace-name.js";

export const discardCommand: Command = {
  help: `Usage: signalbox discard ID [options]

Moves the workspace of a session to the trash, where it stays for 14 days at least: see signalbox workspaces clean. One
that holds work which is nowhere else is discarded only with --yes, and only as it is now. ID is a session's or the
workspace's own.

Options:
  --yes            also what holds work that is nowhere else
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("discard", args, {
    ...CLIENT_OPTIONS,
    yes: { type: "boolean" },
  });
  const [typed] = takeWords("discard", positionals, ["ID"]);
  personOnly("discarding a workspace");
  const client = await openClient(values);
  const workspace = await resolveWorkspace(client, typed, { look: true });
  const { id, observed, path } = workspace;
  if (observed && holdsWork(workspace) && values.yes !== true)
    throw new CommandFailure(
      `${id} holds work that is nowhere else (${workspaceWords(workspace)}); nothing was discarded`,
      `Finish it with signalbox finish ${id} --how branch, or discard it with --yes.`,
      EXIT.refused,
    );
  const seen = observed ? { observation: observed.id, confirm: values.yes === true } : {};
  const after = await atRest(client, await client.discardWorkspace(id, seen));
  if (after.error && after.status !== "gone")
    throw new CommandFailure(
      `not discarded: ${oneLine(after.error.message)}`,
      "Look again, and retry.",
      EXIT.refused,
    );
  if (values.json) await printJson(after);
  else await print(`${path} is in the trash; signalbox workspaces clean lists it\n`);
  return EXIT.ok;
}
