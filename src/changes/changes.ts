/** The files of every session: kept at the start, at the end of every turn, and before anything of them is put back. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Crash } from "../workspace/driver.js";
import { GitError, git } from "../workspace/git.js";
import { copyOut, removeCopies, type Origin } from "./copy-out.js";
import { filesBetween, filesUntilNow, patchOf, type RawChange, type Told } from "./diff.js";
import { ChangesError, keptAt, startOf, turnsOf } from "./points.js";
import { forgetRewind, rememberRewind, rewindNote } from "./rewind-note.js";
import { finishAsides, rewindTo, type Rewound } from "./rewind.js";
import {
  FILE_BYTES_MAX,
  Store,
  alternatesOf,
  type Kept,
  type Place,
  type Skipped,
  type WallParts,
} from "./store.js";

/** The machine waits for 10 s; whoever keeps the files gives up before that. */
const KEEP_MS = 9_000;
const LOOK_MS = 60_000;

export interface ChangesOptions {
  readonly dataDir: string;
  /** Where a folder's repository is, by what is on disk; null: it is in none. */
  readonly findPlace: (cwd: string) => Promise<Place | null>;
  readonly wall: () => Promise<WallParts>;
  /** Of a folder in a workspace; null or absent: it is in none. */
  readonly originOf?: (cwd: string) => Origin | null;
  readonly onProblem?: (what: string, error: unknown) => void;
  /** See `Store`. */
  readonly pass?: (point: string) => void;
}

/** A state of the files: the start, the end of a turn, what was there before one, the last commit, or now. */
export type Point =
  | { readonly type: "base" }
  | { readonly type: "turn"; readonly turn: number }
  | { readonly type: "start"; readonly turn: number }
  | { readonly type: "head" }
  | { readonly type: "now" };

export interface Span {
  readonly from: Point;
  readonly to: Point;
}

export interface Changed {
  readonly branch: string | null;
  readonly turns: readonly number[];
  readonly files: readonly RawChange[];
  /** Not kept, so that nothing is known of how they changed. */
  readonly skipped: readonly Skipped[];
}

/** Where it is missing, that is no trouble of a session's. */
async function hasGit(): Promise<boolean> {
  try {
    await git(["--version"], { cwd: "/" });
    return true;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return false;
  }
}

type Differing = Pick<Changed, "files" | "skipped">;

const DIFFERENCES_MAX = 8;
const KNOWN_FILES_MAX = 5_000;

interface Session {
  readonly store: Store;
  readonly origin: Origin | null;
  /** What is being copied to the original; then whatever was kept meanwhile. */
  copying: Promise<void> | null;
  isMoreToCopy: boolean;
  /** One thing at a time: they share an index. */
  tail: Promise<unknown>;
}

export class Changes {
  private readonly sessions = new Map<string, Promise<Session | null>>();
  /** What was looked at last: whoever looks again mostly sees the same. */
  private readonly differences = new Map<string, Told>();

  constructor(private readonly options: ChangesOptions) {}

  /** Whether the files of a session there can be kept. */
  async canKeep(cwd: string): Promise<boolean> {
    return (await this.options.findPlace(cwd)) !== null && hasGit();
  }

  /** Before a turn begins: what is there is not its doing. What is kept already stays. */
  async keepStart(sessionId: string, cwd: string, turn: number): Promise<void> {
    await this.withStore(sessionId, cwd, KEEP_MS, async (store, signal) => {
      const all = await store.all(signal);
      const has = (name: string) => all.some((kept) => kept.name === name);
      if (has(`${turn}-start`) || has(String(turn))) return;
      const now = await store.snapshot(signal);
      if (!has("0")) return store.keep("0", now, signal, true);
      const last = all.find(({ name }) => name === "last");
      if (last?.tree !== now.tree) await store.keep(`${turn}-start`, now, signal, false);
    });
    await this.beginCopying(sessionId);
  }

  /** At the end of a turn. Done twice, it acts once. */
  async keepTurn(sessionId: string, cwd: string, turn: number): Promise<void> {
    await this.withStore(sessionId, cwd, KEEP_MS, async (store, signal) => {
      const all = await store.all(signal);
      if (all.some(({ name }) => name === String(turn))) return;
      await store.snapshotAs(String(turn), signal);
    });
    await this.beginCopying(sessionId);
  }

  /** Nobody waits for it: what is not copied now is so with the next checkpoint. */
  private async beginCopying(sessionId: string): Promise<void> {
    const session = await this.sessions.get(sessionId);
    if (!session?.origin) return;
    session.isMoreToCopy = true;
    session.copying ??= this.copy(session, session.origin, this.folderOf(sessionId))
      .catch((error: unknown) =>
        this.options.onProblem?.(`checkpoints of ${sessionId} are not in the original`, error),
      )
      .finally(() => {
        session.copying = null;
      });
  }

