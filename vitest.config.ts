import { defineConfig } from "vitest/config";

// Two files at a time, for the two cores of a small machine: first what works in its own process, then what starts
// daemons and browsers and mostly waits, at last the agents. Files share nothing: each has folders, ports and daemons of
// its own.
const WORKERS = { maxWorkers: 2 };
// On a machine of CI, which may be slow at any moment, what fails twice has failed; `retry x1` tells of the first
// time. A random test that failed (fast-check's words) must not be saved by other numbers.
const TRIED_AGAIN = {
  retry: { count: process.env["CI"] === undefined ? 0 : 1, condition: /^(?!Property failed)/ },
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/{vectors,property,tidy,golden,docs,cli,bench,contract,drift}/**/*.test.ts",
            "test/agents/{*,{model-server,truth}/**/*}.test.ts",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          ...WORKERS,
          ...TRIED_AGAIN,
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
          include: ["test/{sim,e2e,reliability,wall}/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 60_000,
          ...WORKERS,
          ...TRIED_AGAIN,
          sequence: { groupOrder: 1 },
          expect: { poll: { timeout: 30_000 } },
        },
      },
      {
        // The page in a real browser, from a real daemon.
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          ...WORKERS,
          ...TRIED_AGAIN,
          sequence: { groupOrder: 1 },
          expect: { poll: { timeout: 20_000 } },
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
