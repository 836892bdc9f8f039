/** `signalbox rm`: deletes sessions. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { decideWorkspace, discardSeen } from "../leave-workspace.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import type { SessionSummary } from "../../protocol/session.js";
import { forEachSession } from "../several-sessions.js";
import { statusWord } from "../status-words.js";
import { takeSeveral } from "../take-words.js";

export const rmCommand: Command = {
  help: `Usage: signalbox rm ID [ID...] [options]

Deletes sessions and all that is kept of them. The files that their agents changed stay as they are. At a terminal you
are asked what becomes of a workspace that no other session works in; elsewhere it stays.

Options:
  --force          even while an agent works or waits; it is ended
  --keep-workspace     it stays
  --discard-workspace  it goes to the trash; what holds work that is nowhere else only with --yes
  --yes            with --discard-workspace: also that
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("rm", args, {
    ...CLIENT_OPTIONS,
    force: { type: "boolean" },
    "keep-workspace": { type: "boolean" },
    "discard-workspace": { type: "boolean" },
    yes: { type: "boolean" },
  });
  const leaving = {
    keep: values["keep-workspace"] === true,
    discard: values["discard-workspace"] === true,
    yes: values.yes === true,
  };
  if (leaving.keep && leaving.discard)
    throw new UsageError(
      "--keep-workspace and --discard-workspace exclude each other",
      "See signalbox rm --help.",
    );
  const ids = takeSeveral("rm", positionals, "ID");
  const client = await openClient(values);
  const deleted: SessionSummary[] = [];
  const isDone = await forEachSession(client, ids, async (session) => {
    if (session.ui.isActive && values.force !== true) {
      throw new CommandFailure(
        `${session.id}: ${statusWord(session)}; nothing was deleted`,
        `Stop it first with signalbox stop ${session.id}, or add --force.`,
        EXIT.refused,
      );
    }
    const left = await decideWorkspace(client, session, leaving);
    await client.deleteSession(session.id);
    deleted.push(session);
    if (!values.json) await print(`deleted ${session.id} ${clipped(session.title, 60)}\n`);
    if (left) {
      const words = await discardSeen(client, left);
      if (!values.json) await print(words);
    }
  });
  const [only] = deleted;
  if (values.json)
    await printJson(ids.length === 1 && only ? { id: only.id } : deleted.map(({ id }) => ({ id })));
  return isDone ? EXIT.ok : EXIT.refused;
}