  private async copy(session: Session, origin: Origin, folder: string): Promise<void> {
    while (session.isMoreToCopy) {
      session.isMoreToCopy = false;
      await copyOut(session.store, origin, folder, AbortSignal.timeout(LOOK_MS));
    }
  }

  changes(sessionId: string, cwd: string, span: Span): Promise<Changed> {
    return this.looking(sessionId, cwd, async (store, signal) => {
      const all = await this.allOf(store, signal);
      const from = await treeAt(store, all, span.from, signal);
      const { files, skipped } =
        span.to.type === "now"
          ? await this.untilNow(store, from.tree, signal)
          : await this.between(store, from.tree, await treeAt(store, all, span.to, signal), signal);
      return { branch: await branchOf(store), turns: turnsOf(all), files, skipped };
    });
  }

  private async between(store: Store, from: string, to: Tree, signal: AbortSignal): Promise<Differing> {
    const key = [store.refs, from].join(" ");
    const known = this.differences.get(key);
    const files = known?.to === to.tree ? known.files : await filesBetween(store, from, to.tree, signal);
    this.learn(key, to.tree, files);
    return { files, skipped: to.skipped };
  }

  private async untilNow(store: Store, from: string, signal: AbortSignal): Promise<Differing> {
    const key = [store.refs, from].join(" ");
    const told = this.differences.get(key) ?? null;
    const { tree, skipped, files } = await filesUntilNow(store, from, told, signal);
    this.learn(key, tree, files);
    return { files, skipped };
  }

  /** The newest last; the oldest is forgotten. */
  private learn(key: string, to: string, files: readonly RawChange[]): void {
    this.differences.delete(key);
    if (files.length <= KNOWN_FILES_MAX) this.differences.set(key, { to, files });
    const oldest = this.differences.keys().next();
    if (this.differences.size > DIFFERENCES_MAX && oldest.done !== true)
      this.differences.delete(oldest.value);
  }

  /** `paths`: as a person reads them; null: all. */
  patch(sessionId: string, cwd: string, span: Span, paths: readonly string[] | null): Promise<Buffer> {
    return this.looking(sessionId, cwd, async (store, signal) => {
      const { from, to } = await this.treesOf(store, span, signal);
      if (paths === null) return patchOf(store, from, to, null, signal);
      const files = await filesBetween(store, from, to, signal);
      const wanted = files.filter(({ path, oldPath }) =>
        paths.some((asked) => isAt(path, asked) || (oldPath !== null && isAt(oldPath, asked))),
      );
      return patchOf(store, from, to, wanted, signal);
    });
  }

  /** What a file held, by git's name of it. */
  blob(sessionId: string, cwd: string, blob: string): Promise<Buffer> {
    return this.looking(sessionId, cwd, (store, signal) =>
      store.git(["cat-file", "blob", blob], { signal, maxBytes: FILE_BYTES_MAX }),
    );
  }

  /** Puts back what the turns after this one changed. `confirm`: also what somebody else has changed since. */
  rewind(sessionId: string, cwd: string, turn: number, confirm: boolean): Promise<Rewound> {
    return this.looking(sessionId, cwd, async (store, signal) => {
      const all = await store.all(signal);
      const target = keptAt(all, turn);
      try {
        const rewound = await rewindTo(store, all, target, turn, confirm, signal);
        await rememberRewind(this.folderOf(sessionId), rewound);
        return rewound;
      } catch (error) {
        // A daemon that has died does it at its next start.
        if (!(error instanceof Crash)) await finishAsides(store);
        throw error;
      }
    });
  }

  /** What its agent is still to be told of rewinds; null: nothing. */
  noteFor(sessionId: string): Promise<string | null> {
    return rewindNote(this.folderOf(sessionId));
  }

  /** It was told. */
  forgetNote(sessionId: string): Promise<void> {
    return forgetRewind(this.folderOf(sessionId));
  }

  /** Nothing of the session is kept any more. */
  async remove(sessionId: string): Promise<void> {
    const opened = await this.sessions.get(sessionId)?.catch(() => null);
    opened?.store.close();
    await opened?.copying;
    const folder = this.folderOf(sessionId);
    const place = await readPlace(folder);
    if (place?.origin)
      await removeCopies(`refs/signalbox/${sessionId}`, place.origin, AbortSignal.timeout(LOOK_MS));
    if (place !== null) {
      const store = new Store(sessionId, folder, place, await this.options.wall(), await alternatesOf(place));
      await store.remove(AbortSignal.timeout(LOOK_MS));
    }
    await rm(folder, { recursive: true, force: true });
    this.sessions.delete(sessionId);
  }

