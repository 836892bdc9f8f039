/** `signalbox run`: starts a session and follows it. */
import type { Client } from "../../client/client.js";
import type { CreateSession } from "../../protocol/api-schemas.js";
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import type { ExitCode } from "../exit-codes.js";
import { FollowedRun } from "../followed-run.js";
import { RESTING } from "../inline-session.js";
import { newSession, SESSION_HELP, SESSION_OPTIONS } from "../new-session.js";
import { parseOptions } from "../parse-options.js";
import { listAllSessions } from "../session-list.js";
import { warnOfSharedFolder } from "../shared-folder.js";
import { takeWords } from "../take-words.js";
import { wantsBell } from "../wants-bell.js";

export const runCommand: Command = {
  help: `Usage: signalbox run AGENT PROMPT [options]

Starts a session and shows what the agent says and does until it is done. At a terminal you are asked for approvals:
y allows once, s for this session, p always in this project, a always, n denies; n TEXT denies and tells the agent
TEXT. Questions are answered by typing. Ctrl-C leaves the session running. A PROMPT of - is read from stdin.

Options:
  --continue       send PROMPT to the last session of this agent in this folder, unless it works; else start one
  --full           all that tools print, not only the last lines
${SESSION_HELP}${CLIENT_HELP}
Exit status: 0 done, 1 failed, 2 stopped, 3 it needs you or is paused, 130 left by Ctrl-C.
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("run", args, {
    ...CLIENT_OPTIONS,
    ...SESSION_OPTIONS,
    continue: { type: "boolean" },
    full: { type: "boolean" },
  });
  const [harness, prompt] = takeWords("run", positionals, ["AGENT", "PROMPT"]);
  const request = await newSession("run", values, harness, prompt);
  const client = await openClient(values);
  const json = values.json === true;
  const interactive = !json && process.stdin.isTTY && process.stdout.isTTY;
  const bell = interactive && (await wantsBell());
  const before = values.continue === true ? await lastHere(client, request) : null;
  const session = before ?? (await client.createSession(request));
  await warnOfSharedFolder(client, session, before !== null || request.workspace === "new");
  const message = before === null || request.prompt === undefined ? {} : { message: request.prompt };
  const wholeOutput = values.full === true;
  return new FollowedRun(client, session, { json, interactive, bell, wholeOutput, ...message }).follow();
}

/** The session of this harness and folder that changed last, when it can be told something now. */
async function lastHere(client: Client, { harness, cwd }: CreateSession): Promise<SessionSummary | null> {
  const [last] = (await listAllSessions(client))
    .filter((session) => session.harness === harness && session.cwd === cwd)
    .toSorted((a, b) => b.updatedAtMs - a.updatedAtMs);
  return last && RESTING.has(last.status) ? last : null;
}
