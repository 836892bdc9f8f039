/** `signalbox finish`: makes what was made in a workspace part of the original repository. */
import type { Client } from "../../client/client.js";
import type { Workspace } from "../../protocol/workspace.js";
import { checked, checkWords } from "./check.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { atRest, lookAt, resolveWorkspace } from "../workspace-name.js";

const WAYS = ["merge", "squash", "rebase", "branch", "pr"] as const;

export const finishCommand: Command = {
  help: `Usage: signalbox finish ID --how merge|squash|rebase|branch|pr [options]

Commits what is uncommitted in the workspace of a session and makes it part of the repository that it was made from.
merge, squash and rebase move its base branch forward, also where you have it checked out, but only while no tracked
file is changed there; branch only makes the branch; pr pushes it too and opens a pull request with gh or glab.
Conflicts appear in the workspace: have them resolved there, then signalbox workspaces retry ID, or abort ID. ID is a
session's or the workspace's own. Where the project has a check, it is run first, and what does not pass is not
finished.

Options:
  --how WAY        merge, squash, rebase, branch or pr
  -m, --message T  the message of the commit
  --no-check       without the project's check
  --ask-agent      on conflicts, ask the agent to resolve them
  --when-idle      wait until no agent works in it, instead of being refused
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("finish", args, {
    ...CLIENT_OPTIONS,
    how: { type: "string" },
    message: { type: "string", short: "m" },
    "when-idle": { type: "boolean" },
    "no-check": { type: "boolean" },
    "ask-agent": { type: "boolean" },
  });
  const [typed] = takeWords("finish", positionals, ["ID"]);
  const how = WAYS.find((each) => each === values.how);
  if (how === undefined)
    throw new UsageError(
      values.how === undefined ? "--how is missing" : `--how ${values.how}: not one of ${WAYS.join(", ")}`,
      "See signalbox finish --help.",
    );
  personOnly("finishing a workspace");
  const client = await openClient(values);
  const workspace = await resolveWorkspace(client, typed);
  const { id } = workspace;
  if (workspace.checkCommand !== null && values["no-check"] !== true && workspace.running === 0)
    await needPassed(client, id);
  const begun = await client.finishWorkspace(id, {
    how,
    ...(values.message === undefined ? {} : { message: values.message }),
    ...(values["when-idle"] === true ? { when: "idle" as const } : {}),
  });
  const after = await atRest(client, begun);
  if (after.status === "conflicted" && values["ask-agent"] === true) {
    const { sessionId } = await client.resolveWorkspace(id, {});
    process.stderr.write(`signalbox: ${sessionId} is asked to resolve the conflicts\n`);
  }
  if (values.json) await printJson(after);
  else await print(outcome(after));
  return EXIT.ok;
}

/** What was not changed since it passed is not checked again. */
async function needPassed(client: Client, id: string): Promise<void> {
  const seen = await lookAt(client, id);
  const isFresh = seen.check?.status === "passed" && seen.check.observation === seen.observed?.id;
  if (isFresh && seen.check?.command === seen.checkCommand) return;
  process.stderr.write(`signalbox: runs ${oneLine(seen.checkCommand ?? "")} first\n`);
  const { check } = await checked(client, id);
  if (check?.status === "passed") return;
  process.stderr.write(checkWords(id, check));
  throw new CommandFailure(
    "not finished: its check has not passed",
    "Have it mended, or finish with --no-check.",
    EXIT.refused,
  );
}

/** What it did, and how to go on. */
function outcome({ id, status, branch, base, finished, finish, conflicts, error }: Workspace): string {
  if (status === "conflicted")
    throw new CommandFailure(
      `conflicts with ${base.branch} in ${conflicts.map(oneLine).join(", ")}; ${base.branch} is as it was`,
      `Resolve them in the workspace, then signalbox workspaces retry ${id}; or signalbox workspaces abort ${id}.`,
      EXIT.refused,
    );
  if (error)
    throw new CommandFailure(
      `not finished: ${oneLine(error.message)}`,
      `Nothing was changed in the original. See signalbox workspaces ls.`,
      EXIT.refused,
    );
  if (finish)
    return `${id}: waits until no agent works in it; signalbox workspaces abort ${id} takes it back\n`;
  const head = (finished?.head ?? "").slice(0, 12);
  if (finished?.how === "pr") return `${branch} is pushed at ${head}: ${oneLine(finished.url ?? "")}\n`;
  if (finished?.how === "branch") return `${branch} is in the original at ${head}\n`;
  return `${base.branch} is at ${head}, with ${branch}; undo it there with git reset --keep ORIG_HEAD or git revert\n`;
}
