/** Puts back what turns changed: only that, and only while it is as the session left it. */
import type { BigIntStats } from "node:fs";
import { link, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { filesBetween } from "./diff.js";
import { startOf, turnsOf } from "./points.js";
import { joined, type Kept, type Store } from "./store.js";
import { nameOf, splitNul } from "../workspace/git.js";

/** `not_kept`: no checkpoint holds what is there now, so that it is never taken away. */
export type LeftBecause = "changed_since" | "changed_between" | "not_kept";

export interface Left {
  readonly path: string;
  readonly because: LeftBecause;
}

export interface Rewound {
  readonly turn: number;
  /** Put back, or taken away where the turn did not have them. */
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Somebody else changed them: they are as they were, and need a confirmation. */
  readonly left: readonly Left[];
  /** Under which name all files were kept before anything was put back. */
  readonly keptAs: string;
}

interface Entry {
  readonly mode: string;
  readonly blob: string;
}
type Tree = ReadonlyMap<string, Entry>;

export async function rewindTo(
  store: Store,
  all: readonly Kept[],
  target: Kept,
  turn: number,
  confirm: boolean,
  signal: AbortSignal,
): Promise<Rewound> {
  const { ofTurns, between } = await changedBy(store, all, turn, signal);
  // Before they are kept: what is still the same later is what was kept.
  const seen = await looksOf(store, ofTurns);
  const now = await store.snapshot(signal);
  const keptAs = `rewind-${all.filter(({ name }) => /^rewind-\d+$/.test(name)).length + 1}`;
  store.pass("before the checkpoint of now");
  await store.keep(keptAs, now, signal, false);
  store.pass("after the checkpoint of now");
  const last = all.find(({ name }) => name === "last") ?? target;
  const [wanted, present, left] = await Promise.all([
    entriesOf(store, target.tree, signal),
    entriesOf(store, now.tree, signal),
    entriesOf(store, last.tree, signal),
  ]);
  const spared: Left[] = [];
  const chosen: string[] = [];
  for (const path of [...ofTurns].sort()) {
    // Nothing to put back, or nothing of what this session left.
    if (isSame(present.get(path), wanted.get(path)) || isSame(left.get(path), wanted.get(path))) continue;
    const isUntouched = isSame(present.get(path), left.get(path));
    const isOthers = between.has(path);
    if ((isUntouched && !isOthers) || confirm) chosen.push(path);
    else spared.push({ path: shown(path), because: isUntouched ? "changed_between" : "changed_since" });
  }
  const { ready, moved } = await setAside(store, chosen, { wanted, present, seen }, spared);
  const restored = await putBack(
    store,
    ready.filter((path) => wanted.has(path)),
    wanted,
    signal,
  );
  for (const path of ready)
    if (wanted.has(path) && !restored.includes(path))
      spared.push({ path: shown(path), because: "changed_since" });
  const removed = ready.filter((path) => !wanted.has(path));
  await dropAsides(store, moved);
  store.pass("after the files");
  for (const path of removed) await removeEmptyParents(store, path);
  // What was left alone is still somebody else's.
  const own = [...removed, ...restored].map((path) => ({ path: bytesOf(path), ...wanted.get(path) }));
  const tree = await store.treeWith(last.tree, own, signal);
  store.pass("before the last checkpoint");
  await store.keep(`${keptAs}-done`, { tree, skipped: now.skipped }, signal, true);
  return { turn, restored: restored.map(shown), removed: removed.map(shown), left: spared, keptAs };
}

/** What the turns after it changed, and what was changed between them by somebody else. */
async function changedBy(store: Store, all: readonly Kept[], turn: number, signal: AbortSignal) {
  const ofTurns = new Set<string>();
  const between = new Set<string>();
  const take = async (set: Set<string>, from: string, to: string): Promise<void> => {
    for (const { bytes, oldBytes } of await filesBetween(store, from, to, signal)) {
      set.add(bytes.toString("latin1"));
      if (oldBytes !== null) set.add(oldBytes.toString("latin1"));
    }
  };
  const turns = turnsOf(all);
  for (const later of turns.filter((other) => other > 0)) {
    const kept = all.find(({ name }) => name === String(later));
    const start = startOf(all, later);
    if (kept) await take(ofTurns, start.tree, kept.tree);
    const before = all.find(({ name }) => name === String(turns.filter((other) => other < later).at(-1)));
    if (later > turn && before && start.tree !== before.tree) await take(between, before.tree, start.tree);
  }
  return { ofTurns, between };
}

async function entriesOf(store: Store, tree: string, signal: AbortSignal): Promise<Tree> {
  const output = await store.git(["ls-tree", "-r", "-z", "--full-tree", tree], { signal });
  return new Map(
    splitNul(output).map((line) => {
      const tab = line.indexOf(0x09);
      const [mode = "", , blob = ""] = line.toString("latin1", 0, tab).split(" ");
      return [line.toString("latin1", tab + 1), { mode, blob }] as const;
    }),
  );
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.mode === b?.mode && a?.blob === b?.blob;
}

function bytesOf(path: string): Buffer {
  return Buffer.from(path, "latin1");
}

function shown(path: string): string {
  return nameOf(bytesOf(path));
}

const SUBMODULE = "160000";

/** What a file looked like; null: it was not there. */
type Look = Pick<BigIntStats, "dev" | "ino" | "size" | "mtimeNs"> | null;
const LOOK = ["dev", "ino", "size", "mtimeNs"] as const;

async function looksOf(store: Store, paths: ReadonlySet<string>): Promise<ReadonlyMap<string, Look>> {
  const looks = new Map<string, Look>();
  for (const path of paths) looks.set(path, await lookedAt(store, path));
  return looks;
}

async function lookedAt(store: Store, path: string): Promise<BigIntStats | null> {
  return lstat(store.fileOf(bytesOf(path)), { bigint: true }).catch(() => null);
}

function looksSame(one: Look, other: Look): boolean {
  return one === null || other === null ? one === other : LOOK.every((name) => one[name] === other[name]);
}

interface Moved {
  readonly path: string;
  readonly aside: string;
}

/**
 * Moves what is to be replaced out of the way, and only what a checkpoint holds: what was written in the meantime is where it
 * was before anybody misses it. `ready`: nothing is there any more.
 */
async function setAside(
  store: Store,
  paths: readonly string[],
  {
    wanted,
    present,
    seen,
  }: { readonly wanted: Tree; readonly present: Tree; readonly seen: ReadonlyMap<string, Look> },
  spared: Left[],
): Promise<{ readonly ready: readonly string[]; readonly moved: readonly Moved[] }> {
  const ready: string[] = [];
  const moves: Moved[] = [];
  for (const path of paths) {
    const found = await lookedAt(store, path);
    const isHeld = !found || (present.has(path) && present.get(path)?.mode !== SUBMODULE);
    const isFile = !found?.isDirectory() && wanted.get(path)?.mode !== SUBMODULE;
    if (!isHeld || !isFile || !(await hasPlainParents(store, path)))
      spared.push({ path: shown(path), because: "not_kept" });
    else if (!looksSame(found, seen.get(path) ?? null))
      spared.push({ path: shown(path), because: "changed_since" });
    else if (found) moves.push({ path, aside: asideOf(path, moves.length) });
    else if (wanted.has(path)) ready.push(path);
  }
  if (moves.length > 0) await store.writeAsides({ isWhole: false, moves });
  const moved: Moved[] = [];
  for (const move of moves) {
    store.pass("before a file is moved");
    await rename(store.fileOf(bytesOf(move.path)), store.fileOf(bytesOf(move.aside)));
    store.pass("after a file is moved");
    const isAsSeen = looksSame(await lookedAt(store, move.aside), seen.get(move.path) ?? null);
    if (isAsSeen) moved.push(move);
    else {
      await moveBack(store, move);
      spared.push({ path: shown(move.path), because: "changed_since" });
    }
  }
  if (moves.length > 0) await store.writeAsides({ isWhole: true, moves: moved });
  return { ready: [...ready, ...moved.map(({ path }) => path)].sort(), moved };
}

/** In the same folder, so that it is only a name that changes. */
function asideOf(path: string, number: number): string {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  return `${folder}.signalbox-rewind-${process.pid}-${number}`;
}

/** Unless something else is there by now: then both stay. */
async function moveBack(store: Store, { path, aside }: Moved): Promise<void> {
  try {
    await link(store.fileOf(bytesOf(aside)), store.fileOf(bytesOf(path)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || code === "ENOENT") return;
    throw error;
  }
  await unlink(store.fileOf(bytesOf(aside)));
}

async function dropAsides(store: Store, moved: readonly Moved[]): Promise<void> {
  for (const { aside } of moved) {
    store.pass("before an old file is dropped");
    await unlink(store.fileOf(bytesOf(aside)));
  }
  await store.writeAsides(null);
}

/** What a daemon that died in a rewind has left: nothing is missing after it. */
export async function finishAsides(store: Store): Promise<void> {
  const asides = await store.readAsides();
  if (!asides) return;
  for (const move of asides.moves) {
    const isReplaced = (await lookedAt(store, move.path)) !== null;
    const isThere = (await lookedAt(store, move.aside)) !== null;
    if (!isThere) continue;
    if (!isReplaced) await moveBack(store, move);
    // Only when each was seen to be what the checkpoint holds.
    else if (asides.isWhole) await unlink(store.fileOf(bytesOf(move.aside)));
  }
  await store.writeAsides(null);
}

function parentsOf(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}

/** Nothing is reached through a link. */
async function hasPlainParents(store: Store, path: string): Promise<boolean> {
  for (const parent of parentsOf(path)) {
    const found = await lstat(store.fileOf(bytesOf(parent))).catch(() => null);
    if (found && !found.isDirectory()) return false;
  }
  return true;
}

async function removeEmptyParents(store: Store, path: string): Promise<void> {
  for (const parent of parentsOf(path).toReversed()) {
    const folder = store.fileOf(bytesOf(parent));
    const names = await readdir(folder).catch(() => null);
    if (names === null || names.length > 0) return;
    await rmdir(folder);
  }
}

/** Only where nothing is: what somebody has put there meanwhile stays, and is the newer one. */
async function putBack(
  store: Store,
  paths: readonly string[],
  wanted: Tree,
  signal: AbortSignal,
): Promise<string[]> {
  if (paths.length === 0) return [];
  const lines = paths.map((path) => {
    const { mode, blob } = wanted.get(path) ?? { mode: "", blob: "" };
    return Buffer.concat([Buffer.from(`${mode} ${blob} 0\t`), bytesOf(path)]);
  });
  store.pass("before the index");
  await store.setEntries(lines, signal);
  store.pass("before files are put back");
  const free: string[] = [];
  for (const path of paths) if ((await lookedAt(store, path)) === null) free.push(path);
  await store.git(["checkout-index", "-q", "-u", "-z", "--stdin"], {
    signal,
    input: joined(free.map(bytesOf)),
  });
  store.pass("after files are put back");
  return free;
}
