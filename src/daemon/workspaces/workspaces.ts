/** Projects and their workspaces, as the daemon has them: who asks for what, which session works where, what runs how. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Approve } from "../../core/index.js";
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
  type Start,
  objectsOf,
  RepositoryError,
} from "../../workspace/find-repository.js";
import { GitError } from "../../workspace/git.js";
import type { GitWall } from "../../workspace/git-wall.js";
import type { ShellCommand, Tools, WorkspacePlace } from "../../workspace/place.js";
import { setupOutput } from "../../workspace/setup.js";
import { WorkspaceDesk, type Answered, type WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { Checks } from "./checks.js";
import { DISK_BYTES_MAX, Footprint } from "./footprint.js";
import { projectFile } from "./project-file.js";
import { NO_SETTINGS, ownOf, PREFIX } from "./settings.js";
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
  /** Whether sessions that leave it open get one where others work. */
  readonly isAutomatic: boolean;
  readonly sessions: () => Iterable<SessionRecord>;
  readonly session: (id: string) => SessionRecord | null;
  /** What a session has changed up to its last turn, by its checkpoints. */
  readonly changedFiles: (record: SessionRecord) => Promise<readonly string[]>;
  readonly onProblem: (what: string, error: unknown) => void;
}

export interface NewWorkspace {
  /** In the repository. */
  readonly directory: string;
  /** Names it for good: what is asked for twice is made once. */
  readonly id: string;
  readonly branch: string | null;
  readonly from: string | null;
  /** Where it begins, if somebody has looked already. */
  readonly base?: Start;
  /** For a branch that nobody has named. */
  readonly title: string;
}

export type SessionDefaults = {
  readonly harness?: string;
  readonly model?: string;
  readonly approve?: Approve;
};

const OUTPUT_BYTES = 16 * 1024;
const WORKSPACES_MAX = 1_000;
/** In which an agent works on a turn. */
const AT_WORK = new Set(["creating", "streaming", "waiting_approval", "waiting_input"]);

export class Workspaces implements Bus {
  readonly desk: WorkspaceDesk;
  readonly checks: Checks;
  readonly footprint: Footprint;
  readonly tools: Tools;
  /** Who is told of every change, after it was kept. */
  private listener: ((record: WorkspaceRecord) => void) | null = null;
  private readonly projectsById = new Map<string, Project>();
  private isUnwalledTold = false;
  private readonly waiting = new Map<string, Set<() => void>>();
  private readonly watchers = new Set<(id: string) => void>();

  constructor(readonly options: WorkspacesOptions) {
    const { store, onProblem } = options;
    this.tools = {
      wallFor: (place) => this.wallFor(place),
      shell: ({ path }, command) => options.shell(path, command),
      pass: () => undefined,
    };
    const { tools } = this;
    const onChanged = (record: WorkspaceRecord): void => this.onChanged(record);
    this.desk = new WorkspaceDesk({ store, tools, nowMs: Date.now, onChanged, onProblem });
    this.checks = new Checks({ desk: this.desk, tools, onProblem });
    this.footprint = new Footprint({ desk: this.desk, changedFiles: options.changedFiles, onProblem });
  }

  /** What is kept, before anybody asks whose rules count in a workspace. */
  load(): void {
    for (const project of this.options.store.projects()) this.projectsById.set(project.id, project);
    this.desk.load();
  }

  start(): void {
    this.desk.start();
    for (const { id } of this.desk.all()) this.count(id);
    this.checks.start().catch((error: unknown) => this.options.onProblem("checks that were cut off", error));
  }

  /** Tells of every change from now on. Must not throw. */
  listen(listener: (record: WorkspaceRecord) => void): void {
    this.listener = listener;
  }

  private onChanged(record: WorkspaceRecord): void {
    const { id, state } = record;
    for (const wake of this.waiting.get(id) ?? []) wake();
    for (const tell of this.watchers) tell(id);
    if (state.status === "gone") this.checks.stop(id);
    if (state.status === "ready" && record.size === undefined) this.footprint.measure(id);
    this.listener?.(record);
  }

  async close(): Promise<void> {
    await this.checks.close();
    await this.footprint.close();
    await this.desk.close();
    this.options.store.close();
  }

