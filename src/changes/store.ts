/**
 * Where the files of one session are kept: commits of all of them under `refs/signalbox/<session>/`, in the repository that
 * they are in, made with an index of our own.
 *
 * Git works with a git directory of ours, so that it takes no settings that an agent may have written, and with the
 * repository's objects. The person's index, branches and stash are not looked at again after the first time, and never
 * touched.
 */
import type { Stats } from "node:fs";
import {
  copyFile,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join, resolve } from "node:path";
import { GitError, git, nameOf, splitNul, type GitOptions } from "../workspace/git.js";
import { ASK, GitShell, quoted } from "../workspace/git-shell.js";
import type { GitWall } from "../workspace/git-wall.js";

/** Larger ones are named, and not kept. */
export const FILE_BYTES_MAX = 10 * 1024 * 1024;
const SKIPPED_MAX = 100;
const LOOKS_MAX = 256;
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

/** Names of files, each byte as a character. `isWhole`: each is what the checkpoint of before holds. */
export interface Asides {
  readonly isWhole: boolean;
  readonly moves: readonly { readonly path: string; readonly aside: string }[];
}

const WHO = "Signalbox <signalbox@localhost>";

/** Settings of the repository that say what its files are, and that make git run nothing. */
const FILE_SETTINGS = /^\s*(filemode|ignorecase|symlinks|autocrlf|eol|precomposeunicode)\s*=\s*(\w+)\s*$/gim;

/** What is new and what is changed is looked for side by side; what is answered goes into the index, and is out of it where it was too large. */
const TAKE = String.raw`
git ls-files -z --others --exclude-standard >"$SIGNALBOX_SHELL/fresh" & fresh=$!
git ls-files -z --modified >"$SIGNALBOX_SHELL/changed" && wait $fresh && ${ASK} || exit
if [ "$said" != same ]; then
  git update-index --add --remove --replace -z --stdin <"$SIGNALBOX_SHELL/taken" || exit
  [ ! -s "$SIGNALBOX_SHELL/left" ] || git update-index --force-remove -z --stdin <"$SIGNALBOX_SHELL/left" || exit
fi`;

/** Nothing is written again when nothing has changed. Trees are names of objects, which no compression makes smaller. */
const WRITE_TREE =
  'if [ "$said" = same ]; then echo "$SIGNALBOX_TAKEN"; else git -c core.looseCompression=0 write-tree; fi';

/**
 * Commits a tree. All processes are started at once, and wait for what is before them: starting one takes as long as what it
 * does. Where one fails, the last gets a command that it does not know, and changes no ref. The refs are the repository's;
 * its settings say nothing about contents.
 */
const commitOf = (before: string, tree: string): string => String.raw`
{
  {
    ${before}
    tree=${tree} && echo "$tree" >&5 && IFS= read -r skipped <"$SIGNALBOX_SHELL/skipped" || exit
    printf 'tree %s\n%s%s\n' "$tree" "$SIGNALBOX_COMMIT" "$skipped"
  } |
  git hash-object -t commit -w --stdin |
  if read -r commit; then
    echo "$commit" >&5
    for ref in $SIGNALBOX_REFS; do echo "update $ref $commit"; done
  else
    echo failed
  fi |
  git --git-dir="$SIGNALBOX_REPOSITORY" update-ref --stdin
} 5>&1`;

export class Store {
  readonly refs: string;
  private readonly own: string;
  private readonly index: string;
  private readonly wall: GitWall | null;
  private isReady = false;
  private known: readonly Kept[] | null = null;
  private readonly shell: GitShell;
  /** What the index holds, by what was too large then; null: that is not known. */
  private taken: { readonly tree: string; readonly left: string } | null = null;

