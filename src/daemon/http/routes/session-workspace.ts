/** Where a new session works: in the directory that it was given, or in a workspace, which may still have to be made. */
import { createHash } from "node:crypto";
import type { CreateSession } from "../../../protocol/api-schemas.js";
import type { SessionSettings } from "../../../runtime/session-record.js";
import type { ReceiptDraft } from "../../../runtime/submission.js";
import { RepositoryError } from "../../../workspace/find-repository.js";
import { GitError } from "../../../workspace/git.js";
import type { Principal } from "../../../protocol/principal.js";
import type { Workspaces } from "../../workspaces/workspaces.js";
import type { Board } from "../board.js";
import type { Desk } from "../call-handler.js";
import { failure, flawed, type Failure } from "../problem.js";

/** What a session of this name is started with: as its project says. */
const DEFAULT_HARNESS = "default";

/** With what its project says where the request leaves something open. */
export async function withDefaults(
  body: CreateSession,
  { kind }: Principal,
  { workspaces, board }: Pick<Desk, "workspaces" | "board">,
): Promise<CreateSession | Failure> {
  const isNamed =
    body.harness !== DEFAULT_HARNESS || board.harnesses().some(({ name }) => name === DEFAULT_HARNESS);
  if (!workspaces) return isNamed ? body : noDefault();
  try {
    const { harness, model, approve } = await workspaces.defaultsIn(directoryFor(body, workspaces));
    if (!isNamed && harness === undefined) return noDefault();
    const chosen = isNamed ? body.harness : (harness ?? body.harness);
    // A model is one of an agent's.
    const isOfIt = harness === undefined || harness === chosen;
    // That nobody is asked is for a person to decide, also by a setting.
    const isPerson = kind === "device" || kind === "token";
    const isApproveOpen = body.approve === undefined && body.autoApprove === undefined;
    return {
      ...body,
      harness: chosen,
      ...(model === undefined || body.model !== undefined || !isOfIt ? {} : { model }),
      ...(approve === undefined || !isApproveOpen || (approve === "auto" && !isPerson) ? {} : { approve }),
    };
  } catch (error) {
    return repositoryFailure(error);
  }
}

function noDefault(): Failure {
  return flawed(
    "harness",
    "The project has no default agent: name one, or set it with signalbox projects set",
  );
}

function directoryFor({ cwd, project, workspace }: CreateSession, workspaces: Workspaces): string {
  const id =
    typeof workspace === "object" ? (workspaces.desk.get(workspace.id)?.projectId ?? project) : project;
  return (id === undefined ? null : directoryOf(workspaces.project(id))) ?? cwd;
}

const SHARED_MAX = 20;

/** Others that are alive in the same folder, none of them in a workspace: they may overwrite each other's work. */
export function sharedWith(id: string, board: Board): { readonly sharedWith?: string[] } {
  const one = board.session(id);
  if (!one?.state.alive || one.settings.workspaceId !== undefined) return {};
  const others = [...board.sessions()]
    .filter(({ state, settings }) => state.alive && settings.cwd === one.settings.cwd)
    .filter((other) => other.id !== id)
    .slice(0, SHARED_MAX);
  return others.length === 0 ? {} : { sharedWith: others.map((other) => other.id) };
}

export async function inWorkspace(
  settings: SessionSettings,
  body: CreateSession,
  receipt: ReceiptDraft | null,
  { workspaces }: Pick<Desk, "workspaces">,
): Promise<SessionSettings | Failure> {
  const { branch, from, project } = body;
  const workspace = await wantedIn(settings, body, workspaces);
  if (workspace === "none") {
    const field = branch !== undefined ? "branch" : from !== undefined ? "from" : null;
    return field === null ? settings : flawed(field, "Only a new workspace has one: workspace is not new");
  }
  if (!workspaces) return failure("not_found", "There are no workspaces here.");
  if (workspace !== "new") {
    const found = workspaces.desk.get(workspace.id);
    if (!found || found.state.status === "gone")
      return failure("not_found", `There is no workspace ${workspace.id}.`);
    return { ...settings, cwd: found.place.path, workspaceId: found.id };
  }
  const directory = project === undefined ? settings.cwd : directoryOf(workspaces.project(project));
  if (directory === null) return failure("not_found", `There is no project ${project ?? ""}.`);
  // What is asked for again by the same client is the same.
  const id = receipt ? idFor(receipt) : workspaces.options.newId();
  try {
    const wanted = { branch: branch ?? null, from: from ?? null };
    const record = await workspaces.create({ directory, id, ...wanted, title: settings.title });
    return { ...settings, cwd: record.place.path, workspaceId: record.id };
  } catch (error) {
    // Nobody asked for one: where none can be made, it works without.
    if (body.workspace === "auto" && error instanceof RepositoryError && error.code !== "disk_bound")
      return settings;
    return repositoryFailure(error);
  }
}

/** `auto`: one of its own where somebody works in the repository already. */
async function wantedIn(
  { cwd }: SessionSettings,
  { workspace = "none" }: CreateSession,
  workspaces: Workspaces | undefined,
): Promise<Exclude<CreateSession["workspace"], "auto" | undefined>> {
  if (workspace !== "auto") return workspace;
  return workspaces?.options.isAutomatic && (await workspaces.isOccupied(cwd)) ? "new" : "none";
}

function directoryOf(project: { directory: string | null; gitDirectory: string } | null): string | null {
  return project && (project.directory ?? project.gitDirectory);
}

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function idFor({ clientId, fingerprint }: ReceiptDraft): string {
  const digest = createHash("sha256").update(`${clientId}\0${fingerprint}`).digest();
  return [...digest.subarray(0, 12)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}

const FIELDS: Readonly<Record<RepositoryError["code"], string>> = {
  directory_missing: "cwd",
  no_git: "workspace",
  not_a_repository: "cwd",
  no_commit: "cwd",
  detached_head: "from",
  ref_unknown: "from",
  branch_exists: "branch",
  branch_invalid: "branch",
  settings_invalid: "project",
  disk_bound: "workspace",
};

export function repositoryFailure(error: unknown): Failure {
  if (error instanceof RepositoryError) return flawed(FIELDS[error.code], error.message);
  if (error instanceof GitError) return failure("conflict", error.message);
  throw error;
}

/** No session works in it: what was begun of it is cleaned up. */
export function giveUpNew(
  id: string,
  { workspace }: CreateSession,
  { workspaces, log }: Pick<Desk, "workspaces" | "log">,
): void {
  if ((workspace !== "new" && workspace !== "auto") || !workspaces) return;
  const answered = workspaces.take(id, { type: "abort" });
  if (answered.result === "rejected")
    log.warn("a workspace without a session is left", { workspace: id, because: answered.message });
}
