import { expect, test } from "vitest";
import { avoidedNames, fileNameFlaw } from "./names.js";
import { entryPoints, sourceFiles } from "./repository.js";

test("files have names that say what is in them", () => {
  const entries = entryPoints();
  const flaws = sourceFiles("src", "test", "scripts").map((file) => fileNameFlaw(file.path, entries));
  expect(flaws.filter((flaw) => flaw !== null)).toEqual([]);
});

test("names use the glossary's words", () => {
  expect(sourceFiles("src").flatMap(avoidedNames)).toEqual([]);
});

test.each([
  ["src/core/utils.ts", "src/core/utils.ts: a name that says nothing"],
  ["src/helpers/text.ts", "src/helpers/text.ts: a name that says nothing"],
  ["test/common.test.ts", "test/common.test.ts: a name that says nothing"],
  ["src/cli/index.ts", "src/cli/index.ts: a barrel that is no public entry point"],
  ["src/core/index.ts", null],
  ["src/core/deriveUi.ts", "src/core/deriveUi.ts: not kebab-case"],
  ["src/core/derive-ui.test.ts", null],
  ["src/core/derive-ui.property.test.ts", null],
  ["src/core/derive-ui.property.ts", "src/core/derive-ui.property.ts: not kebab-case"],
  ["src/runtime/session-manager.ts", "src/runtime/session-manager.ts: manager; say what it really does"],
  ["src/runtime/tasks.ts", "src/runtime/tasks.ts: tasks; say session, turn or request"],
])("%s", (path, flaw) => {
  expect(fileNameFlaw(path, ["src/core/index.ts"])).toBe(flaw);
});

test("avoided words are found in declarations, and not on the wire, in texts or inside other words", () => {
  const text = `
    import { Worker } from "node:worker_threads";
    export class SessionManager {}
    const JOBS_MAX = 3, resume_task = "ask:resume_task";
    function run(taskId: string, { job }: Options) { return Worker; }
    interface Options { job: string; multitasking: boolean; "ask:resume_task": string }
  `;
  expect(avoidedNames({ path: "a.ts", text })).toEqual([
    "a.ts:3 SessionManager: say what it really does",
    "a.ts:4 JOBS_MAX: say run or effect",
    "a.ts:5 taskId: say session, turn or request",
    "a.ts:5 job: say run or effect",
    "a.ts:6 job: say run or effect",
  ]);
});