  constructor(
    sessionId: string,
    private readonly folder: string,
    readonly place: Place,
    wall: WallParts,
    /** Whose objects the repository borrows. */
    alternates: readonly string[] = [],
    /** Called between the steps of what changes files: a test may throw there, as if the daemon had died. */
    readonly pass: (point: string) => void = () => undefined,
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
    this.shell = new GitShell({
      place: { gitDir: this.own, workTree: place.workTree },
      indexFile: this.index,
      env: this.objects,
      inside: this.wall,
      folder,
      watched: [...new Set([folder, place.workTree, place.commonDir, place.gitDir, ...alternates])],
    });
  }

  /** All files as they are now, as a tree. */
  async snapshot(signal: AbortSignal): Promise<Snapshot> {
    const { tree, skipped } = await this.take(`${TAKE}\n${WRITE_TREE}`, {}, signal, noTree);
    return { tree, skipped };
  }

  /** The same, kept under a name at once. */
  async snapshotAs(name: string, signal: AbortSignal): Promise<void> {
    const all = await this.all(signal);
    const script = commitOf(TAKE, `$(${WRITE_TREE})`);
    const { output, skipped } = await this.take(
      script,
      this.commitVariables(name, true, all),
      signal,
      // Whatever is not kept may be gone by now: git writes it again.
      (tree) => all.some((kept) => kept.tree === tree),
    );
    this.remember(output, { name, skipped, isLast: true }, all);
  }

  /**
   * The same, with what it prints of the difference to a tree. `known`: a tree whose difference nobody asks for again;
   * `mayBeFew`: where only a few files have changed since that one, only their difference is told, as `few`.
   */
  async snapshotAgainst(
    from: string,
    diff: readonly string[],
    known: { readonly tree: string; readonly mayBeFew: boolean } | null,
    signal: AbortSignal,
  ): Promise<Snapshot & { readonly difference: Buffer | null; readonly few: readonly string[] | null }> {
    const asked = `git ${diff.join(" ")} "$SIGNALBOX_FROM" "$tree"`;
    const script = String.raw`${TAKE}
tree=$(${WRITE_TREE}) && echo "$tree" || exit
[ "$tree" = "$SIGNALBOX_KNOWN" ] || [ "$said" = few ] || ${asked}`;
    const env = { SIGNALBOX_FROM: from, SIGNALBOX_KNOWN: known?.tree ?? "" };
    const isKnown = (tree: string): boolean => tree === known?.tree;
    const { tree, skipped, output, few } = await this.take(script, env, signal, isKnown, known?.mayBeFew);
    if (tree === known?.tree) return { tree, skipped, difference: null, few: null };
    if (few === null)
      return { tree, skipped, difference: output.subarray(output.indexOf("\n") + 1), few: null };
    const paths = few.map((path) => quoted(`:(literal)${path}`)).join(" ");
    const ofFew = `tree=${tree}\n${asked} -- ${paths}`;
    return { tree, skipped, difference: await this.shell.run(ofFew, { signal, env }), few };
  }

  /** Keeps a tree under a name. */
  async keep(name: string, { tree, skipped }: Snapshot, signal: AbortSignal, isLast: boolean): Promise<void> {
    const all = await this.all(signal);
    await this.prepare(signal);
    await this.writeSkipped(skipped);
    const given = /^[0-9a-f]+$/.exec(tree)?.[0] ?? "";
    const env = this.commitVariables(name, isLast, all);
    this.remember(
      await this.shell.run(commitOf(":", given), { signal, env }),
      { name, skipped, isLast },
      all,
    );
  }

  private commitVariables(
    name: string,
    isLast: boolean,
    all: readonly Kept[],
  ): Readonly<Record<string, string>> {
    const before = all.find((kept) => kept.name === "last");
    const seconds = Math.floor(Date.now() / 1_000);
    const lines = [
      ...(before === undefined ? [] : [`parent ${before.commit}`]),
      `author ${WHO} ${seconds} +0000`,
      `committer ${WHO} ${seconds} +0000`,
      "",
      `Signalbox: ${name}`,
      "",
      "",
    ];
    const refs = [name, ...(isLast ? ["last"] : [])].map((each) => `${this.refs}/${each}`);
    return {
      SIGNALBOX_COMMIT: lines.join("\n"),
      SIGNALBOX_REFS: refs.join(" "),
      SIGNALBOX_REPOSITORY: this.place.commonDir,
    };
  }

