import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "test/{vectors,property,tidy,golden,docs,cli,bench,contract}/**/*.test.ts",
            "test/agents/{*,{model-server,truth}/**/*}.test.ts",
          ],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Real processes, real disks, many seeds: one file after the other, so that none starves another.
        test: {
          name: "system",
          include: ["test/{sim,e2e,reliability}/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 60_000,
          fileParallelism: false,
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
          fileParallelism: false,
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
          fileParallelism: false,
          // They are programs of others, on a busy machine: what fails twice has failed.
          retry: 1,
        },
      },
      {
        test: { name: "model", include: ["test/model/**/*.test.ts"], testTimeout: 600_000 },
      },
    ],
  },
});
