/** Which project a session belongs to, and on which branch it works: what no session tells of itself. */
import type { Project, Workspace } from "../../protocol/workspace.js";
import type { AgentSession } from "../../react/agent-session.js";

export interface Place {
  /** The project's id, or the folder. */
  readonly key: string;
  readonly name: string;
  /** Of its workspace; null: it has none, or nobody has looked yet. */
  readonly branch: string | null;
  readonly base: string | null;
}

export type PlaceOf = (session: Pick<AgentSession, "cwd" | "workspaceId">) => Place;

export interface Known {
  readonly projects: readonly Pick<Project, "id" | "name" | "directory">[];
  readonly workspaces: readonly Pick<Workspace, "id" | "projectId" | "branch" | "base">[];
}

export function placesFrom({ projects, workspaces }: Known): PlaceOf {
  const byId = new Map(workspaces.map((workspace) => [workspace.id, workspace]));
  const projectsById = new Map(projects.map((project) => [project.id, project]));
  const byFolder = new Map<string, Place>();
  const ofFolder = (cwd: string): Place => {
    const known = byFolder.get(cwd);
    if (known) return known;
    const project = projects.find(({ directory }) => directory !== null && isWithin(cwd, directory));
    const place = {
      key: project?.id ?? cwd,
      name: project?.name ?? folderName(cwd),
      branch: null,
      base: null,
    };
    byFolder.set(cwd, place);
    return place;
  };
  return ({ cwd, workspaceId }) => {
    const workspace = workspaceId === undefined ? undefined : byId.get(workspaceId);
    const project = workspace && projectsById.get(workspace.projectId);
    if (!workspace || !project) return ofFolder(cwd);
    const { branch, base } = workspace;
    return { key: project.id, name: project.name, branch, base: base.branch };
  };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function folderName(cwd: string): string {
  return cwd.split("/").findLast((part) => part !== "") ?? cwd;
}