  private remember(
    output: Buffer,
    {
      name,
      skipped,
      isLast,
    }: { readonly name: string; readonly skipped: readonly Skipped[]; readonly isLast: boolean },
    all: readonly Kept[],
  ): void {
    const [tree = "", commit = ""] = output.toString("utf8").split("\n");
    const made = { commit, tree, atMs: Date.now(), skipped };
    this.known = [
      ...all.filter((kept) => kept.name !== name && !(isLast && kept.name === "last")),
      { ...made, name },
      ...(isLast ? [{ ...made, name: "last" }] : []),
    ];
  }

  /** Runs a script with `TAKE` in it, which prints the tree first, and answers what that asks. */
  private async take(
    script: string,
    env: Readonly<Record<string, string>>,
    signal: AbortSignal,
    /** Whether a tree need not be written again. */
    isThere: (tree: string) => boolean,
    mayBeFew = false,
  ): Promise<Snapshot & { readonly output: Buffer; readonly few: readonly string[] | null }> {
    await this.prepare(signal);
    const { taken } = this;
    this.taken = null;
    const isSame = taken !== null && isThere(taken.tree);
    let sorted: Sorted = { kept: [], left: [], skipped: [] };
    let left = "";
    let few: readonly string[] | null = null;
    const answer = async (): Promise<string> => {
      const [fresh, changed] = await Promise.all([this.listed("fresh"), this.listed("changed")]);
      // What is gone goes first: a folder may be where a file was.
      sorted = await this.sorted([...changed, ...fresh]);
      left = sorted.left.map((path) => path.toString("latin1")).join("\0");
      await this.writeSkipped(sorted.skipped);
      if (isSame && sorted.kept.length === 0 && taken.left === left) return "same";
      await writeFile(this.shell.file("taken"), joined(sorted.kept), { mode: 0o600 });
      const leftNow = left === taken?.left ? [] : sorted.left;
      await writeFile(this.shell.file("left"), joined(leftNow), { mode: 0o600 });
      if (mayBeFew && isSame && taken.left === left) few = fewOf(sorted.kept);
      return few === null ? "other" : "few";
    };
    const all = { ...env, SIGNALBOX_TAKEN: taken?.tree ?? "" };
    const output = await this.shell.run(script, { signal, env: all, maxBytes: LIST_BYTES_MAX, answer });
    const tree = output.toString("utf8", 0, output.indexOf("\n"));
    this.taken = { tree, left };
    return { tree, skipped: sorted.skipped, output, few };
  }

  private async listed(name: string): Promise<readonly Buffer[]> {
    const file = this.shell.file(name);
    const { size } = await stat(file);
    if (size > LIST_BYTES_MAX)
      throw new GitError("output_too_large", `a list of more than ${LIST_BYTES_MAX} bytes`, [name]);
    return splitNul(await readFile(file));
  }

  private async writeSkipped(skipped: readonly Skipped[]): Promise<void> {
    await writeFile(this.shell.file("skipped"), `${JSON.stringify(skipped)}\n`, { mode: 0o600 });
  }

