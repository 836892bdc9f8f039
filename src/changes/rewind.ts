/** Puts back what turns changed: only that, and only while it is as the session left it. */
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
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
  const now = await store.snapshot(signal);
  const keptAs = `rewind-${all.filter(({ name }) => /^rewind-\d+$/.test(name)).length + 1}`;
  await store.keep(keptAs, now, signal, false);
  const last = all.find(({ name }) => name === "last") ?? target;
  const [wanted, present, left] = await Promise.all([
    entriesOf(store, target.tree, signal),
    entriesOf(store, now.tree, signal),
    entriesOf(store, last.tree, signal),
  ]);
  const { ofTurns, between } = await changedBy(store, all, turn, signal);
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
  const removed = await takeAway(
    store,
    chosen.filter((path) => !wanted.has(path)),
    present,
    spared,
  );
  const restored = await putBack(
    store,
    chosen.filter((path) => wanted.has(path)),
    { wanted, present },
    spared,
    signal,
  );
  // What was left alone is still somebody else's.
  const own = [...removed, ...restored].map((path) => ({ path: bytesOf(path), ...wanted.get(path) }));
  const tree = await store.treeWith(last.tree, own, signal);
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

/** Only files that a checkpoint holds; folders only when nothing is left in them. */
async function takeAway(
  store: Store,
  paths: readonly string[],
  present: Tree,
  spared: Left[],
): Promise<string[]> {
  const removed: string[] = [];
  for (const path of paths) {
    const found = await lstat(store.fileOf(bytesOf(path))).catch(() => null);
    const isHeld = present.has(path) && present.get(path)?.mode !== SUBMODULE;
    if (!found) continue;
    if (!isHeld || found.isDirectory() || !(await hasPlainParents(store, path))) {
      spared.push({ path: shown(path), because: "not_kept" });
      continue;
    }
    await unlink(store.fileOf(bytesOf(path)));
    await removeEmptyParents(store, path);
    removed.push(path);
  }
  return removed;
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
    if ((await readdir(folder)).length > 0) return;
    await rmdir(folder);
  }
}

async function putBack(
  store: Store,
  paths: readonly string[],
  { wanted, present }: { readonly wanted: Tree; readonly present: Tree },
  spared: Left[],
  signal: AbortSignal,
): Promise<string[]> {
  const restored: string[] = [];
  for (const path of paths) {
    const found = await lstat(store.fileOf(bytesOf(path))).catch(() => null);
    const isHeld = !found || present.has(path);
    const isPlain = !found?.isDirectory() && (await hasPlainParents(store, path));
    const isFile = wanted.get(path)?.mode !== SUBMODULE;
    if (isHeld && isPlain && isFile) restored.push(path);
    else spared.push({ path: shown(path), because: "not_kept" });
  }
  if (restored.length === 0) return [];
  const lines = restored.map((path) => {
    const { mode, blob } = wanted.get(path) ?? { mode: "", blob: "" };
    return Buffer.concat([Buffer.from(`${mode} ${blob} 0\t`), bytesOf(path)]);
  });
  await store.setEntries(lines, signal);
  await store.git(["checkout-index", "-f", "-u", "-z", "--stdin"], {
    signal,
    input: joined(restored.map(bytesOf)),
  });
  return restored;
}
