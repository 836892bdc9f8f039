/** Projects and their workspaces, as the daemon has them: who asks for what, which session works where, what runs how. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { WorkspaceEvent } from "../../core/workspace/events.js";
import type { Project, ProjectSettings, Workspace } from "../../protocol/workspace.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { SessionRecord, SessionSettings } from "../../runtime/session-record.js";
import type { Bubblewrap } from "../../wall/bubblewrap.js";
import { emptyFileIn } from "../../wall/prepare-wall.js";
import {
  findRepository,
  findStart,
  needNewBranch,
  objectsOf,
  RepositoryError,
} from "../../workspace/find-repository.js";
import type { GitWall } from "../../workspace/git-wall.js";
import type { ShellCommand, WorkspacePlace } from "../../workspace/place.js";
import { setupOutput } from "../../workspace/setup.js";
import { WorkspaceDesk, type Answered, type WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { projectFile } from "./project-file.js";
import type { SqliteWorkspaceStore } from "./workspace-store.js";

export interface WorkspacesOptions {
  /** Absolute, without links. */
  readonly dataDir: string;
  readonly store: SqliteWorkspaceStore;
  readonly newId: () => string;
  /** Null: no wall stands here. */
  readonly backend: () => Promise<Bubblewrap | null>;
  /** As a session in that directory would run it. */
  readonly shell: (cwd: string, command: string) => Promise<ShellCommand>;
  readonly isTrusted: (directory: string) => boolean;
  readonly sessions: () => Iterable<SessionRecord>;
  readonly session: (id: string) => SessionRecord | null;
  readonly onProblem: (what: string, error: unknown) => void;
}

export interface NewWorkspace {
  /** In the repository. */
  readonly directory: string;
  /** Names it for good: what is asked for twice is made once. */
  readonly id: string;
  readonly branch: string | null;
  readonly from: string | null;
  /** For a branch that nobody has named. */
  readonly title: string;
}

const PREFIX = "signalbox/";
const NO_SETTINGS: ProjectSettings = { setup: null, copy: [], base: null, branchPrefix: PREFIX };
const OUTPUT_BYTES = 16 * 1024;
const WORKSPACES_MAX = 1_000;
/** In which an agent works on a turn. */
const AT_WORK = new Set(["creating", "streaming", "waiting_approval", "waiting_input"]);

export class Workspaces implements Bus {
  readonly desk: WorkspaceDesk;
  private readonly projectsById = new Map<string, Project>();
  private isUnwalledTold = false;
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(readonly options: WorkspacesOptions) {
    this.desk = new WorkspaceDesk({
      store: options.store,
      tools: {
        wallFor: (place) => this.wallFor(place),
        shell: ({ path }, command) => options.shell(path, command),
        pass: () => undefined,
      },
      nowMs: Date.now,
      onChanged: ({ id }) => {
        for (const wake of this.waiting.get(id) ?? []) wake();
      },
      onProblem: options.onProblem,
    });
  }

  start(): void {
    for (const project of this.options.store.projects()) this.projectsById.set(project.id, project);
    this.desk.start();
    for (const { id } of this.desk.all()) this.count(id);
  }

  async close(): Promise<void> {
    await this.desk.close();
    this.options.store.close();
  }

  projects(): readonly Project[] {
    return [...this.projectsById.values()].toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  }

  project(id: string): Project | null {
    return this.projectsById.get(id) ?? null;
  }

  /** The same repository is the same project. Rejects with a `RepositoryError`. */
  async addProject(directory: string): Promise<Project> {
    const { commonDir, checkout, name } = await findRepository(directory);
    const id = createHash("sha256").update(commonDir).digest("hex").slice(0, 12);
    const known = this.projectsById.get(id);
    if (known) return known;
    const project: Project = {
      ...{ id, name, directory: checkout, gitDirectory: commonDir },
      settings: NO_SETTINGS,
      createdAtMs: Date.now(),
    };
    return this.keepProject(project);
  }

