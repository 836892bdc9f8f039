/**
 * Rewind with crashes between any two steps, and a person who writes meanwhile: in the end every line that anybody wrote is in
 * a file or in a checkpoint. `SIGNALBOX_WORKSPACE_RUNS` says how many runs.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Changes } from "../../src/changes/changes.js";
import { Crash } from "../../src/workspace/driver.js";
import { WorkspaceLab } from "./workspace-lab.js";

const RUNS = Number(process.env["SIGNALBOX_WORKSPACE_RUNS"] ?? 5);
const FIRST = Number(process.env["SIGNALBOX_WORKSPACE_SEED"] ?? 1);
const SESSION = "s1";
const NAMES = ["a.txt", "b.txt", "dir/c.txt", "dir/deep/d.txt", "new ä.txt"];

/** The same numbers for the same seed (mulberry32). */
function chance(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

class Run {
  readonly written = new Set<string>();
  readonly seen: Record<string, number> = {};
  private readonly pick: (bound: number) => number;
  private words = 0;
  private changes: Changes;

  constructor(
    readonly seed: number,
    private readonly lab: WorkspaceLab,
  ) {
    this.pick = chance(seed);
    this.changes = this.opened(() => undefined);
  }

  private opened(pass: (point: string) => void): Changes {
    const { repo, dataDir } = this.lab;
    const gitDir = join(repo, ".git");
    return new Changes({
      dataDir,
      findPlace: () => Promise.resolve({ workTree: repo, gitDir, commonDir: gitDir }),
      wall: () => Promise.resolve(null),
      pass,
    });
  }

  private count(what: string): void {
    this.seen[what] = (this.seen[what] ?? 0) + 1;
  }

  private write(who: string): void {
    const file = join(this.lab.repo, NAMES[this.pick(NAMES.length)] ?? "a.txt");
    const word = `${who}-${this.seed}-${++this.words}-end`;
    mkdirSync(join(file, ".."), { recursive: true });
    appendFileSync(file, `${word}\n`);
    this.written.add(word);
  }

  /** Everything in it is in a checkpoint by now. */
  private agentDeletes(): void {
    rmSync(join(this.lab.repo, NAMES[this.pick(NAMES.length)] ?? "a.txt"), { force: true });
  }

  async play(): Promise<void> {
    const { repo } = this.lab;
    const turns = 1 + this.pick(3);
    for (let turn = 1; turn <= turns; turn += 1) {
      if (turn > 1 && this.pick(3) === 0) this.write("between");
      await this.changes.keepStart(SESSION, repo, turn);
      if (this.pick(4) === 0) this.agentDeletes();
      for (let more = this.pick(3); more >= 0; more -= 1) this.write("agent");
      await this.changes.keepTurn(SESSION, repo, turn);
    }
    for (let rewinds = 1 + this.pick(3); rewinds > 0; rewinds -= 1) {
      if (this.pick(2) === 0) this.write("person");
      await this.rewind(this.pick(turns));
    }
    // As the next start of a daemon does.
    this.changes = this.opened(() => undefined);
    await this.changes.changes(SESSION, repo, { from: { type: "base" }, to: { type: "now" } });
  }

  private async rewind(turn: number): Promise<void> {
    let crashIn = this.pick(3) === 0 ? Number.POSITIVE_INFINITY : this.pick(14);
    let writeIn = this.pick(3) === 0 ? Number.POSITIVE_INFINITY : this.pick(10);
    this.changes = this.opened(() => {
      if (writeIn-- === 0) {
        this.count("writes in between");
        this.write("meanwhile");
      }
      if (crashIn-- === 0) {
        this.count("crashes");
        throw new Crash("crash");
      }
    });
    try {
      const { restored, removed, left } = await this.changes.rewind(
        SESSION,
        this.lab.repo,
        turn,
        this.pick(2) === 0,
      );
      this.count("rewinds");
      for (const [what, list] of Object.entries({ restored, removed, left }))
        if (list.length > 0) this.count(what);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.changes = this.opened(() => undefined);
    }
  }

  /** Every word that nobody can find any more. */
  async missing(): Promise<readonly string[]> {
    const { lab } = this;
    const files = readdirSync(lab.repo, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes("/.git/"))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    const kept = await lab.git(
      "log",
      "--all",
      "--format=",
      "--patch",
      "--diff-merges=separate",
      "--text",
      "--root",
    );
    const all = [...files, kept].join("\n");
    return [...this.written].filter((word) => !all.includes(word));
  }
}

test(
  `${RUNS} rewinds with crashes and a person's edits lose nothing`,
  { timeout: RUNS * 60_000 },
  async () => {
    const seen: Record<string, number> = {};
    for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
      const lab = await WorkspaceLab.open();
      try {
        await lab.commit({ "a.txt": "start\n", "b.txt": "start\n", "dir/c.txt": "start\n" });
        const run = new Run(seed, lab);
        await run.play();
        expect(await run.missing(), `seed ${seed}`).toEqual([]);
        expect(await lab.git("fsck", "--no-dangling", "--no-progress"), `seed ${seed}`).toBe("");
        expect(existsSync(join(lab.dataDir, "checkpoints", SESSION, "asides.json")), `seed ${seed}`).toBe(
          false,
        );
        for (const [what, count] of Object.entries(run.seen)) seen[what] = (seen[what] ?? 0) + count;
      } finally {
        await lab.close();
      }
    }
    console.log(JSON.stringify(seen));
  },
);

