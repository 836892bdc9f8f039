/**
 * Where the files of one session are kept: commits of all of them under `refs/signalbox/<session>/`, in the repository that
 * they are in, made with an index of our own.
 *
 * Git works with a git directory of ours, so that it takes no settings that an agent may have written, and with the
 * repository's objects. The person's index, branches and stash are not looked at again after the first time, and never
 * touched.
 */
import { copyFile, lstat, mkdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitError, git, nameOf, splitNul, type GitOptions } from "../workspace/git.js";
import type { GitWall } from "../workspace/git-wall.js";

/** Larger ones are named, and not kept. */
export const FILE_BYTES_MAX = 10 * 1024 * 1024;
const SKIPPED_MAX = 100;
const LIST_BYTES_MAX = 32 * 1024 * 1024;

/** The repository that the files are in. */
export interface Place {
  readonly workTree: string;
  /** Of the work tree; its HEAD is the person's. */
  readonly gitDir: string;
  /** Its objects and refs. */
  readonly commonDir: string;
}

/** What of a wall is the same for everybody. Null: none can be built here. */
export type WallParts = Pick<GitWall, "backend" | "emptyFile" | "hidden"> | null;

export interface Skipped {
  readonly path: string;
  readonly why: "large" | "repository";
  readonly bytes?: number;
}

export interface Snapshot {
  readonly tree: string;
  readonly skipped: readonly Skipped[];
}

/** Something that was kept, under its name: `0` is the start, `3` the end of turn 3, `3-start` what was there before it. */
export interface Kept {
  readonly name: string;
  readonly commit: string;
  readonly tree: string;
  readonly atMs: number;
  readonly skipped: readonly Skipped[];
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Signalbox",
  GIT_AUTHOR_EMAIL: "signalbox@localhost",
  GIT_COMMITTER_NAME: "Signalbox",
  GIT_COMMITTER_EMAIL: "signalbox@localhost",
};

/** Settings of the repository that say what its files are, and that make git run nothing. */
const FILE_SETTINGS = /^\s*(filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode)\s*=\s*(\w+)\s*$/gim;

const ADD = "git update-index --add --remove --replace -z --stdin";
/** The refs are the repository's; its settings say nothing about contents. */
const COMMIT = [
  'commit=$(printf %s "$SIGNALBOX_MESSAGE" | git commit-tree "$tree" $SIGNALBOX_PARENT -F -)',
  '{ echo "update $SIGNALBOX_REF $commit"; [ -z "$SIGNALBOX_LAST" ] || echo "update $SIGNALBOX_LAST $commit"; } | GIT_DIR="$SIGNALBOX_REPOSITORY" git update-ref --stdin',
  'echo "$tree $commit"',
].join(" && ");

export class Store {
  readonly refs: string;
  private readonly own: string;
  private readonly index: string;
  private readonly wall: GitWall | null;
  private isReady = false;
  private known: readonly Kept[] | null = null;
  /** Of the index, as long as nothing has changed it. */
  private tree: string | null = null;
  /** What was too large the last time. */
  private left = "";

  constructor(
    sessionId: string,
    private readonly folder: string,
    readonly place: Place,
    wall: WallParts,
    /** Whose objects the repository borrows. */
    alternates: readonly string[] = [],
  ) {
    if (!/^[\w-]+$/.test(sessionId)) throw new Error(`no name for a ref: ${sessionId}`);
    this.refs = `refs/signalbox/${sessionId}`;
    this.own = join(folder, "git");
    this.index = join(folder, "index");
    this.wall = wall && {
      ...wall,
      readOnly: alternates,
      writable: [...new Set([folder, place.workTree, place.commonDir, place.gitDir])],
    };
  }

  /** All files as they are now, as a tree. */
  async snapshot(signal: AbortSignal): Promise<Snapshot> {
    const { kept, skipped } = await this.changed(signal);
    if (kept.length === 0 && this.tree !== null) return { tree: this.tree, skipped };
    // What fails half-way may have changed the index.
    this.tree = null;
    const tree = (await this.inOne(`${ADD} && git write-tree`, {}, joined(kept), signal)).trim();
    this.tree = tree;
    return { tree, skipped };
  }

