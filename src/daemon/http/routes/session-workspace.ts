/** Where a new session works: in the directory that it was given, or in a workspace, which may still have to be made. */
import { createHash } from "node:crypto";
import type { CreateSession } from "../../../protocol/api-schemas.js";
import type { SessionSettings } from "../../../runtime/session-record.js";
import type { ReceiptDraft } from "../../../runtime/submission.js";
import { RepositoryError } from "../../../workspace/find-repository.js";
import { GitError } from "../../../workspace/git.js";
import type { Desk } from "../call-handler.js";
import { failure, flawed, type Failure } from "../problem.js";

export async function inWorkspace(
  settings: SessionSettings,
  body: CreateSession,
  receipt: ReceiptDraft | null,
  { workspaces }: Desk,
): Promise<SessionSettings | Failure> {
  const { workspace = "none", branch, from, project } = body;
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
    return repositoryFailure(error);
  }
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
};

export function repositoryFailure(error: unknown): Failure {
  if (error instanceof RepositoryError) return flawed(FIELDS[error.code], error.message);
  if (error instanceof GitError) return failure("conflict", error.message);
  throw error;
}

/** No session works in it: what was begun of it is cleaned up. */
export function giveUpNew(id: string, { workspace }: CreateSession, { workspaces, log }: Desk): void {
  if (workspace !== "new" || !workspaces) return;
  const answered = workspaces.take(id, { type: "abort" });
  if (answered.result === "rejected")
    log.warn("a workspace without a session is left", { workspace: id, because: answered.message });
}