  changeProject(project: Project, settings: Partial<ProjectSettings>): Project {
    return this.keepProject({ ...project, settings: { ...project.settings, ...settings } });
  }

  private keepProject(project: Project): Project {
    this.options.store.saveProject(project);
    this.projectsById.set(project.id, project);
    return project;
  }

  /** Begins one. Rejects with a `RepositoryError`, before anything is made. */
  async create({ directory, id, branch, from, title }: NewWorkspace): Promise<WorkspaceRecord> {
    const known = this.desk.get(id);
    if (known) return known;
    if (this.desk.all().filter(({ state }) => state.status !== "gone").length >= WORKSPACES_MAX)
      throw new RepositoryError("branch_exists", `There are ${WORKSPACES_MAX} workspaces: clean some first.`);
    const project = await this.addProject(directory);
    const original = { commonDir: project.gitDirectory, checkout: project.directory };
    // The base is what is checked out where the person is.
    const here = await findRepository(directory);
    const base = await findStart(
      { ...original, checkout: here.checkout },
      { base: project.settings.base, from },
    );
    const isTrusted = project.directory !== null && this.options.isTrusted(project.directory);
    const brought = isTrusted ? await projectFile(original, base.commit) : {};
    const settings = { ...brought, ...ownOf(project.settings) };
    const chosen = branch ?? (await this.freeBranch(project, settings.branchPrefix ?? PREFIX, title, id));
    if (branch !== null) await this.needBranch(project, branch);
    const { dataDir } = this.options;
    const setup = settings.setup ?? null;
    const path = join(workspacesFolder(dataDir), id, project.name);
    const place: WorkspacePlace = {
      ...{ id, original, path, setup },
      ownDir: join(workspacesFolder(dataDir), id, ".signalbox-own"),
      trashDir: join(dataDir, "trash"),
      copy: settings.copy ?? [],
      objects: await objectsOf(project.gitDirectory),
    };
    const event = { type: "create", path, branch: chosen, base, setup: setup !== null } as const;
    return this.desk.create({ id, projectId: project.id, place }, event).record;
  }

  private async needBranch(project: Project, branch: string): Promise<void> {
    await needNewBranch({ commonDir: project.gitDirectory, checkout: project.directory }, branch);
    const other = this.desk
      .all()
      .find(
        ({ projectId, state }) =>
          projectId === project.id && state.branch === branch && state.status !== "gone",
      );
    if (other)
      throw new RepositoryError(
        "branch_exists",
        `The workspace ${other.id} is for ${branch} already: choose another name.`,
      );
  }