  /** What a rewind has moved out of the way; null: nothing any more. */
  async writeAsides(asides: Asides | null): Promise<void> {
    const file = join(this.folder, "asides.json");
    if (asides === null) return rm(file, { force: true });
    await writeFile(`${file}.new`, JSON.stringify(asides), { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async readAsides(): Promise<Asides | null> {
    const text = await readFile(join(this.folder, "asides.json"), "utf8").catch(() => null);
    return text === null ? null : (JSON.parse(text) as Asides);
  }

  /** Entries of the index are set by somebody else than a snapshot. */
  async setEntries(lines: readonly Buffer[], signal: AbortSignal): Promise<void> {
    this.taken = null;
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
    const index = join(this.folder, "index-of-tree");
    await rm(`${index}.lock`, { force: true });
    const none = "0".repeat(tree.length);
    const lines = entries.map(({ path, mode = "0", blob = none }) =>
      Buffer.concat([Buffer.from(`${mode} ${blob} 0\t`), path]),
    );
    await writeFile(this.shell.file("entries"), joined(lines), { mode: 0o600 });
    const script = `export GIT_INDEX_FILE
whole() { git -c core.splitIndex=false "$@"; }
whole read-tree "$SIGNALBOX_TREE" && whole update-index --replace -z --index-info <"$SIGNALBOX_SHELL/entries" && whole write-tree`;
    const env = { GIT_INDEX_FILE: index, SIGNALBOX_TREE: tree };
    return (await this.shell.run(script, { signal, env })).toString("utf8").trim();
  }

  close(): void {
    this.shell.close();
  }

  /** Nothing is kept any more. */
  async remove(signal: AbortSignal): Promise<void> {
    const refs = await this.all(signal);
    const input = refs.map(({ name }) => `delete ${this.refs}/${name}\n`).join("");
    if (input !== "") await this.repository(["update-ref", "--stdin"], { signal, input });
    this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** With our git directory and index, and the repository's objects. */
  git(
    args: readonly string[],
    options: Partial<GitOptions> & { readonly signal: AbortSignal },
  ): Promise<Buffer> {
    return git(args, this.optionsOf(options));
  }

  private get objects(): Readonly<Record<string, string>> {
    return { GIT_OBJECT_DIRECTORY: join(this.place.commonDir, "objects") };
  }

  private optionsOf(options: Partial<GitOptions>): GitOptions {
    return {
      ...options,
      gitDir: this.own,
      workTree: this.place.workTree,
      indexFile: this.index,
      inside: this.wall,
      env: { ...options.env, ...this.objects },
    } as GitOptions;
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
      // What does not change is written once: a checkpoint writes only what has.
      "\tsplitIndex = true",
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

  private async sorted(paths: readonly Buffer[]): Promise<Sorted> {
    const kept: Buffer[] = [];
    const left: Buffer[] = [];
    const skipped: Skipped[] = [];
    const founds = await this.lookedAt(paths);
    for (const [at, path] of paths.entries()) {
      // A repository inside, which is nobody's file.
      if (path.at(-1) === SLASH) {
        if (skipped.length < SKIPPED_MAX)
          skipped.push({ path: nameOf(path.subarray(0, -1)), why: "repository" });
        continue;
      }
      const found = founds[at];
      if (found?.isFile() === true && found.size > FILE_BYTES_MAX) {
        left.push(path);
        if (skipped.length < SKIPPED_MAX)
          skipped.push({ path: nameOf(path), why: "large", bytes: found.size });
      } else kept.push(path);
    }
    return { kept, left, skipped };
  }

  /** Many at a time, and not all. */
  private async lookedAt(paths: readonly Buffer[]): Promise<readonly (Stats | null)[]> {
    const founds: (Stats | null)[] = [];
    for (let at = 0; at < paths.length; at += LOOKS_MAX) {
      const some = paths.slice(at, at + LOOKS_MAX);
      founds.push(...(await Promise.all(some.map((path) => lstat(this.fileOf(path)).catch(() => null)))));
    }
    return founds;
  }

  fileOf(path: Buffer): Buffer {
    return Buffer.concat([Buffer.from(`${this.place.workTree}/`), path]);
  }
}

const SLASH = 0x2f;

interface Sorted {
  readonly kept: readonly Buffer[];
  readonly left: readonly Buffer[];
  readonly skipped: readonly Skipped[];
}

const noTree = (): boolean => false;

const FEW = 50;

/** Names as text, for arguments; null: too many, or some are none. */
function fewOf(paths: readonly Buffer[]): readonly string[] | null {
  const names = paths.map((path) => path.toString("utf8"));
  const isText = paths.every((path, at) => Buffer.from(names[at] ?? "").equals(path));
  return paths.length <= FEW && isText ? names : null;
}

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
