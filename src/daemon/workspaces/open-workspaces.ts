import { join } from "node:path";
import type { Permissions } from "../../permissions/permissions.js";
import type { Runtime } from "../../runtime/runtime.js";
import { newId } from "../new-id.js";
import type { SessionWalls } from "../wall/session-walls.js";
import { SqliteWorkspaceStore } from "./workspace-store.js";
import { Workspaces } from "./workspaces.js";

export function openWorkspaces(
  { dataDir, permissions }: { readonly dataDir: string; readonly permissions: Permissions },
  runtime: Runtime,
  walls: () => SessionWalls,
  onProblem: (what: string, error: unknown) => void,
): Workspaces {
  const store = new SqliteWorkspaceStore(join(dataDir, "workspaces.db"), (what) =>
    onProblem("workspaces.db is damaged", new Error(what)),
  );
  return new Workspaces({
    dataDir,
    store,
    newId,
    backend: () => walls().backend(),
    shell: (cwd, command) => walls().shell(cwd, command),
    isTrusted: (directory) => permissions.isTrusted(directory),
    sessions: () => runtime.sessions(),
    session: (id) => runtime.session(id),
    onProblem,
  });
}
