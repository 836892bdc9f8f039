/** `signalbox check`: whether what was made in a workspace is good, by the project's own command. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../client/client.js";
import type { Workspace, WorkspaceCheck } from "../../protocol/workspace.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { plainText } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { resolveWorkspace } from "../workspace-name.js";

export const checkCommand: Command = {
  help: `Usage: signalbox check ID [options]

Runs the check of the project in the workspace of a session, behind a wall like its agent, and waits for it. The check
is what signalbox projects set --check says, or a trusted repository's own in the commit that the workspace began at.
ID is a session's or the workspace's own. The exit code is 0 when it passes, 1 when it does not.

Options:
  --command TEXT   run this instead, for /bin/sh
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("check", args, {
    ...CLIENT_OPTIONS,
    command: { type: "string" },
  });
  const [typed] = takeWords("check", positionals, ["ID"]);
  personOnly("running a check");
  const client = await openClient(values);
  const { id } = await resolveWorkspace(client, typed);
  const after = await checked(client, id, values.command);
  if (values.json) await printJson(after);
  else await print(checkWords(id, after.check));
  return after.check?.status === "passed" ? EXIT.ok : EXIT.refused;
}

const POLL_MS = 500;

/** Until it has ended. */
export async function checked(client: Client, id: string, command?: string): Promise<Workspace> {
  let now = await client.checkWorkspace(id, command === undefined ? {} : { command });
  while (now.check?.status === "running") {
    await sleep(POLL_MS);
    const [item] = (await client.listWorkspaces({ id })).items;
    if (!item) break;
    now = item;
  }
  return now;
}

/** What it said, and then what came of it. */
export function checkWords(id: string, check: WorkspaceCheck | null): string {
  if (!check) return `${id}: no check was run\n`;
  const said = check.output === "" ? "" : `${plainText(check.output).trimEnd()}\n`;
  const code = check.exitCode === null ? "" : ` (exit code ${check.exitCode})`;
  return `${said}${id}: ${check.status === "passed" ? "passed" : `${check.status}${code}`}\n`;
}