  projects(): readonly Project[] {
    return [...this.projectsById.values()]
      .map((project) => ({ ...project, diskBytes: this.footprint.usedBy(project.id) }))
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs);
  }

  /** Projects whose workspaces take nearly as much of the disk as they may, in words. */
  get nearlyFull(): readonly string[] {
    return this.projects()
      .filter(({ id, settings }) => this.footprint.isNear(id, settings.diskBytesMax ?? DISK_BYTES_MAX))
      .map(({ name, diskBytes = 0, settings }) => `${name}: ${diskWords(diskBytes, settings)}`);
  }

  /** In a backup, beside the journal. Throws a `JournalError`. */
  copyInto(file: string): number {
    this.options.store.copyInto(file);
    return this.desk.all().length;
  }

  /** What of it cannot be read. */
  get damages(): readonly string[] {
    return [...this.options.store.damages];
  }

  project(id: string): Project | null {
    return this.projectsById.get(id) ?? null;
  }

  /** The same repository is the same project. Rejects with a `RepositoryError`. */
  async addProject(directory: string): Promise<Project> {
    const { commonDir, checkout, name } = await findRepository(directory);
    const id = projectIdOf(commonDir);
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

  /** Told of every change of a workspace, after it was kept. Must not throw. */
  watch(tell: (id: string) => void): void {
    this.watchers.add(tell);
  }

  /** Where a change that begins in a directory starts, and what it is for. Rejects with a `RepositoryError`. */
  async startAt(
    directory: string,
    from: string | null,
  ): Promise<{ readonly project: Project; readonly base: Start }> {
    const project = await this.addProject(directory);
    // The base is what is checked out where the person is.
    const { checkout } = await findRepository(directory);
    const wanted = { base: project.settings.base, from };
    return { project, base: await findStart({ commonDir: project.gitDirectory, checkout }, wanted) };
  }

  /** Begins one. Rejects with a `RepositoryError`, before anything is made. */
  async create({ directory, id, branch, from, title, ...given }: NewWorkspace): Promise<WorkspaceRecord> {
    const known = this.desk.get(id);
    if (known) return known;
    if (this.desk.all().filter(({ state }) => state.status !== "gone").length >= WORKSPACES_MAX)
      throw new RepositoryError("branch_exists", `There are ${WORKSPACES_MAX} workspaces: clean some first.`);
    const { project, base } = given.base
      ? { project: await this.addProject(directory), base: given.base }
      : await this.startAt(directory, from);
    const used = this.footprint.usedBy(project.id);
    if (used >= (project.settings.diskBytesMax ?? DISK_BYTES_MAX))
      throw new RepositoryError(
        "disk_bound",
        `The workspaces of ${project.name} take ${diskWords(used, project.settings)} of the disk: finish or discard some and clean, or give it more with signalbox projects set.`,
      );
    const original = { commonDir: project.gitDirectory, checkout: project.directory };
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
      check: brought.check ?? null,
      run: brought.run ?? null,
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

  /** What the person has set, as it is now; else what the repository brought. */
  checkCommand({ projectId, place }: WorkspaceRecord): string | null {
    return this.projectsById.get(projectId)?.settings.check ?? place.check ?? null;
  }

  runCommand({ projectId, place }: WorkspaceRecord): string | null {
    return this.projectsById.get(projectId)?.settings.run ?? place.run ?? null;
  }

  /** What new sessions of a repository are started with; empty where nobody has said anything. */
  async defaultsIn(directory: string): Promise<SessionDefaults> {
    if (this.projectsById.size === 0) return {};
    const found = await findRepository(directory).catch(noRepository);
    const project = found && this.projectsById.get(projectIdOf(found.commonDir));
    if (!project) return {};
    const isTrusted = project.directory !== null && this.options.isTrusted(project.directory);
    const original = { commonDir: project.gitDirectory, checkout: project.directory };
    const brought = isTrusted ? await projectFile(original, "HEAD") : {};
    const { harness, model, approve } = { ...brought, ...ownOf(project.settings) };
    return {
      ...(harness === undefined || harness === null ? {} : { harness }),
      ...(model === undefined || model === null ? {} : { model }),
      ...(approve === undefined || approve === null ? {} : { approve }),
    };
  }

  /** Whether somebody works in the repository already: in this checkout of it, or in a workspace. */
  async isOccupied(directory: string): Promise<boolean> {
    const found = await findRepository(directory).catch(noRepository);
    if (!found) return false;
    const id = projectIdOf(found.commonDir);
    const { checkout } = found;
    return [...this.options.sessions()].some(({ state, settings }) => {
      if (!state.alive) return false;
      const { workspaceId, cwd } = settings;
      if (workspaceId !== undefined) return this.desk.get(workspaceId)?.projectId === id;
      return checkout !== null && (cwd === checkout || cwd.startsWith(`${checkout}/`));
    });
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

  /**
   * Whose rules count in a folder of a workspace: never those that an agent can write there. Of one that is not known any
   * more, nobody's. Null: it is in none.
   */
  originalOf(folder: string): string | null {
    const root = `${workspacesFolder(this.options.dataDir)}/`;
    if (!folder.startsWith(root)) return null;
    const [id = ""] = folder.slice(root.length).split("/", 1);
    const place = this.desk.get(id)?.place;
    if (!place) return join(this.options.dataDir, "nobody's");
    if (folder !== place.path && !folder.startsWith(`${place.path}/`)) return null;
    const { checkout, commonDir } = place.original;
    return join(checkout ?? commonDir, folder.slice(place.path.length));
  }

  /** Of a folder in a workspace: its repository, and the commit that it began at. */
  originOf(folder: string): { readonly commonDir: string; readonly base: string } | null {
    const found = this.desk
      .all()
      .find(({ place: { path } }) => folder === path || folder.startsWith(`${path}/`));
    const base = found?.state.base;
    return found && base ? { commonDir: found.place.original.commonDir, base: base.commit } : null;
  }

  /** What a wall around an agent in it shows of the original. */
  objects(id: string): readonly string[] {
    return this.desk.get(id)?.place.objects ?? [];
  }

  sessionsOf(id: string): readonly SessionRecord[] {
    return [...this.options.sessions()].filter(({ settings }) => settings.workspaceId === id);
  }

  /** Turns begin and end: a finish waits for that, and what an agent has changed is looked at. */
  publish({ sessionIds, removedSessionIds }: Committed): void {
    const ids = new Set(sessionIds.flatMap((id) => this.options.session(id)?.settings.workspaceId ?? []));
    // Where one that was deleted has worked is not known any more.
    if (removedSessionIds.length > 0)
      for (const { id, state } of this.desk.all()) if (state.running > 0) ids.add(id);
    for (const id of ids) this.count(id);
    for (const id of removedSessionIds) this.footprint.forget(id);
    for (const id of sessionIds) {
      const session = this.options.session(id);
      const workspaceId = session?.settings.workspaceId;
      if (session && workspaceId !== undefined) this.footprint.turnEnded(workspaceId, session);
    }
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
    if (running === 0) {
      this.footprint.measure(id);
      this.desk
        .look(id)
        .catch((error: unknown) => this.options.onProblem(`a look at the workspace ${id}`, error));
    }
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
      checkCommand: this.checkCommand(record),
      runCommand: this.runCommand(record),
      check: this.checks.show(record),
      observed: state.observed,
      running: state.running,
      finish: finish && { how: finish.how, step: finish.step, held: finish.held },
      finished: finished && { ...finished },
      conflicts: [...state.conflicts],
      error: state.error && { ...state.error },
      sessionIds: this.sessionsOf(record.id).map(({ id }) => id),
      sizeBytes: sizeBytes ?? record.size?.bytes ?? null,
      overlaps: this.footprint.overlaps(record),
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

function diskWords(bytes: number, { diskBytesMax }: ProjectSettings): string {
  const gib = (count: number): string => (count / 1024 ** 3).toFixed(1);
  return `${gib(bytes)} of ${gib(diskBytesMax ?? DISK_BYTES_MAX)} GiB`;
}

function projectIdOf(commonDir: string): string {
  return createHash("sha256").update(commonDir).digest("hex").slice(0, 12);
}

function noRepository(error: unknown): null {
  if (error instanceof RepositoryError || error instanceof GitError) return null;
  throw error;
}

/** Beside the data folder, which agents must not touch by any rule. */
function workspacesFolder(dataDir: string): string {
  return `${dataDir}-workspaces`;
}