  private looking<T>(
    sessionId: string,
    cwd: string,
    act: (store: Store, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.withStore(sessionId, cwd, LOOK_MS, act).catch((error: unknown) => {
      if (error instanceof GitError) throw new ChangesError("git", error.message);
      throw error;
    });
  }

  private async withStore<T>(
    sessionId: string,
    cwd: string,
    patienceMs: number,
    act: (store: Store, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = await this.sessionOf(sessionId, cwd);
    const before = session.tail;
    const done = (async () => {
      await before;
      return act(session.store, AbortSignal.timeout(patienceMs));
    })();
    // Whoever is next waits for it, and not for how it ended.
    session.tail = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  private async sessionOf(sessionId: string, cwd: string): Promise<Session> {
    let opening = this.sessions.get(sessionId);
    if (!opening) {
      opening = this.open(sessionId, cwd);
      this.sessions.set(sessionId, opening);
    }
    const session = await opening.catch((error: unknown) => {
      this.sessions.delete(sessionId);
      throw error;
    });
    if (session) return session;
    this.sessions.delete(sessionId);
    throw new ChangesError(
      "no_changes",
      "Nothing is kept of this session's files: its folder was in no git repository when it was started, or [checkpoints] mode is off.",
    );
  }

  /** By our own record, which no agent can write; made where there is none yet. */
  private async open(sessionId: string, cwd: string): Promise<Session | null> {
    const folder = this.folderOf(sessionId);
    const known = await readPlace(folder);
    const place = known ?? (await this.find(cwd));
    if (!place) return null;
    if (!known) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, "place.json"), JSON.stringify(place), { mode: 0o600 });
    }
    const [wall, alternates] = [await this.options.wall(), await alternatesOf(place)];
    const store = new Store(sessionId, folder, place, wall, alternates, this.options.pass);
    await finishAsides(store);
    const origin = place.origin ?? null;
    return { store, origin, copying: null, isMoreToCopy: false, tail: Promise.resolve() };
  }

  private async find(cwd: string): Promise<RecordedPlace | null> {
    const place = await this.options.findPlace(cwd);
    const origin = this.options.originOf?.(cwd) ?? null;
    // A worktree of the original has its refs there anyway.
    return place && origin && origin.commonDir !== place.commonDir ? { ...place, origin } : place;
  }

  private folderOf(sessionId: string): string {
    return join(this.options.dataDir, "checkpoints", sessionId);
  }

  private async allOf(store: Store, signal: AbortSignal): Promise<readonly Kept[]> {
    const all = await store.all(signal);
    if (!all.some(({ name }) => name === "0"))
      throw new ChangesError("no_changes", "Nothing was kept of this session's files when it was started.");
    return all;
  }

  private async treesOf(store: Store, { from, to }: Span, signal: AbortSignal) {
    const all = await this.allOf(store, signal);
    const first = await treeAt(store, all, from, signal);
    const second = await treeAt(store, all, to, signal);
    return { from: first.tree, to: second.tree };
  }
}

function isAt(path: string, asked: string): boolean {
  const folder = asked.replace(/\/+$/, "");
  return path === folder || path.startsWith(`${folder}/`) || folder === "." || folder === "";
}

type Tree = Pick<Kept, "tree" | "skipped">;

async function treeAt(store: Store, all: readonly Kept[], point: Point, signal: AbortSignal): Promise<Tree> {
  switch (point.type) {
    case "base":
      return keptAt(all, 0);
    case "turn":
      return keptAt(all, point.turn);
    case "start":
      return startOf(all, point.turn);
    case "now":
      return store.snapshot(signal);
    case "head":
      return { tree: await headTree(store, signal), skipped: [] };
  }
}

async function headTree(store: Store, signal: AbortSignal): Promise<string> {
  try {
    const tree = await store.repository(["rev-parse", "--verify", "-q", "HEAD^{tree}"], {
      signal,
      ofWorkTree: true,
    });
    return tree.toString("utf8").trim();
  } catch (error) {
    if (!(error instanceof GitError) || error.code !== "failed") throw error;
    // No commit yet.
    return (await store.git(["mktree"], { signal, input: "" })).toString("utf8").trim();
  }
}

/** Null: HEAD is at no branch. Read as a file: it is one in every repository. */
async function branchOf({ place }: Store): Promise<string | null> {
  const head = await readFile(join(place.gitDir, "HEAD"), "utf8").catch(() => "");
  return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? null;
}

/** As it was when the session was started. */
interface RecordedPlace extends Place {
  readonly origin?: Origin;
}

async function readPlace(folder: string): Promise<RecordedPlace | null> {
  try {
    return JSON.parse(await readFile(join(folder, "place.json"), "utf8")) as RecordedPlace;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}
