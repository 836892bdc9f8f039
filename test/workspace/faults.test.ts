/**
 * Crashes at random between any two steps, and a person who edits, commits, switches and deletes meanwhile: in the end every
 * line that anybody wrote is somewhere, and no repository is broken. `SIGNALBOX_WORKSPACE_RUNS` says how many runs.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Crash } from "../../src/workspace/driver.js";
import { WorkspaceLab } from "./workspace-lab.js";

const RUNS = Number(process.env["SIGNALBOX_WORKSPACE_RUNS"] ?? 20);
const FIRST = Number(process.env["SIGNALBOX_WORKSPACE_SEED"] ?? 1);

/** The same numbers for the same seed. */
function chance(seed: number): (bound: number) => number {
  let state = seed * 2_654_435_761;
  return (bound) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return (state ^ (state >>> 13)) % bound;
  };
}

class Run {
  /** Lines that somebody wrote and that must be somewhere; each has a word of its own. */
  readonly written = new Set<string>();
  private words = 0;
  private readonly pick: (bound: number) => number;
  private crashIn = Number.POSITIVE_INFINITY;
  crashes = 0;
  edits = 0;
  private editIn = Number.POSITIVE_INFINITY;

  constructor(
    readonly seed: number,
    readonly lab: WorkspaceLab,
  ) {
    this.pick = chance(seed);
  }

  private word(who: string): string {
    const word = `${who}-${this.seed}-${++this.words}-end`;
    this.written.add(word);
    return word;
  }

  /** Crash points and moments for a person's deeds are drawn beforehand. */
  arm(): void {
    this.crashIn = this.pick(4) === 0 ? Number.POSITIVE_INFINITY : this.pick(60);
    this.editIn = this.pick(3) === 0 ? Number.POSITIVE_INFINITY : this.pick(40);
    this.lab.pass = () => {
      if (this.crashIn-- === 0) {
        this.crashes += 1;
        throw new Crash("crash");
      }
      if (this.editIn-- === 0) this.personEditsNow();
    };
  }

  /** In the middle of a step: at once, as another process would. */
  private personEditsNow(): void {
    this.edits += 1;
    const { repo } = this.lab;
    const text = `${this.word("person")}\n`;
    const name = ["p1.txt", "p2.txt", "shared.txt"][this.pick(3)] ?? "p1.txt";
    appendFileSync(join(repo, name), text);
  }

  async agentEdits(path: string): Promise<void> {
    // Often the file that the person changes, too.
    const name = ["a1.txt", "dir/a2.txt", `new ${this.pick(3)} ü.txt`][this.pick(6)] ?? "shared.txt";
    mkdirSync(join(path, "dir"), { recursive: true });
    appendFileSync(join(path, name), `${this.word("agent")}\n`);
    if (this.pick(4) === 0) {
      await this.lab.gitIn(path, "add", "--all");
      await this.lab.gitIn(path, "commit", "--quiet", "-m", `work ${this.words}`).catch(() => undefined);
    }
    if (this.pick(6) === 0) appendFileSync(join(path, "ignored.local"), `${this.word("ignored")}\n`);
  }