test("a rewind that is cut off leaves every file at its place", async () => {
  const lab = await WorkspaceLab.open();
  try {
    await lab.commit({ "a.txt": "start\n", "b.txt": "start\n" });
    const gitDir = join(lab.repo, ".git");
    const open = (pass?: (point: string) => void): Changes =>
      new Changes({
        dataDir: lab.dataDir,
        findPlace: () => Promise.resolve({ workTree: lab.repo, gitDir, commonDir: gitDir }),
        wall: () => Promise.resolve(null),
        ...(pass && { pass }),
      });
    await open().keepStart(SESSION, lab.repo, 1);
    for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(join(lab.repo, name), "the agent's\n");
    await open().keepTurn(SESSION, lab.repo, 1);
    const points: string[] = [];
    let at = 0;
    // Each point of it, one after the other; the last time it comes through.
    for (let isDone = false; !isDone; at += 1) {
      let left = at;
      const changes = open((point) => {
        points.push(point);
        if (left-- === 0) throw new Crash("crash");
      });
      isDone = await changes.rewind(SESSION, lab.repo, 0, false).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Crash) return false;
          throw error;
        },
      );
      await open().changes(SESSION, lab.repo, { from: { type: "base" }, to: { type: "now" } });
      const names = readdirSync(lab.repo).filter((name) => name.startsWith(".signalbox"));
      expect(names, points.at(-1)).toEqual([]);
      for (const name of ["a.txt", "b.txt"])
        expect(["start\n", "the agent's\n"], points.at(-1)).toContain(
          readFileSync(join(lab.repo, name), "utf8"),
        );
    }
    expect(at).toBeGreaterThan(10);
    expect(readFileSync(join(lab.repo, "a.txt"), "utf8")).toBe("start\n");
    expect(existsSync(join(lab.repo, "c.txt"))).toBe(false);
  } finally {
    await lab.close();
  }
});

test("what is written at any moment of a rewind into a file that it puts back is not lost", async () => {
  const lab = await WorkspaceLab.open();
  try {
    await lab.commit({ "a.txt": "start\n" });
    const gitDir = join(lab.repo, ".git");
    const file = join(lab.repo, "a.txt");
    const outcomes: string[] = [];
    for (let at = 0, isDone = false; !isDone; at += 1) {
      let left = at;
      let point = "";
      const changes = new Changes({
        dataDir: lab.dataDir,
        findPlace: () => Promise.resolve({ workTree: lab.repo, gitDir, commonDir: gitDir }),
        wall: () => Promise.resolve(null),
        pass: (name) => {
          if (left-- !== 0) return;
          point = name;
          appendFileSync(file, `word-${at}-end\n`);
        },
      });
      const session = `s${at}`;
      await changes.keepStart(session, lab.repo, 1);
      writeFileSync(file, `the agent's ${at}\n`);
      await changes.keepTurn(session, lab.repo, 1);
      const { restored, left: spared } = await changes.rewind(session, lab.repo, 0, false);
      isDone = point === "";
      const folder = readdirSync(lab.repo).filter((name) => name !== ".git");
      const text = folder.map((name) => readFileSync(join(lab.repo, name), "utf8")).join("");
      const kept = await lab.git("log", "--all", "--format=", "--patch", "--text");
      if (!isDone) expect(text + kept, point).toContain(`word-${at}-end`);
      outcomes.push(`${point}: ${restored.length > 0 ? "restored" : "left"} ${spared.length}`);
      for (const name of folder) rmSync(join(lab.repo, name));
      writeFileSync(file, "start\n");
    }
    // Before it is moved it is left alone; after that, what is written is a file of its own.
    expect(outcomes.slice(0, 3)).toEqual([
      "before the checkpoint of now: left 1",
      "after the checkpoint of now: left 1",
      "before a file is moved: left 1",
    ]);
    expect(outcomes.at(-1)).toBe(": restored 0");
  } finally {
    await lab.close();
  }
});
