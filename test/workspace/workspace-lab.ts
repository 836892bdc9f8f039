/** A real repository with a real workspace of it, and a desk that can be ended at any point and started again. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { WorkspaceEvent } from "../../src/core/workspace/events.js";
import type { FinishWay } from "../../src/core/workspace/state.js";
import type { Bubblewrap } from "../../src/wall/bubblewrap.js";
import { emptyFileIn } from "../../src/wall/prepare-wall.js";
import { findRepository, findStart, objectsOf } from "../../src/workspace/find-repository.js";
import type { GitWall } from "../../src/workspace/git-wall.js";
import type { Tools, WorkspacePlace } from "../../src/workspace/place.js";
import {
  WorkspaceDesk,
  type Answered,
  type WorkspaceRecord,
  type WorkspaceStore,
} from "../../src/workspace/workspace-desk.js";

/** As JSON, so that nothing is shared with who wrote it. */
export class KeptRecords implements WorkspaceStore {
  private readonly rows = new Map<string, string>();
  readonly events: string[] = [];

  load(): readonly WorkspaceRecord[] {
    return [...this.rows.values()].map((row) => JSON.parse(row) as WorkspaceRecord);
  }

  save(record: WorkspaceRecord, event: WorkspaceEvent | null): void {
    this.rows.set(record.id, JSON.stringify(record));
    if (event) this.events.push(event.type);
  }

  remove(id: string): void {
    this.rows.delete(id);
  }
}

export interface LabOptions {
  readonly backend?: Bubblewrap | null;
  readonly setup?: string;
  readonly copy?: readonly string[];
}

export class WorkspaceLab {
  readonly store = new KeptRecords();
  readonly problems: string[] = [];
  pass: (point: string) => void = () => undefined;
  desk: WorkspaceDesk;
  private count = 0;

  private constructor(
    readonly root: string,
    private readonly options: LabOptions,
  ) {
    this.desk = this.opened();
  }

  static async open(options: LabOptions = {}): Promise<WorkspaceLab> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "sb-workspace-")));
    const lab = new WorkspaceLab(root, options);
    await mkdir(lab.repo);
    await lab.git("init", "--quiet", "--initial-branch=main", ".");
    await lab.git("config", "user.name", "A Person");
    await lab.git("config", "user.email", "person@example.test");
    return lab;
  }

  get repo(): string {
    return join(this.root, "repo");
  }

  get dataDir(): string {
    return join(this.root, "data");
  }

  async close(): Promise<void> {
    await this.desk.close();
    await rm(this.root, { recursive: true, force: true });
  }

  /** What a crash leaves is taken up, as at the start of a daemon. */
  restart(): void {
    this.desk = this.opened();
    this.desk.start();
  }

  private opened(): WorkspaceDesk {
    return new WorkspaceDesk({
      store: this.store,
      tools: this.tools(),
      nowMs: Date.now,
      onChanged: () => undefined,
      onProblem: (what, error) =>
        this.problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
    });
  }

  tools(): Tools {
    return {
      wallFor: (place) => this.wallFor(place),
      shell: (_, command) =>
        Promise.resolve({
          command: "/bin/sh",
          args: ["-c", command],
          env: { PATH: process.env["PATH"] ?? "" },
        }),
      pass: (point) => this.pass(point),
    };
  }

  private async wallFor(place: WorkspacePlace): Promise<GitWall | null> {
    const { backend = null } = this.options;
    if (backend === null) return null;
    await mkdir(this.dataDir, { recursive: true });
    return {
      backend,
      emptyFile: await emptyFileIn(this.dataDir),
      hidden: [this.dataDir],
      writable: [place.path],
      readOnly: place.objects,
    };
  }

  /** In the person's repository, as the person does. */
  git(...args: readonly string[]): Promise<string> {
    return this.gitIn(this.repo, ...args);
  }

  gitIn(cwd: string, ...args: readonly string[]): Promise<string> {
    const env = { PATH: process.env["PATH"], HOME: homedir(), LC_ALL: "C" };
    const safe = ["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"];
    return new Promise((resolve, reject) => {
      execFile("git", [...safe, ...args], { cwd, env }, (error, stdout, stderr) => {
        if (error) reject(new Error(`git ${args.join(" ")}: ${stderr}`));
        else resolve(stdout.trim());
      });
    });
  }

  async write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }

  read(folder: string, name: string): Promise<string> {
    return readFile(join(folder, name), "utf8");
  }

  /** Commits as the person does. */
  async commit(files: Readonly<Record<string, string>>, message = "more"): Promise<string> {
    await this.write(this.repo, files);
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "-m", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Begins one; see `made` for one that is ready. */
  async begin(from: { readonly directory?: string; readonly from?: string; readonly branch?: string } = {}) {
    const { directory = this.repo } = from;
    const id = `w${++this.count}`;
    const original = await findRepository(directory);
    const base = await findStart(original, { base: null, from: from.from ?? null });
    const path = join(this.dataDir, "workspaces", id, original.name);
    const place: WorkspacePlace = {
      id,
      original: { commonDir: original.commonDir, checkout: original.checkout },
      path,
      ownDir: join(this.dataDir, "own", id),
      trashDir: join(this.dataDir, "trash"),
      setup: this.options.setup ?? null,
      copy: this.options.copy ?? [],
      objects: await objectsOf(original.commonDir),
    };
    const branch = from.branch ?? `agent/${id}`;
    this.desk.create(
      { id, projectId: "p", place },
      { type: "create", path, branch, base, setup: place.setup !== null },
    );
    return { id, path, branch };
  }

  async made(from: Parameters<WorkspaceLab["begin"]>[0] = {}) {
    const begun = await this.begin(from);
    await this.desk.settled(begun.id);
    return begun;
  }

  state(id: string) {
    const record = this.desk.get(id);
    if (!record) throw new Error(`no ${id}`);
    return record.state;
  }

  /** Looks, and asks for it with what was seen. */
  async finish(id: string, how: FinishWay, message = "Make it better"): Promise<Answered> {
    const { state } = await this.desk.look(id);
    const observation = state.observed?.id ?? "none";
    const answered = this.desk.take(id, { type: "finish", how, message, observation, when: "now" });
    await this.desk.settled(id);
    return answered;
  }

  async discard(id: string, confirm: boolean): Promise<Answered> {
    const { state } = await this.desk.look(id);
    const observation = state.observed?.id ?? "none";
    const answered = this.desk.take(id, { type: "discard", observation, confirm });
    await this.desk.settled(id);
    return answered;
  }

  async take(id: string, event: WorkspaceEvent): Promise<Answered> {
    const answered = this.desk.take(id, event);
    await this.desk.settled(id);
    return answered;
  }
}
