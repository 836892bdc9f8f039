/** Projects, workspaces, and what becomes of a change. */
import type { WorkspaceRefusalCode } from "../../../core/workspace/effects.js";
import type { WorkspaceEvent } from "../../../core/workspace/events.js";
import type { ErrorCode } from "../../../protocol/problem.js";
import type { Workspace } from "../../../protocol/workspace.js";
import type { Answered, WorkspaceRecord } from "../../../workspace/workspace-desk.js";
import { cleanUp } from "../../workspaces/clean-up.js";
import { sizeOf } from "../../workspaces/disk-use.js";
import type { Workspaces } from "../../workspaces/workspaces.js";
import type { Desk, Handler } from "../call-handler.js";
import { failure, type Failure } from "../problem.js";
import { folderFlaw } from "./folder-flaw.js";
import { repositoryFailure } from "./session-workspace.js";

const NONE = "There are no workspaces here.";

export const listProjects: Handler<"listProjects"> = (_, { workspaces }) => ({
  ok: true,
  value: { items: [...(workspaces?.projects() ?? [])] },
});

export const addProject: Handler<"addProject"> = async ({ body }, { workspaces }) => {
  if (!workspaces) return failure("not_found", NONE);
  const flaw = await folderFlaw("directory", body.directory);
  if (flaw) return flaw;
  try {
    return { ok: true, value: await workspaces.addProject(body.directory) };
  } catch (error) {
    return repositoryFailure(error);
  }
};

export const patchProject: Handler<"patchProject"> = ({ params, body }, { workspaces }) => {
  const project = workspaces?.project(params.id);
  if (!workspaces || !project) return failure("not_found", `There is no project ${params.id.slice(0, 100)}.`);
  const wanted = Object.entries(body).filter(([name, value]) => name !== "clientId" && value !== undefined);
  return { ok: true, value: workspaces.changeProject(project, Object.fromEntries(wanted)) };
};

export const listWorkspaces: Handler<"listWorkspaces"> = async ({ query }, { workspaces }) => {
  if (!workspaces) return { ok: true, value: { items: [] } };
  const named = query.id === undefined ? null : workspaces.find(query.id);
  if (query.id !== undefined && !named) return workspaceNotFound(query.id);
  const records = (named ? [named] : workspaces.desk.all())
    .filter(({ state }) => named !== null || state.status !== "gone")
    .toSorted((one, other) => other.createdAtMs - one.createdAtMs);
  const items: Workspace[] = [];
  for (const record of records) {
    const seen = query.look === "1" ? await workspaces.desk.look(record.id) : record;
    const size = query.sizes === "1" ? await sizeOf(record.place.path) : null;
    items.push(await workspaces.show(seen, size));
  }
  return { ok: true, value: { items } };
};

export const cleanWorkspaces: Handler<"cleanWorkspaces"> = async ({ body }, { workspaces }) => {
  if (!workspaces) return failure("not_found", NONE);
  const { all = false, dryRun = false } = body;
  return { ok: true, value: await cleanUp(workspaces, { all, dryRun }) };
};

export const finishWorkspace: Handler<"finishWorkspace"> = (input, desk) => {
  const { how, message = "", when = "now", observation } = input.body;
  return decide(input.params.id, desk, observation, (seen) => ({
    type: "finish",
    ...{ how, message, when, observation: seen },
  }));
};

export const discardWorkspace: Handler<"discardWorkspace"> = (input, desk) => {
  const { observation, confirm = false } = input.body;
  // What was not seen cannot be confirmed.
  return decide(input.params.id, desk, observation, (seen) => ({
    type: "discard",
    observation: seen,
    confirm: confirm && observation !== undefined,
  }));
};

export const updateWorkspace: Handler<"updateWorkspace"> = ({ params }, desk) =>
  decide(params.id, desk, undefined, (observation) => ({ type: "update", observation }));

/** Of what is there now, while nobody changes it. */
export const checkWorkspace: Handler<"checkWorkspace"> = async ({ params, body }, { workspaces }) => {
  const record = workspaces?.find(params.id);
  if (!workspaces || !record) return workspaceNotFound(params.id);
  const { id, state } = record;
  if (!workspaces.checks.isRunning(id)) {
    const command = body.command ?? workspaces.checkCommand(record);
    if (command === null)
      return failure("state_transition_invalid", "The project has no check: set one, or give a command.");
    if (!CHECKABLE.has(state.status) || state.running > 0)
      return failure(
        "state_transition_invalid",
        state.running > 0 ? "An agent is working in it." : `It is ${state.status}.`,
      );
    const seen = await workspaces.desk.look(id);
    if (!CHECKABLE.has(seen.state.status))
      return failure("state_transition_invalid", seen.state.error?.message ?? `It is ${seen.state.status}.`);
    workspaces.checks.begin(seen, command);
  }
  await patiently(workspaces.checks.settled(id));
  return { ok: true, value: await workspaces.show(workspaces.desk.get(id) ?? record) };
};

const CHECKABLE: ReadonlySet<string> = new Set(["ready", "conflicted", "merged"]);

export const retryWorkspace: Handler<"retryWorkspace"> = ({ params }, desk) =>
  plain(params.id, desk, "retry");
export const abortWorkspace: Handler<"abortWorkspace"> = ({ params }, desk) =>
  plain(params.id, desk, "abort");

type WorkspaceReply = { readonly ok: true; readonly value: Workspace } | Failure;

async function plain(id: string, desk: Desk, type: "retry" | "abort"): Promise<WorkspaceReply> {
  const { workspaces } = desk;
  const record = workspaces?.find(id);
  if (!workspaces || !record) return workspaceNotFound(id);
  return answer(workspaces, workspaces.take(record.id, { type }));
}

/** With what the person saw; else with what is there now. */
async function decide(
  id: string,
  { workspaces }: Desk,
  observation: string | undefined,
  event: (observation: string) => WorkspaceEvent,
): Promise<WorkspaceReply> {
  const record = workspaces?.find(id);
  if (!workspaces || !record) return workspaceNotFound(id);
  const isLost = record.state.error?.code === "lost" || !record.state.added;
  const seen = isLost ? record : await workspaces.desk.look(record.id);
  const wanted = observation ?? seen.state.observed?.id ?? "none";
  return answer(workspaces, workspaces.take(record.id, event(wanted)));
}

/** How long a request waits for what it began, so that most answers tell how it ended. */
const PATIENCE_MS = 20_000;

async function answer(workspaces: Workspaces, answered: Answered): Promise<WorkspaceReply> {
  if (answered.result === "rejected") return failure(codeOf(answered.code), `${answered.message}.`);
  const { id } = answered.record;
  await patiently(workspaces.desk.settled(id));
  const record: WorkspaceRecord = workspaces.desk.get(id) ?? answered.record;
  return { ok: true, value: await workspaces.show(record) };
}

async function patiently(done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([done, enough]);
  clearTimeout(timer);
}

function codeOf(code: WorkspaceRefusalCode): ErrorCode {
  switch (code) {
    case "workspace_dirty":
    case "base_dirty":
    case "conflict_files":
    case "observation_stale":
      return code;
    case "workspace_unknown":
    case "workspace_gone":
      return "not_found";
    case "workspace_exists":
    case "workspace_busy":
    case "workspace_failed":
    case "agent_busy":
    case "nothing_to_finish":
    case "nothing_to_retry":
    case "nothing_to_abort":
    case "too_late":
      return "state_transition_invalid";
  }
}

export function workspaceNotFound(id: string): Failure {
  return failure("not_found", `There is no workspace ${id.slice(0, 100)}, and no session that has one.`);
}