  private async freeBranch(project: Project, prefix: string, title: string, id: string): Promise<string> {
    const words = title
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 40)
      .replace(/-+$/, "");
    for (const name of [words, `${words}-${id.slice(0, 4)}`, id]) {
      if (name === "" || name.startsWith("-")) continue;
      try {
        await this.needBranch(project, `${prefix}${name}`);
        return `${prefix}${name}`;
      } catch (error) {
        if (!(error instanceof RepositoryError) || name === id) throw error;
      }
    }
    throw new Error("no name is left");
  }

  /** By its own id, or by that of a session in it. */
  find(id: string): WorkspaceRecord | null {
    const workspaceId = this.options.session(id)?.settings.workspaceId;
    return this.desk.get(workspaceId ?? id);
  }

  take(id: string, event: WorkspaceEvent): Answered {
    return this.desk.take(id, event);
  }

  /** For a session that works in none, at once. */
  async untilPlace({ workspaceId }: SessionSettings, overtaken: AbortSignal): Promise<void> {
    if (workspaceId !== undefined) await this.untilReady(workspaceId, overtaken);
  }

  /** Resolves when agents may work in it. Rejects when they never will. */
  private async untilReady(id: string, given: AbortSignal): Promise<void> {
    for (;;) {
      const record = this.desk.get(id);
      if (!record || record.state.status === "gone") throw new Error("Its workspace is gone.");
      if (record.state.error?.code === "lost") throw new Error(record.state.error.message);
      if (record.state.added && record.state.status !== "preparing" && record.state.status !== "failed")
        return;
      if (given.aborted) throw new Error("It was stopped before its workspace was ready.");
      await this.changed(id, given);
    }
  }

  private changed(id: string, given: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wakers = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, wakers);
      const wake = (): void => {
        wakers.delete(wake);
        if (wakers.size === 0) this.waiting.delete(id);
        given.removeEventListener("abort", wake);
        resolve();
      };
      wakers.add(wake);
      given.addEventListener("abort", wake);
    });
  }

  /** What a wall around an agent in it shows of the original. */
  objects(id: string): readonly string[] {
    return this.desk.get(id)?.place.objects ?? [];
  }

  sessionsOf(id: string): readonly SessionRecord[] {
    return [...this.options.sessions()].filter(({ settings }) => settings.workspaceId === id);
  }

  /** Turns begin and end: a finish waits for that, and what an agent has changed is looked at. */
  publish({ sessionIds }: Committed): void {
    const ids = new Set(sessionIds.flatMap((id) => this.options.session(id)?.settings.workspaceId ?? []));
    for (const id of ids) this.count(id);
  }

  private count(id: string): void {
    const record = this.desk.get(id);
    if (!record) return;
    const running = this.sessionsOf(id).filter(
      ({ state }) => AT_WORK.has(state.status) && state.alive,
    ).length;
    if (running === record.state.running) return;
    try {
      this.desk.take(id, { type: "activity", running });
    } catch (error) {
      this.options.onProblem(`the workspace ${id}`, error);
      return;
    }
    if (running === 0)
      this.desk
        .look(id)
        .catch((error: unknown) => this.options.onProblem(`a look at the workspace ${id}`, error));
  }

  async show(record: WorkspaceRecord, sizeBytes: number | null = null): Promise<Workspace> {
    const { state, place } = record;
    const { finish, finished } = state;
    return {
      id: record.id,
      projectId: record.projectId,
      path: place.path,
      branch: state.branch ?? "",
      base: state.base ?? { branch: "", commit: "" },
      status: state.status,
      setup: state.setup,
      setupOutput: place.setup === null ? null : await setupOutput(place.ownDir, OUTPUT_BYTES),
      observed: state.observed,
      running: state.running,
      finish: finish && { how: finish.how, step: finish.step, held: finish.held },
      finished: finished && { ...finished },
      conflicts: [...state.conflicts],
      error: state.error && { ...state.error },
      sessionIds: this.sessionsOf(record.id).map(({ id }) => id),
      sizeBytes,
      createdAtMs: record.createdAtMs,
      updatedAtMs: record.updatedAtMs,
    };
  }

  private async wallFor(place: WorkspacePlace): Promise<GitWall | null> {
    const backend = await this.options.backend();
    if (backend === null) {
      if (!this.isUnwalledTold)
        this.options.onProblem("git runs in workspaces without a wall", new Error("no wall stands here"));
      this.isUnwalledTold = true;
      return null;
    }
    const { dataDir } = this.options;
    return {
      backend,
      emptyFile: await emptyFileIn(dataDir),
      hidden: [dataDir],
      writable: [place.path],
      readOnly: place.objects,
    };
  }
}

/** What the person has set goes before what the repository brings. */
function ownOf({ setup, copy, base, branchPrefix }: ProjectSettings): Partial<ProjectSettings> {
  return {
    ...(setup === null ? {} : { setup }),
    ...(copy.length === 0 ? {} : { copy }),
    ...(base === null ? {} : { base }),
    ...(branchPrefix === PREFIX ? {} : { branchPrefix }),
  };
}

/** Beside the data folder, which agents must not touch by any rule. */
function workspacesFolder(dataDir: string): string {
  return `${dataDir}-workspaces`;
}