  async personWorks(): Promise<void> {
    const { lab } = this;
    switch (this.pick(7)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const name = ["p1.txt"][this.pick(3)] ?? "shared.txt";
        appendFileSync(join(lab.repo, name), `${this.word("person")}\n`);
        await lab.git("add", "--all");
        await lab.git("commit", "--quiet", "-m", `person ${this.words}`).catch(() => undefined);
        return;
      }
      case 4:
        appendFileSync(join(lab.repo, "p2.txt"), `${this.word("person")}\n`);
        return;
      case 5: {
        const on = await lab.git("branch", "--show-current");
        const other = on === "main" ? "side" : "main";
        await lab.git("switch", "--quiet", other).catch(() => undefined);
        return;
      }
      default:
        await lab.git("add", "--all");
        await lab.git("commit", "--quiet", "-m", `person ${this.words}`).catch(() => undefined);
    }
  }

  /** Waits for the queue; a crash there ends that desk, and another takes its place. */
  async settle(id: string): Promise<void> {
    for (let tries = 0; tries < 20; tries += 1) {
      const before = this.crashes;
      await this.lab.desk.settled(id);
      if (this.crashes === before && (this.lab.desk.get(id)?.queue.length ?? 0) === 0) return;
      this.arm();
      this.lab.restart();
    }
    this.lab.pass = () => undefined;
    this.lab.restart();
    await this.lab.desk.settled(id);
  }

  async play(): Promise<void> {
    const { lab } = this;
    this.arm();
    const { id, path } = await lab.begin();
    await this.settle(id);
    for (let step = 0; step < 4; step += 1) {
      const state = lab.state(id);
      if (state.status === "gone") break;
      if (state.added && existsSync(path)) await this.agentEdits(path);
      await this.personWorks();
      await this.request(id, path);
    }
    lab.pass = () => undefined;
    lab.restart();
    await lab.desk.settled(id);
  }

  private async request(id: string, path: string): Promise<void> {
    const { lab } = this;
    const { status } = lab.state(id);
    this.arm();
    if (status === "conflicted") {
      if (this.pick(2) === 0) await this.resolve(id, path);
      lab.desk.take(id, { type: this.pick(3) === 0 ? "abort" : "retry" });
      return this.settle(id);
    }
    if (status === "failed") {
      lab.desk.take(id, { type: "retry" });
      return this.settle(id);
    }
    if (this.pick(10) === 0 && existsSync(path)) return this.takeAway(id, path);
    await lab.desk.look(id).catch(() => undefined);
    await this.settle(id);
    const observation = lab.state(id).observed?.id ?? "none";
    const ways = ["merge", "squash", "rebase", "branch"] as const;
    switch (this.pick(14)) {
      case 0:
        lab.desk.take(id, { type: "discard", observation, confirm: true });
        break;
      case 1:
        lab.desk.take(id, { type: "update", observation });
        break;
      default: {
        const how = ways[this.pick(4)] ?? "merge";
        lab.desk.take(id, { type: "finish", how, message: `finish ${this.words}`, observation, when: "now" });
      }
    }
    await this.settle(id);
  }

  /** A person moves the directory, looks at something, and moves it back. */
  private async takeAway(id: string, path: string): Promise<void> {
    const { lab } = this;
    renameSync(path, `${path}.away`);
    await lab.desk.look(id).catch(() => undefined);
    await this.settle(id);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}.away`, path);
    lab.desk.take(id, { type: "retry" });
    await this.settle(id);
  }

  /** As an agent does that keeps both sides. */
  private async resolve(id: string, path: string): Promise<void> {
    for (const name of this.lab.state(id).conflicts) {
      const text = await readFile(join(path, name), "utf8").catch(() => "");
      writeFileSync(join(path, name), text.replace(/^(?:<{7}|={7}|>{7}|\|{7}).*\n/gm, ""));
    }
  }

  /** Every word that nobody can find any more. */
  async missing(): Promise<readonly string[]> {
    const { lab } = this;
    const texts: string[] = [];
    texts.push(await this.objectsOf(lab.repo));
    for (const folder of [lab.repo, join(lab.dataDir, "workspaces"), join(lab.dataDir, "trash")])
      for (const file of await filesBelow(folder)) texts.push(await readFile(file, "latin1"));
    for (const gitDir of await gitDirectories(lab.dataDir)) texts.push(await this.objectsOf(gitDir));
    const all = texts.join("\n");
    return [...this.written].filter((word) => !all.includes(word));
  }

  /** All that a ref leads to: in the original also what we pinned, never what only a log of refs still knows. */
  private async objectsOf(folder: string): Promise<string> {
    return this.lab.gitIn(
      folder,
      "log",
      "--all",
      "--format=",
      "--patch",
      "--diff-merges=separate",
      "--text",
      "--root",
    );
  }
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !`${entry.parentPath}/`.includes("/.git/"))
    .map((entry) => join(entry.parentPath, entry.name));
}

async function gitDirectories(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name === ".git")
    .map((entry) => entry.parentPath);
}

test(`${RUNS} runs with crashes and a person's edits lose nothing`, { timeout: RUNS * 60_000 }, async () => {
  const seen: Record<string, number> = {};
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const lab = await WorkspaceLab.open();
    try {
      await lab.commit({
        "shared.txt": "start\n",
        "a1.txt": "start\n",
        "p1.txt": "start\n",
        ".gitignore": "*.local\n",
      });
      await lab.git("branch", "side");
      const run = new Run(seed, lab);
      await run.play();
      const told = `seed ${seed}: ${lab.store.events.join(" ")}`;
      expect(await run.missing(), told).toEqual([]);
      expect(await lab.git("fsck", "--no-dangling", "--no-progress"), told).toBe("");
      const [record] = lab.store.load();
      expect(record?.queue, told).toEqual([]);
      expect(["preparing", "finishing"], told).not.toContain(record?.state.status);
      expect(
        lab.problems.filter((problem) => !problem.endsWith(": crash")),
        told,
      ).toEqual([]);
      for (const event of [...lab.store.events, `ends ${record?.state.status}`])
        seen[event] = (seen[event] ?? 0) + 1;
      seen["crashes"] = (seen["crashes"] ?? 0) + run.crashes;
      seen["edits in between"] = (seen["edits in between"] ?? 0) + run.edits;
    } finally {
      await lab.close();
    }
  }
  console.log(JSON.stringify(seen));
});
