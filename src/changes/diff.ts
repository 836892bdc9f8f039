/** What differs between two trees, as git tells it. */
import { nameOf, splitNul } from "../workspace/git.js";
import type { Snapshot, Store } from "./store.js";

export type ChangeStatus = "added" | "deleted" | "modified" | "renamed" | "type_changed";

export interface FileChange {
  /** As a person reads it. */
  readonly path: string;
  readonly oldPath: string | null;
  readonly status: ChangeStatus;
  /** Lines; null: it is not text, or too large to be looked at. */
  readonly added: number | null;
  readonly removed: number | null;
  /** The contents, by which a comment can be pinned; null: there is none on this side. */
  readonly oldBlob: string | null;
  readonly newBlob: string | null;
  readonly isSubmodule: boolean;
}

/** A change with its names as bytes, which need not be UTF-8. */
export interface RawChange extends FileChange {
  readonly bytes: Buffer;
  readonly oldBytes: Buffer | null;
}

const DIFF_BYTES_MAX = 32 * 1024 * 1024;
/** Nothing that a repository names is run, and larger files are not compared line by line. */
const DIFF = [
  "-c",
  "core.bigFileThreshold=10m",
  "diff-tree",
  "-r",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
];

export async function filesBetween(
  store: Store,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly RawChange[]> {
  if (from === to) return [];
  const output = await store.git([...FILES, from, to], { signal, maxBytes: DIFF_BYTES_MAX });
  return parseChanges(splitNul(output));
}

const FILES = [...DIFF, "-z", "--raw", "--numstat", "-M", "--abbrev=64"];

/** What was told of a tree before. */
export interface Told {
  readonly to: string;
  readonly files: readonly RawChange[];
}

/** The same up to now, in one go. `told`: what need not be compared again. */
export async function filesUntilNow(
  store: Store,
  from: string,
  told: Told | null,
  signal: AbortSignal,
): Promise<Snapshot & { readonly files: readonly RawChange[] }> {
  const known = told && { tree: told.to, mayBeFew: told.files.every(isPlain) };
  const { tree, skipped, difference, few } = await store.snapshotAgainst(from, FILES, known, signal);
  if (difference === null) return { tree, skipped, files: told?.files ?? [] };
  const files = parseChanges(splitNul(difference));
  if (few === null) return { tree, skipped, files };
  // A file that is new or gone may be another's new name.
  if (!files.every(isPlain)) return { tree, skipped, files: await filesBetween(store, from, tree, signal) };
  return { tree, skipped, files: merged(told?.files ?? [], files, few) };
}

function isPlain({ status }: FileChange): boolean {
  return status === "modified";
}

/** `looked`: the paths that are told anew. */
function merged(
  before: readonly RawChange[],
  now: readonly RawChange[],
  looked: readonly string[],
): readonly RawChange[] {
  const again = new Set(looked.map((path) => Buffer.from(path).toString("latin1")));
  const others = before.filter(({ bytes }) => !again.has(bytes.toString("latin1")));
  return [...others, ...now].sort((one, other) => one.bytes.compare(other.bytes));
}

const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: "added",
  D: "deleted",
  M: "modified",
  R: "renamed",
  T: "type_changed",
};
const SUBMODULE = "160000";

/** First every change, then the counts in the same order. */
export function parseChanges(parts: readonly Buffer[]): readonly RawChange[] {
  const changes: RawChange[] = [];
  let at = 0;
  for (; parts[at]?.[0] === COLON;) {
    const [oldMode = "", newMode, oldBlob = "", newBlob = "", letter = "M"] = (parts[at] ?? Buffer.alloc(0))
      .toString("latin1")
      .slice(1)
      .split(" ");
    const status = STATUSES[letter.charAt(0)] ?? "modified";
    const isRename = letter.startsWith("R") || letter.startsWith("C");
    const first = parts[at + 1] ?? Buffer.alloc(0);
    const bytes = isRename ? (parts[at + 2] ?? first) : first;
    changes.push({
      bytes,
      oldBytes: isRename ? first : null,
      path: nameOf(bytes),
      oldPath: isRename ? nameOf(first) : null,
      status,
      added: null,
      removed: null,
      oldBlob: /^0+$/.test(oldBlob) ? null : oldBlob,
      newBlob: /^0+$/.test(newBlob) ? null : newBlob,
      isSubmodule: newMode === SUBMODULE || oldMode === SUBMODULE,
    });
    at += isRename ? 3 : 2;
  }
  return changes.map((change) => {
    const [added = "-", removed = "-"] = (parts[at] ?? Buffer.alloc(0)).toString("latin1").split("\t");
    at += change.oldBytes === null ? 1 : 3;
    return { ...change, added: countOf(added), removed: countOf(removed) };
  });
}

const COLON = 0x3a;

function countOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** The whole difference of these changes, as a patch. */
export async function patchOf(
  store: Store,
  from: string,
  to: string,
  changes: readonly RawChange[] | null,
  signal: AbortSignal,
): Promise<Buffer> {
  if (from === to || changes?.length === 0) return Buffer.alloc(0);
  const names =
    changes?.flatMap(({ bytes, oldBytes }) => (oldBytes === null ? [bytes] : [oldBytes, bytes])) ?? [];
  // Arguments are text: what is none is asked for with all others, and taken out of them.
  const isText = names.every((name) => Buffer.from(name.toString("utf8")).equals(name));
  const paths =
    changes === null || !isText || names.length > PATHS_MAX
      ? []
      : ["--", ...names.map((name) => `:(literal)${name.toString("utf8")}`)];
  const patch = await store.git([...DIFF, "-p", "-M", from, to, ...paths], {
    signal,
    maxBytes: DIFF_BYTES_MAX,
  });
  if (changes === null || paths.length > 0) return patch;
  return onlyOf(
    patch,
    await filesBetween(store, from, to, signal),
    new Set(changes.map(({ bytes }) => bytes.toString("latin1"))),
  );
}

const PATHS_MAX = 500;
const HEADER = Buffer.from("diff --git ");

/** Patches stand in the order of their changes. */
function onlyOf(patch: Buffer, all: readonly RawChange[], wanted: ReadonlySet<string>): Buffer {
  const starts: number[] = [];
  for (let at = patch.indexOf(HEADER); at !== -1; at = patch.indexOf(HEADER, at + 1))
    if (at === 0 || patch[at - 1] === NEWLINE) starts.push(at);
  const parts = starts.map((start, place) => patch.subarray(start, starts[place + 1] ?? patch.length));
  return Buffer.concat(parts.filter((_, place) => wanted.has(all[place]?.bytes.toString("latin1") ?? "")));
}

const NEWLINE = 0x0a;
