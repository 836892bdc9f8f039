import { relative } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

// A few files at a time, for the two cores of a small machine: first what works in its own process, then what starts
// daemons and browsers and mostly waits, at last the agents. `npm test` runs the first two beside each other. Files have
// folders, ports and daemons of their own, and share the modules of their process (`isolate: false`): to load them anew for
// each file costs 0.7 s of processor time, more than most files take. So a module keeps nothing that another file could see.
const WORKERS = { maxWorkers: 2 };
/** Of what mostly waits for other processes: two of them leave half of a small machine idle. */
const WAITING_WORKERS = { maxWorkers: 3 };
/** What is waited for comes as late as the machine is slow; a poll that ends when it is there costs nothing. */
const PATIENT = { poll: { timeout: 60_000 } };

/** What computes in its own process, nearly all of it. */
const PURE = [
  "src/{core,permissions,harness,terminal,protocol,client}/**/*.test.ts",
  "test/{golden,property,vectors}/**/*.test.ts",
];

/**
 * By the time that they take, as `npm test -- --slowest` lists them: what begins last must not take long. Project by project,
 * because a process is used again only for the next file of the same one.
 */
const LONGEST_FIRST = [
  "test/agents/matrix/matrix.test.ts",
  "test/agents/terminal/kill-live.test.ts",
  "test/agents/terminal/terminal-live.test.ts",
  "test/model/session.test.ts",
  "test/model/mutants.test.ts",
  "test/model/turn.test.ts",
  "test/model/terminal.test.ts",
  "src/daemon/keeper/keeper-holds.test.ts",
  "test/cli/session-commands.test.ts",
  "test/tidy/lint.test.ts",
  "test/cli/left-alone.test.ts",
  "src/keeper/main.test.ts",
  "test/contract/sqlite-journal.test.ts",
  "test/contract/journal.test.ts",
  "test/cli/machine-command.test.ts",
  "test/wall/network-asks.test.ts",
  "test/e2e/doc-examples.test.ts",
  "test/e2e/tour.test.ts",
  "test/wall/corpus.test.ts",
  "test/sim/sim.test.ts",
  "test/e2e/terminal-addressee.test.ts",
  "test/reliability/kill.test.ts",
  "test/workspace/finish.test.ts",
  "test/e2e/builtin-providers.test.ts",
  "test/wall/daemon-runs.test.ts",
  "test/e2e/terminal-agent.test.ts",
  "test/e2e/acp-terminals-crash.test.ts",
  "test/e2e/ask.test.ts",
  "test/e2e/broken-agents.test.ts",
  "test/wall/network.test.ts",
  "test/workspace/faults.test.ts",
  "test/e2e/terminal.test.ts",
  "test/e2e/builtin-crash.test.ts",
  "test/e2e/journal-care.test.ts",
  "test/browser/board.test.ts",
  "test/browser/plain-truth.test.ts",
  "test/browser/asks-inbox.test.ts",
  "test/browser/terminal-truth.test.ts",
  "test/browser/accessibility.test.ts",
  "test/browser/explain-session.test.ts",
  "test/browser/many.test.ts",
  "test/browser/session-control.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranks = new Map(sorted.map((file) => [file, this.rank(file)]));
    return sorted.toSorted(
      (one, other) =>
        (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0) || one.project.name.localeCompare(other.project.name),
    );
  }

  private rank({ moduleId }: TestSpecification): number {
    const at = LONGEST_FIRST.indexOf(relative(this.ctx.config.root, moduleId));
    return at < 0 ? LONGEST_FIRST.length : at;
  }
}
// On a machine of CI, which may be slow at any moment, what fails twice has failed; `retry x1` tells of the first
// time. A random test that failed (fast-check's words) must not be saved by other numbers.
const TRIED_AGAIN = {
  retry: { count: process.env["CI"] === undefined ? 0 : 1, condition: /^(?!Property failed)/ },
};

// A session of a test that is somewhere in this repository would leave refs in it.
process.env["SIGNALBOX_CHECKPOINTS"] ??= "off";
process.env["SIGNALBOX_WORKSPACES"] ??= "off";

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "pure",
          include: PURE,
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...WORKERS,
          ...TRIED_AGAIN,
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/{tidy,docs,cli,bench,contract,drift}/**/*.test.ts",
            "test/agents/{*,{model-server,truth}/**/*}.test.ts",
          ],
          exclude: [...configDefaults.exclude, ...PURE],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...WORKERS,
          ...TRIED_AGAIN,
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "model",
          include: ["test/model/**/*.test.ts"],
          testTimeout: 600_000,
          ...WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Real processes, real disks, many seeds.
        test: {
          name: "system",
          include: ["test/{sim,e2e,reliability,wall,workspace}/**/*.test.ts"],
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 60_000,
          ...WAITING_WORKERS,
          ...TRIED_AGAIN,
          sequence: { groupOrder: 1 },
          expect: PATIENT,
        },
      },
      {
        // The page in a real browser, from a real daemon.
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
          ...WAITING_WORKERS,
          ...TRIED_AGAIN,
          sequence: { groupOrder: 1 },
          expect: PATIENT,
        },
      },
      {
        // The agents' own programs, installed outside the repository: see `npm run test:agents`.
        test: {
          name: "agents",
          include: ["test/agents/{matrix,crash,roster,terminal}/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...WORKERS,
          sequence: { groupOrder: 2 },
          // They are programs of others, on a busy machine: what fails twice has failed.
          retry: 1,
        },
      },
    ],
  },
});
