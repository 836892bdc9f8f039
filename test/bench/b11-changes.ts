/**
 * B11, the part of checkpoints and changes: what they cost beside bare git, in a repository of 10,000 files. Both do the same
 * work by turns, each with changes of its own, so that a ratio is of the same machine at the same time.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { Changes } from "../../src/changes/changes.js";
import type { WallParts } from "../../src/changes/store.js";
import { emptyFileIn } from "../../src/wall/prepare-wall.js";
import { findBackend } from "../../src/wall/probe.js";
import { OutputsDiffer, type Benchmark, type BenchOptions, type Row } from "./benchmark.js";
import { medianOf } from "./interleaved.js";
import { withScratch, type Scratch } from "./scratch.js";

const CHECKPOINT_MAX = 1.5;
const CHANGES_MAX = 1.3;
const FOLDERS = 100;
const FILES = 100;
/** Of each round. */
const EDITS = 20;
const EDIT_FOLDERS = 5;
const CHANGED = 500;

export const changesBench: Benchmark = {
  id: "B11",
  what: "what checkpoints and changes cost",
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

function git(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  // A repack that begins by itself would be measured, too.
  const identity = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "gc.auto=0"];
  return execFileSync("git", [...identity, ...args], {
    cwd,
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
}

const LINES = 40;

function write(cwd: string, at: number, words: string): void {
  const body = Array.from({ length: LINES }, (_, line) => `line ${line} of ${at}, as it always was`);
  body[at % LINES] = words;
  writeFileSync(
    join(cwd, `folder${at % FOLDERS}`, `file${Math.floor(at / FOLDERS)}.txt`),
    `${body.join("\n")}\n`,
  );
}

function repository(folder: string): string {
  const cwd = join(folder, "repository");
  mkdirSync(cwd);
  git(cwd, ["init", "-q"]);
  for (let at = 0; at < FOLDERS; at += 1) mkdirSync(join(cwd, `folder${at}`));
  for (let at = 0; at < FOLDERS * FILES; at += 1) write(cwd, at, "first");
  git(cwd, ["add", "-A"]);
  git(cwd, ["commit", "-qm", "first"]);
  // As whoever has cloned it has it.
  git(cwd, ["repack", "-adq"]);
  return cwd;
}

async function wallParts(dataDir: string): Promise<WallParts> {
  const found = await findBackend(process.env);
  if (!found.ok) return null;
  return { backend: found.backend, emptyFile: await emptyFileIn(dataDir), hidden: [] };
}

async function measure({ quick }: BenchOptions, { folder }: Scratch): Promise<readonly Row[]> {
  const cwd = repository(folder);
  const place = { workTree: cwd, gitDir: join(cwd, ".git"), commonDir: join(cwd, ".git") };
  const dataDir = join(folder, "data");
  mkdirSync(dataDir);
  const wall = await wallParts(dataDir);
  if (wall === null) console.log("  without a wall: bubblewrap is not installed");
  const changes = new Changes({
    dataDir,
    findPlace: () => Promise.resolve(place),
    wall: () => Promise.resolve(wall),
  });
  const rounds = quick ? 3 : 15;
  return [await checkpoints(changes, cwd, folder, rounds), ...(await differences(changes, cwd, rounds))];
}

async function timed(act: () => unknown): Promise<number> {
  const startMs = performance.now();
  await act();
  return performance.now() - startMs;
}

async function checkpoints(changes: Changes, cwd: string, folder: string, rounds: number): Promise<Row> {
  const index = join(folder, "index");
  copyFileSync(join(cwd, ".git", "index"), index);
  git(cwd, ["add", "-A"], { GIT_INDEX_FILE: index });
  await changes.keepStart("bench", cwd, 1);
  let edit = 0;
  const times: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // As a turn does: some files in a few folders. Both see the same ones, and take turns at being the first.
    for (let more = 0; more < EDITS; more += 1, edit += 1)
      write(
        cwd,
        (round * EDIT_FOLDERS + (more % EDIT_FOLDERS) + more * FOLDERS) % (FOLDERS * FILES),
        `edit ${edit}`,
      );
    const keep = (): Promise<void> => changes.keepTurn("bench", cwd, round);
    const add = (): string => git(cwd, ["add", "-A"], { GIT_INDEX_FILE: index });
    const isFirst = round % 2 === 0;
    const first = isFirst ? await timed(keep) : await timed(add);
    const second = isFirst ? await timed(add) : await timed(keep);
    times.push(isFirst ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return row(
    "a checkpoint of 10,000 files, 20 changed in 5 folders, against git add -A to an index of its own",
    times,
    CHECKPOINT_MAX,
  );
}

async function differences(changes: Changes, cwd: string, rounds: number): Promise<readonly Row[]> {
  git(cwd, ["checkout", "-q", "--", "."]);
  await changes.keepStart("bench-changes", cwd, 1);
  for (let at = 0; at < CHANGED; at += 1) write(cwd, at, "changed");
  await changes.keepTurn("bench-changes", cwd, 1);
  const span = { from: { type: "base" }, to: { type: "now" } } as const;
  const ours = async (): Promise<number> => (await changes.changes("bench-changes", cwd, span)).files.length;
  const bare = (): number => git(cwd, ["diff"]).match(/^diff --git/gm)?.length ?? 0;
  const told = [await ours(), bare()];
  if (told[0] !== CHANGED || told[1] !== CHANGED)
    throw new OutputsDiffer(`changed files: ${told.join(" and ")}`);
  const again = await byTurns(ours, bare, rounds, () => undefined);
  // So that nobody can tell what they have told before.
  const anew = await byTurns(ours, bare, rounds, (round) => write(cwd, 0, `changed in round ${round}`));
  const what = "changes of 10,000 files, 500 changed";
  return [
    row(`${what}, one of them since the last look, against git diff`, anew, CHANGES_MAX),
    row(`${what}, none of them since the last look, against git diff`, again, CHANGES_MAX),
  ];
}

type Times = readonly { readonly ours: number; readonly bare: number }[];

async function byTurns(
  ours: () => unknown,
  bare: () => unknown,
  rounds: number,
  before: (round: number) => void,
): Promise<Times> {
  const times: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    before(round);
    const first = round % 2 === 0 ? await timed(ours) : await timed(bare);
    const second = round % 2 === 0 ? await timed(bare) : await timed(ours);
    times.push(round % 2 === 0 ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return times;
}

function row(
  what: string,
  times: readonly { readonly ours: number; readonly bare: number }[],
  max: number,
): Row {
  const ratio = medianOf(times.map(({ ours, bare }) => ours / bare));
  const ours = medianOf(times.map((time) => time.ours));
  const bare = medianOf(times.map((time) => time.bare));
  return {
    what,
    value: `${ratio.toFixed(2)} × (${ours.toFixed(0)} ms, bare ${bare.toFixed(0)} ms)`,
    measured: ratio,
    unit: "×",
    target: { atMost: max, unit: "×" },
    data: { times },
  };
}
