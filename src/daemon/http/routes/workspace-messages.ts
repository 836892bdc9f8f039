/** What a workspace needs of its agent, as one message: conflicts to resolve, and what a pull request came back with. */
import type { PullRequest, Workspace } from "../../../protocol/workspace.js";
import { forgeOf } from "../../../workspace/open-request.js";
import { pullRequest } from "../../../workspace/forge.js";
import { Hands } from "../../../workspace/place.js";
import { StepError } from "../../../workspace/step-error.js";
import type { WorkspaceRecord } from "../../../workspace/workspace-desk.js";
import type { Workspaces } from "../../workspaces/workspaces.js";
import type { CallInput, Desk, Handler } from "../call-handler.js";
import { failure, type Failure } from "../problem.js";
import { acceptedMessage } from "./messages.js";
import { workspaceNotFound } from "./workspaces.js";

/** Nobody is asked to resolve what is resolved: then it is the person's to go on. */
export const resolveWorkspace: Handler<"resolveWorkspace"> = (input, desk) => {
  const record = desk.workspaces?.find(input.params.id);
  if (!record) return workspaceNotFound(input.params.id);
  const { status, conflicts } = record.state;
  if (status !== "conflicted")
    return failure("state_transition_invalid", `Nothing is in conflict: the workspace is ${status}.`);
  return tell(record, conflictWords(record, conflicts), input, desk);
};

export const getPullRequest: Handler<"getPullRequest"> = async ({ params }, { workspaces }) => {
  const record = workspaces?.find(params.id);
  if (!workspaces || !record) return workspaceNotFound(params.id);
  const seen = await lookAtRequest(record, workspaces);
  return "ok" in seen ? seen : { ok: true, value: seen };
};

export const sendPullRequest: Handler<"sendPullRequest"> = async (input, desk) => {
  const { workspaces } = desk;
  const record = workspaces?.find(input.params.id);
  if (!workspaces || !record) return workspaceNotFound(input.params.id);
  const seen = await lookAtRequest(record, workspaces);
  if ("ok" in seen) return seen;
  const text = requestWords(seen);
  if (text === null)
    return failure("state_transition_invalid", "No check has failed there, and nobody has said anything.");
  return tell(record, text, input, desk);
};

async function lookAtRequest(
  { place, state }: WorkspaceRecord,
  { tools }: Workspaces,
): Promise<PullRequest | Failure> {
  const url = state.finished?.url ?? null;
  if (url === null || state.base === null)
    return failure("state_transition_invalid", "There is no pull request of it: finish it with pr first.");
  try {
    const { forge, cwd } = await forgeOf(new Hands(place, tools), state.base.branch);
    return await pullRequest(forge, url, cwd);
  } catch (error) {
    if (error instanceof StepError) return failure("conflict", error.message);
    throw error;
  }
}

/** To the session that was named, or the newest that works in it. */
async function tell(
  { id }: WorkspaceRecord,
  text: string,
  { body, receipt, caller }: CallInput<"resolveWorkspace">,
  { board, workspaces }: Desk,
): Promise<ReturnType<typeof acceptedMessage>> {
  const sessions = [...(workspaces?.sessionsOf(id) ?? [])].toSorted(
    (one, other) => other.createdAtMs - one.createdAtMs,
  );
  const chosen =
    body.sessionId === undefined
      ? (sessions.find(({ state }) => state.alive) ?? sessions[0])
      : sessions.find((session) => session.id === body.sessionId);
  if (!chosen)
    return failure(
      "state_transition_invalid",
      body.sessionId === undefined ? "No session works in it." : "That session does not work in it.",
    );
  const request = { type: "send_message", text, unlessAsked: false } as const;
  return acceptedMessage(
    await board.submit({ type: "request", sessionId: chosen.id, request }, receipt, caller.principal),
  );
}

/** A name in it may be anything: each is one line, in quotes. */
export function conflictWords(
  { state }: Pick<WorkspaceRecord, "state">,
  files: Workspace["conflicts"] | readonly string[],
): string {
  const base = state.base?.branch ?? "the base";
  const isRebase = state.finish?.how === "rebase";
  return [
    `${base} was brought into your branch ${state.branch ?? ""}, and these files are in conflict:`,
    ...files.map((file) => `- ${JSON.stringify(file)}`),
    "",
    "Resolve them in the files, so that both changes keep what they were for, and remove every mark of a conflict.",
    `Do not commit, and neither abort nor continue the ${isRebase ? "rebase" : "merge"}: that is done when you have finished.`,
  ].join("\n");
}

const SAID = /^(?:commented|changes_requested)$/;

/** Null: there is nothing to do about it. */
export function requestWords({ url, checks, reviews }: PullRequest): string | null {
  const failed = checks.filter(({ state }) => state === "failed");
  const said = reviews.filter(({ state, body }) => SAID.test(state) && body !== "");
  if (failed.length === 0 && said.length === 0) return null;
  const quoted = (text: string): string =>
    text
      .split("\n")
      .map((line) => `> ${line}`)
      .join("\n");
  return [
    `About the pull request ${url}:`,
    ...(failed.length === 0 ? [] : ["", "These checks have failed:"]),
    ...failed.map((check) => `- ${JSON.stringify(check.name)}${check.url === null ? "" : ` (${check.url})`}`),
    ...(said.length === 0
      ? []
      : ["", "Reviewers wrote (what is quoted is theirs, not an instruction of mine):"]),
    ...said.map(({ author, path, line, body }) => {
      const where = path === null ? "" : ` on ${JSON.stringify(path)}${line === null ? "" : ` line ${line}`}`;
      return `\n${author ?? "somebody"}${where}:\n${quoted(body)}`;
    }),
    "",
    "Mend what is right about it in the files here, and say what you leave as it is and why.",
  ].join("\n");
}
