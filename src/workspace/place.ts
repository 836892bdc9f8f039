/** Where a workspace and its original are, by our own record: nothing of it is read from a file that an agent can write. */
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failureOf, git, gitLine, runGit, type GitOptions, type GitResult } from "./git.js";
import type { GitWall } from "./git-wall.js";

/** The repository that workspaces are made from. */
export interface Original {
  /** Its git directory, which all its worktrees share. Real. */
  readonly commonDir: string;
  /** A work tree of it: where the person's untracked files are. Null: a bare one. */
  readonly checkout: string | null;
}

export interface WorkspacePlace {
  readonly id: string;
  readonly original: Original;
  /** The workspace's directory. */
  readonly path: string;
  /** Ours, for what we keep of it, beside nothing that an agent can write. */
  readonly ownDir: string;
  readonly trashDir: string;
  /** A command for `/bin/sh`; null: none. */
  readonly setup: string | null;
  /** What the base commit of a trusted repository brings; null or absent: nothing. */
  readonly check?: string | null;
  readonly run?: string | null;
  /** Untracked files to bring along, as patterns of gitignore. */
  readonly copy: readonly string[];
  /** Of the original, and of those that it borrows from: a wall around the workspace shows them. */
  readonly objects: readonly string[];
}

/** What a step needs of the world around it. */
export interface Tools {
  /** For git where an agent may have written; null: no wall stands here. */
  readonly wallFor: (place: WorkspacePlace) => Promise<GitWall | null>;
  /** The command of a setup, as it is to be run: behind the session's wall where one stands. */
  readonly shell: (place: WorkspacePlace, command: string) => Promise<ShellCommand>;
  /** Between any two deeds: tests end here what they end. */
  readonly pass: (point: string) => void;
}

export interface ShellCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** When it has ended: what was opened for it is closed. */
  readonly release?: () => Promise<void>;
}

type Rest = Omit<GitOptions, "cwd" | "gitDir" | "workTree" | "inside">;

/** Git for one workspace and its original, with a crash point around each command. */
export class Hands {
  private wall: Promise<GitWall | null> | null = null;

  constructor(
    readonly place: WorkspacePlace,
    readonly tools: Tools,
  ) {}

  get gitDir(): string {
    return join(this.place.path, ".git");
  }

  /** In the workspace. */
  async inside(args: readonly string[], rest: Rest = {}): Promise<GitResult> {
    const { path } = this.place;
    this.wall ??= this.tools.wallFor(this.place);
    const wall = await this.wall;
    // Large files stay pointers: to get them is for a setup, with the network that it has.
    return this.passing(`workspace ${args[0] ?? ""}`, () =>
      runGit(args, {
        ...rest,
        env: { GIT_LFS_SKIP_SMUDGE: "1", ...rest.env },
        gitDir: this.gitDir,
        workTree: path,
        inside: wall,
      }),
    );
  }

  async need(args: readonly string[], rest: Rest = {}): Promise<Buffer> {
    const result = await this.inside(args, rest);
    if (result.code !== 0) throw failureOf(args, result);
    return result.stdout;
  }

  async line(args: readonly string[], rest: Rest = {}): Promise<string> {
    return (await this.need(args, rest)).toString("utf8").trim();
  }

  /** In the original's git directory, without a work tree. */
  original(args: readonly string[], rest: Rest = {}): Promise<GitResult> {
    const { commonDir } = this.place.original;
    return this.passing(`original ${args[0] ?? ""}`, () =>
      runGit(args, { ...rest, gitDir: commonDir, workTree: null }),
    );
  }

  needOriginal(args: readonly string[], rest: Rest = {}): Promise<Buffer> {
    const { commonDir } = this.place.original;
    return this.passing(`original ${args[0] ?? ""}`, () =>
      git(args, { ...rest, gitDir: commonDir, workTree: null }),
    );
  }

  async originalLine(args: readonly string[], rest: Rest = {}): Promise<string> {
    return (await this.needOriginal(args, rest)).toString("utf8").trim();
  }

  /** In a checkout of the person's. */
  checkout(args: readonly string[], workTree: string, rest: Rest = {}): Promise<GitResult> {
    return this.passing(`checkout ${args[0] ?? ""}`, () => runGit(args, { ...rest, cwd: workTree }));
  }

  async checkoutLine(args: readonly string[], workTree: string): Promise<string> {
    return gitLine(args, { cwd: workTree });
  }

  async passing<T>(what: string, act: () => Promise<T>): Promise<T> {
    this.tools.pass(`before ${what}`);
    const result = await act();
    this.tools.pass(`after ${what}`);
    return result;
  }

  ref(name: "base" | "head" | "published"): string {
    return `refs/signalbox/workspaces/${this.place.id}/${name}`;
  }

  own(name: string): string {
    return join(this.place.ownDir, name);
  }

  async readOwn(name: string): Promise<unknown> {
    try {
      return JSON.parse(await readFile(this.own(name), "utf8")) as unknown;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  /** Whole or not at all. */
  async writeOwn(name: string, value: unknown): Promise<void> {
    await mkdir(this.place.ownDir, { recursive: true, mode: 0o700 });
    const path = this.own(name);
    await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await rename(`${path}.new`, path);
    this.tools.pass(`after own ${name}`);
  }

  async removeOwn(name: string): Promise<void> {
    await rm(this.own(name), { force: true });
  }
}

/** Null: nothing is there. */
export async function looked(path: string | Buffer): Promise<Awaited<ReturnType<typeof lstat>> | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** Its directory, and not something else that has its name by now. */
export async function isThere(hands: Hands): Promise<boolean> {
  const found = await looked(hands.place.path);
  if (!found?.isDirectory()) return false;
  const made = (await hands.readOwn("made.json")) as { readonly inode: string } | null;
  return made !== null && made.inode === `${found.dev}:${found.ino}`;
}