  /** The same, kept under a name at once. */
  async snapshotAs(name: string, signal: AbortSignal): Promise<void> {
    const { kept, skipped } = await this.changed(signal);
    this.tree = null;
    await this.commit(
      `${ADD} && tree=$(git write-tree)`,
      joined(kept),
      { name, skipped, isLast: true },
      signal,
    );
  }

  /** Keeps a tree under a name. */
  keep(name: string, { tree, skipped }: Snapshot, signal: AbortSignal, isLast: boolean): Promise<void> {
    const given = `tree=${/^[0-9a-f]+$/.exec(tree)?.[0] ?? ""}`;
    return this.commit(given, Buffer.alloc(0), { name, skipped, isLast }, signal);
  }

  private async commit(
    treeScript: string,
    input: Buffer,
    {
      name,
      skipped,
      isLast,
    }: { readonly name: string; readonly skipped: readonly Skipped[]; readonly isLast: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const all = await this.all(signal);
    const before = all.find((kept) => kept.name === "last");
    const env = {
      ...IDENTITY,
      SIGNALBOX_MESSAGE: `Signalbox: ${name}\n\n${JSON.stringify(skipped)}\n`,
      SIGNALBOX_PARENT: before === undefined ? "" : `-p ${before.commit}`,
      SIGNALBOX_REF: `${this.refs}/${name}`,
      SIGNALBOX_LAST: isLast ? `${this.refs}/last` : "",
      SIGNALBOX_REPOSITORY: this.place.commonDir,
    };
    const output = await this.inOne(`${treeScript} && ${COMMIT}`, env, input, signal);
    const [tree = "", commit = ""] = output.trim().split(" ");
    if (input.length > 0 || treeScript.startsWith(ADD)) this.tree = tree;
    const made = { commit, tree, atMs: Date.now(), skipped };
    this.known = [
      ...all.filter((kept) => kept.name !== name && !(isLast && kept.name === "last")),
      { ...made, name },
      ...(isLast ? [{ ...made, name: "last" }] : []),
    ];
  }

  /** Several commands of git in one go: a wall for each would cost more than they do. */
  private async inOne(
    script: string,
    env: Readonly<Record<string, string>>,
    input: Buffer,
    signal: AbortSignal,
  ): Promise<string> {
    const alias = `alias.signalbox=!${script}`;
    return (await this.git(["-c", alias, "signalbox"], { signal, input, env })).toString("utf8");
  }

  private async changed(
    signal: AbortSignal,
  ): Promise<{ readonly kept: readonly Buffer[]; readonly skipped: readonly Skipped[] }> {
    await this.prepare(signal);
    const { kept, left, skipped } = await this.sorted(await this.changedPaths(signal));
    const leftNow = left.map((path) => path.toString("latin1")).join("\0");
    if (left.length > 0 && leftNow !== this.left) {
      await this.git(["update-index", "--force-remove", "-z", "--stdin"], { signal, input: joined(left) });
      this.tree = null;
    }
    this.left = leftNow;
    return { kept, skipped };
  }

  /** Entries of the index are set by somebody else than a snapshot. */
  async setEntries(lines: readonly Buffer[], signal: AbortSignal): Promise<void> {
    this.tree = null;
    await this.git(["update-index", "--replace", "-z", "--index-info"], { signal, input: joined(lines) });
  }

  /** Everything that is kept, in no order. */
  async all(signal: AbortSignal): Promise<readonly Kept[]> {
    // Nobody else writes there.
    this.known ??= await this.readAll(signal);
    return this.known;
  }

  private async readAll(signal: AbortSignal): Promise<readonly Kept[]> {
    const format = "%(refname)%00%(objectname)%00%(tree)%00%(committerdate:unix)%00%(contents:body)%00%00";
    const output = await this.repository(["for-each-ref", `--format=${format}`, `${this.refs}/`], { signal });
    return output
      .toString("utf8")
      .split("\0\0\n")
      .filter((line) => line !== "")
      .map((line) => {
        const [ref = "", commit = "", tree = "", seconds = "0", body = ""] = line.split("\0");
        return {
          name: ref.slice(this.refs.length + 1),
          commit,
          tree,
          atMs: Number(seconds) * 1_000,
          skipped: readSkipped(body),
        };
      });
  }

  /** The same tree, but for these paths; without a blob, one is not in it. */
  async treeWith(
    tree: string,
    entries: readonly { readonly path: Buffer; readonly mode?: string; readonly blob?: string }[],
    signal: AbortSignal,
  ): Promise<string> {
    const env = { GIT_INDEX_FILE: join(this.folder, "index-of-tree") };
    await rm(`${env.GIT_INDEX_FILE}.lock`, { force: true });
    await this.git(["read-tree", tree], { signal, env });
    const none = "0".repeat(tree.length);
    const lines = entries.map(({ path, mode = "0", blob = none }) =>
      Buffer.concat([Buffer.from(`${mode} ${blob} 0\t`), path]),
    );
    await this.git(["update-index", "--replace", "-z", "--index-info"], {
      signal,
      env,
      input: joined(lines),
    });
    return (await this.git(["write-tree"], { signal, env })).toString("utf8").trim();
  }

  /** Nothing is kept any more. */
  async remove(signal: AbortSignal): Promise<void> {
    const refs = await this.all(signal);
    const input = refs.map(({ name }) => `delete ${this.refs}/${name}\n`).join("");
    if (input !== "") await this.repository(["update-ref", "--stdin"], { signal, input });
    await rm(this.folder, { recursive: true, force: true });
  }

  /** With our git directory and index, and the repository's objects. */
  git(
    args: readonly string[],
    options: Partial<GitOptions> & { readonly signal: AbortSignal },
  ): Promise<Buffer> {
    return git(args, {
      ...options,
      gitDir: this.own,
      workTree: this.place.workTree,
      indexFile: this.index,
      inside: this.wall,
      env: { ...options.env, GIT_OBJECT_DIRECTORY: join(this.place.commonDir, "objects") },
    } as GitOptions);
  }

  /** In the person's repository: nothing but refs is read and written there. */
  repository(
    args: readonly string[],
    options: Partial<GitOptions> & { readonly signal: AbortSignal; readonly ofWorkTree?: boolean },
  ): Promise<Buffer> {
    const { ofWorkTree = false, ...given } = options;
    const gitDir = ofWorkTree ? this.place.gitDir : this.place.commonDir;
    return git(args, { ...given, gitDir, workTree: null, inside: this.wall } as GitOptions);
  }

  /** A git directory of our own, and the first time an index that begins as the person's: what it knows is not read again. */
  private async prepare(signal: AbortSignal): Promise<void> {
    // Only a daemon that died has left it.
    await rm(`${this.index}.lock`, { force: true });
    if (this.isReady) return;
    const isThere = await lstat(join(this.own, "HEAD")).catch(() => null);
    if (!isThere) await this.makeOwn();
    if ((await lstat(this.index).catch(() => null)) === null) await this.seedIndex(signal);
    this.isReady = true;
  }

  private async makeOwn(): Promise<void> {
    for (const name of ["objects", "refs", "info"])
      await mkdir(join(this.own, name), { recursive: true, mode: 0o700 });
    const theirs = await readFile(join(this.place.commonDir, "config"), "utf8").catch(() => "");
    const settings = [...theirs.matchAll(FILE_SETTINGS)].map(
      ([, name = "", value = ""]) => `\t${name} = ${value}`,
    );
    const isSha256 = /^\s*objectformat\s*=\s*sha256\s*$/im.test(theirs);
    const format = isSha256 ? ["[extensions]", "\tobjectFormat = sha256"] : [];
    const version = isSha256 ? 1 : 0;
    const config = [
      "[core]",
      `\trepositoryformatversion = ${version}`,
      "\tbare = false",
      ...settings,
      ...format,
    ];
    await writeFile(join(this.own, "config"), `${config.join("\n")}\n`, { mode: 0o600 });
    const excluded = await readFile(join(this.place.commonDir, "info", "exclude")).catch(() => "");
    await writeFile(join(this.own, "info", "exclude"), excluded, { mode: 0o600 });
    // It comes last: without it, this is no git directory.
    await writeFile(join(this.own, "HEAD"), "ref: refs/heads/none\n", { mode: 0o600 });
  }

  private async seedIndex(signal: AbortSignal): Promise<void> {
    const theirs = join(this.place.gitDir, "index");
    const found = await stat(theirs).catch(() => null);
    if (found) {
      await copyFile(theirs, this.index);
      // What was changed in the very moment in which it was written must still be looked at.
      const writtenS = found.mtimeMs / 1_000 - 1;
      await utimes(this.index, writtenS, writtenS);
      try {
        await this.git(["ls-files", "--error-unmatch", "-z", "--cached", "--", ":(top)*"], {
          signal,
          maxBytes: LIST_BYTES_MAX,
        });
        return;
      } catch (error) {
        if (!(error instanceof GitError) || error.code === "aborted" || error.code === "no_git") throw error;
      }
    }
    // None yet, an empty one, or one that cannot be read: then every file is new.
    await rm(this.index, { force: true });
    await this.git(["read-tree", "--empty"], { signal });
  }

  private async changedPaths(signal: AbortSignal): Promise<readonly Buffer[]> {
    const output = await this.git(["ls-files", "-z", "-m", "-o", "--exclude-standard", "--deduplicate"], {
      signal,
      maxBytes: LIST_BYTES_MAX,
    });
    return splitNul(output);
  }

  private async sorted(paths: readonly Buffer[]): Promise<{
    readonly kept: readonly Buffer[];
    readonly left: readonly Buffer[];
    readonly skipped: readonly Skipped[];
  }> {
    const kept: Buffer[] = [];
    const left: Buffer[] = [];
    const skipped: Skipped[] = [];
    for (const path of paths) {
      // A repository inside, which is nobody's file.
      if (path.at(-1) === SLASH) {
        if (skipped.length < SKIPPED_MAX)
          skipped.push({ path: nameOf(path.subarray(0, -1)), why: "repository" });
        continue;
      }
      const found = await lstat(this.fileOf(path)).catch(() => null);
      if (found?.isFile() === true && found.size > FILE_BYTES_MAX) {
        left.push(path);
        if (skipped.length < SKIPPED_MAX)
          skipped.push({ path: nameOf(path), why: "large", bytes: found.size });
      } else kept.push(path);
    }
    return { kept, left, skipped };
  }

  fileOf(path: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.place.workTree}/`), path]);
  }
}

const SLASH = 0x2f;

export function joined(paths: readonly Buffer[]): Buffer {
  return Buffer.concat(paths.flatMap((path) => [path, NUL]));
}

const NUL = Buffer.from([0]);

function readSkipped(body: string): readonly Skipped[] {
  try {
    return JSON.parse(body) as readonly Skipped[];
  } catch {
    // A person may have written a ref there.
    return [];
  }
}

const ALTERNATES_MAX = 16;

/** Folders of objects that a repository borrows, as a shared clone does; of those that are there. */
export async function alternatesOf({ commonDir }: Place): Promise<readonly string[]> {
  const objects = join(commonDir, "objects");
  const text = await readFile(join(objects, "info", "alternates"), "utf8").catch(() => "");
  const named = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const found = await Promise.all(
    named.slice(0, ALTERNATES_MAX).map((line) => realpath(resolve(objects, line)).catch(() => null)),
  );
  return found.filter((path) => path !== null);
}
