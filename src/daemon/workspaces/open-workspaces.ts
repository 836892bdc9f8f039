import { join } from "node:path";
import type { Changes } from "../../changes/changes.js";
import type { Permissions } from "../../permissions/permissions.js";
import type { Runtime } from "../../runtime/runtime.js";
import { JournalError } from "../../journal/journal-error.js";
import { newId } from "../new-id.js";
import type { SessionWalls } from "../wall/session-walls.js";
import { SqliteWorkspaceStore } from "./workspace-store.js";
import { WORKSPACES_FILE } from "./workspaces-file.js";
import { Workspaces } from "./workspaces.js";

/** `workspaces.db` cannot be used as it is. */
export class WorkspacesFileError extends Error {
  override readonly name = "WorkspacesFileError";
}

function openStore(path: string, onProblem: (what: string, error: unknown) => void): SqliteWorkspaceStore {
  try {
    return new SqliteWorkspaceStore(path, (what) => onProblem(`${path} is damaged`, new Error(what)));
  } catch (error) {
    if (!(error instanceof JournalError) || error.code !== "corrupt") throw error;
    throw new WorkspacesFileError(`${path} is damaged: ${error.message}`, { cause: error });
  }
}

export function openWorkspaces(
  { dataDir, permissions }: { readonly dataDir: string; readonly permissions: Permissions },
  runtime: Runtime,
  walls: () => SessionWalls,
  changes: () => Pick<Changes, "changes">,
  onProblem: (what: string, error: unknown) => void,
): Workspaces {
  const store = openStore(join(dataDir, WORKSPACES_FILE), onProblem);
  const workspaces = new Workspaces({
    dataDir,
    store,
    newId,
    backend: () => walls().backend(),
    shell: (cwd, command) => walls().shell(cwd, command),
    isAutomatic: process.env["SIGNALBOX_WORKSPACES"] !== "off",
    isTrusted: (directory) => permissions.isTrusted(directory),
    sessions: () => runtime.sessions(),
    session: (id) => runtime.session(id),
    changedFiles: async ({ id, settings, state }) => {
      const span = { from: { type: "base" }, to: { type: "turn", turn: state.turn } } as const;
      return (await changes().changes(id, settings.cwd, span)).files.map(({ path }) => path);
    },
    onProblem,
  });
  workspaces.load();
  permissions.carryOver((folder) => workspaces.originalOf(folder));
  return workspaces;
}
