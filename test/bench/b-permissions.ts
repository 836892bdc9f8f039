/** BP: what a decision about a tool call costs: a command that was read before, and one that is new. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Permissions } from "../../src/permissions/permissions.js";
import { analyzeShell } from "../../src/permissions/shell/analyze-shell.js";
import { ALL_CASES } from "../wall/corpus/corpus.js";
import { PROJECT } from "../wall/corpus/decide-line.js";
import { OutputsDiffer, type Benchmark, type Row } from "./benchmark.js";
import { quantileOf } from "./quantile.js";

const LINE_LENGTH = 200;
/** Fewer than are kept, over all folders, so that all of them are. */
const REPEATED = 256;

const SETTLING_MS = 3_200;
const DECIDED_MICROS = 50;
const NEW_MICROS = 2_000;

export const permissionsBench: Benchmark = {
  id: "BP",
  what: "decisions about shell commands, whole: files of rules, links of paths, 60 rules",
  run: async ({ quick }) => {
    const count = quick ? 1_200 : 12_000;
    const lines = newLines(count + REPEATED);
    const fresh = lines.slice(0, count);
    const few = lines.slice(count, count + REPEATED / ATTEMPTS);
    const project = openProject();
    try {
      // Files that were changed just now are read again each time.
      await pause(SETTLING_MS);
      const { decideCall, decideOtherwise } = project;
      // Read once, and warm: of what follows, only the lines that are called new are.
      for (const line of [...few, ...SHORT_LINES]) timed([line], decideCall);
      const again = (of: readonly string[]) =>
        Array.from({ length: count }, (_, at) => of[at % of.length] ?? "");
      return [
        ...rows("a short command, read before", timed(again(SHORT_LINES), decideCall), DECIDED_MICROS),
        ...rows("200 characters, read before", timed(again(few), decideCall), DECIDED_MICROS),
        ...rows("200 characters, read before, by other rules", timed(again(few), decideOtherwise)),
        ...rows("200 characters, new", timed(fresh, decideCall), NEW_MICROS),
      ];
    } finally {
      project.close();
    }
  },
};

const SHORT_LINES = [
  "git status",
  "ls -la src",
  "npm test -- --run src/a.test.ts",
  "cat package.json src/a.ts",
  "rg -n decide src | head -20",
  "git push origin main",
];

interface Project {
  readonly decideCall: Measured;
  /** Each time by rules of which one was not there before. */
  readonly decideOtherwise: Measured;
  readonly close: () => void;
}

type Measured = (line: string, attempt: number) => void;

/** A repository as it may be: with files, rules of its own and a person's, 60 of them with what is built in. */
function openProject(): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-bench-")));
  const [homeDir, configDir, dataDir] = ["ann", "ann/.config/signalbox", "ann/.local/state/signalbox"].map(
    (folder) => {
      mkdirSync(join(root, folder), { recursive: true });
      return join(root, folder);
    },
  ) as [string, string, string];
  const folders = Array.from({ length: ATTEMPTS }, (_, at) => join(homeDir, `code/app-${at}`));
  for (const folder of folders) {
    mkdirSync(join(folder, ".git"), { recursive: true });
    mkdirSync(join(folder, "src"));
    for (const file of ["package.json", "src/a.ts", "src/a.test.ts"]) writeFileSync(join(folder, file), "");
    mkdirSync(join(folder, ".signalbox"));
    writeFileSync(join(folder, ".signalbox/permissions.toml"), rulesFile(REPOSITORY_RULES));
  }
  writeFileSync(join(configDir, "permissions.toml"), rulesFile(OWN_RULES));
  const onProblem = (what: string, error: unknown) => {
    throw new OutputsDiffer(what, { cause: error });
  };
  const permissions = new Permissions({ dataDir, configDir, homeDir, onProblem });
  const decideIn = (cwd: string, line: string, grants: readonly string[]) => {
    const { verdict } = permissions.decide(
      { harness: "claude", cwd, grants },
      { name: "Bash", input: { command: line } },
    );
    if (verdict === "allow" && !SHORT_LINES.includes(line))
      throw new OutputsDiffer(`a line of the corpus was allowed: ${line}`);
  };
  let others = 0;
  return {
    decideCall: (line, attempt) => decideIn(folders[attempt] ?? homeDir, line, []),
    decideOtherwise: (line, attempt) => {
      others += 1;
      decideIn(folders[attempt] ?? homeDir, line, [`Shell(other-${others % 16} *)`]);
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}
/** With the 36 that are built in, 60. */
const OWN_RULES = {
  allow: [
    ...Array.from({ length: 9 }, (_, index) => `Shell(program-${index} *)`),
    ...["Shell(git status)", "Shell(npm test *)", "Shell(ls *)", "Read(src/**)"],
  ],
  ask: ["Shell(git push *)", "Shell(docker *)", "Write(package.json)"],
  deny: ["Read(**/.env*)", "Read(~/.ssh/**)", "Shell(rm -rf *)", "Shell(sudo *)", "Web(*.internal)"],
};
const REPOSITORY_RULES = {
  allow: [],
  ask: ["Shell(npm publish *)", "Write(ci/**)"],
  deny: ["Read(secrets/**)"],
};

function rulesFile(rules: typeof OWN_RULES): string {
  return `[permissions]\n${Object.entries(rules)
    .map(([effect, texts]) => `${effect} = ${JSON.stringify(texts)}\n`)
    .join("")}`;
}

/** Lines of the corpus, put together until each is as long as it should be, and no two alike. */
function newLines(count: number): readonly string[] {
  const pieces = ALL_CASES.map((each) => each.command)
    // What is strange at first sight is not read any further.
    .filter(
      (command) => command !== "" && command.length <= LINE_LENGTH / 2 && /^[\x20-\x7e]+$/.test(command),
    )
    .filter((command) => analyzeShell(command, "bash", PROJECT).opaque === null);
  return Array.from({ length: count }, (_, index) => {
    let line = `echo ${index}`;
    for (let next = index; line.length < LINE_LENGTH - 60; next += 7) {
      line += `; ${pieces[next % pieces.length] ?? ""}`;
    }
    return `${line}; echo ${"x".repeat(Math.max(1, LINE_LENGTH - line.length - 7))}`;
  });
}

const ATTEMPTS = 5;

/**
 * Microseconds for each line: the least of five, as the machine does other things too, often for longer than a decision
 * takes; so all lines are tried before the first is tried again. Each time is in another folder, so that a new line is new.
 */
function timed(lines: readonly string[], measured: Measured): readonly number[] {
  const least = lines.map(() => Number.POSITIVE_INFINITY);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    for (const [at, line] of lines.entries()) {
      const start = performance.now();
      measured(line, attempt);
      least[at] = Math.min(least[at] ?? 0, (performance.now() - start) * 1_000);
    }
  }
  return least;
}

function rows(what: string, micros: readonly number[], atMost?: number): readonly Row[] {
  const target = atMost === undefined ? {} : { target: { atMost, unit: "µs" } };
  return (
    [
      ["median", 0.5],
      ["p99", 0.99],
    ] as const
  ).map(([name, quantile]) => ({
    what: `${what}, ${name}`,
    value: `${micros.length} lines`,
    measured: quantileOf(micros, quantile),
    unit: "µs",
    ...target,
  }));
}
