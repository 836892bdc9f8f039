/** BP: what a decision about a tool call costs: a command that was seen before, and one that is new. */
import { performance } from "node:perf_hooks";
import { builtinRules, decide, type Rule } from "../../src/core/index.js";
import { resolveAccesses } from "../../src/permissions/resolve/resolve-accesses.js";
import { analyzeShell } from "../../src/permissions/shell/analyze-shell.js";
import { ALL_CASES } from "../../src/permissions/shell/corpus/all-cases.js";
import { HOME, PROJECT, rulesOf } from "../../src/permissions/shell/corpus/decide-line.js";
import { accessesOf } from "../../src/permissions/tools/tool-accesses.js";
import { OutputsDiffer, type Benchmark, type Row } from "./benchmark.js";
import { quantileOf } from "./quantile.js";

const LINE_LENGTH = 200;
/** Fewer than are kept, in every folder, so that all of them are. */
const REPEATED = 256;

export const permissionsBench: Benchmark = {
  id: "BP",
  what: "decisions about shell commands",
  run({ quick }) {
    const count = quick ? 2_000 : 20_000;
    const lines = newLines(count + REPEATED);
    const fresh = lines.slice(REPEATED);
    for (const line of lines.slice(0, REPEATED)) {
      read(line);
      decideCall(line);
    }
    return [
      row("a new command of 200 characters, read", timed(fresh, read), 2_000),
      row("a repeated command, read", timed(repeated(fresh, count), read), 50),
      row("a repeated command, decided by 60 rules", timed(repeated(fresh, count), decideCall)),
    ];
  },
};

const RULES: readonly Rule[] = [
  ...builtinRules({ dataDir: `${HOME}/.local/state/signalbox`, configDir: `${HOME}/.config/signalbox` }),
  ...rulesOf({
    allow: Array.from({ length: 20 }, (_, index) => `Shell(program-${index} *)`).concat("Read(src/**)"),
    ask: ["Shell(git push *)", "Write(package.json)"],
    deny: ["Read(**/.env*)", "Shell(rm -rf *)", "Web(*.internal)"],
  }),
];

function read(line: string, attempt = 0): void {
  analyzeShell(line, "bash", `${PROJECT}/${attempt}`);
}

function decideCall(line: string): void {
  const accesses = accessesOf("claude", { name: "Bash", input: { command: line } });
  const resolved = resolveAccesses(accesses, { cwd: PROJECT, projectDir: PROJECT, homeDir: HOME });
  const { verdict } = decide(resolved, RULES, []);
  if (verdict === "allow") throw new OutputsDiffer(`a line of the corpus was allowed: ${line}`);
}

/** Lines of the corpus, put together until each is as long as it should be, and no two alike. */
function newLines(count: number): readonly string[] {
  const pieces = Object.values(ALL_CASES)
    .flat()
    .map((each) => each.command)
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

function repeated(lines: readonly string[], count: number): readonly string[] {
  const few = lines.slice(-REPEATED / ATTEMPTS);
  return Array.from({ length: count }, (_, index) => few[index % few.length] ?? "");
}

const ATTEMPTS = 3;

/**
 * Microseconds for each line: the least of three, as the machine does other things too. Each of them is in another folder,
 * so that a new line is new each time.
 */
function timed(
  lines: readonly string[],
  measured: (line: string, attempt: number) => void,
): readonly number[] {
  return lines.map((line) => {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const start = performance.now();
      measured(line, attempt);
      least = Math.min(least, (performance.now() - start) * 1_000);
    }
    return least;
  });
}

function row(what: string, micros: readonly number[], atMost?: number): Row {
  const p99 = quantileOf(micros, 0.99);
  return {
    what: `${what}, p99`,
    value: `median ${quantileOf(micros, 0.5).toFixed(1)} µs, ${micros.length} lines`,
    measured: p99,
    unit: "µs",
    ...(atMost === undefined ? {} : { target: { atMost, unit: "µs" } }),
  };
}
