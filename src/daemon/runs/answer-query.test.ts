import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Decision, Verdict } from "../../core/index.js";
import type { Query, TerminalQuery } from "../../runtime/query.js";
import { NEW_RECORD } from "../../../test/sim/loop-fixture.js";
import { answerQuery } from "./answer-query.js";

function decision(verdict: Verdict): Decision {
  return { verdict, rule: "R", file: "/f", because: `It is ${verdict}.` };
}

function opened(verdict: Verdict) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-query-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a"), "one\ntwo\nthree\n");
  const record = { ...NEW_RECORD, settings: { ...NEW_RECORD.settings, cwd: folder } };
  const judged: unknown[] = [];
  const permissions = {
    decide: () => Promise.resolve(decision(verdict)),
    decideAccess: (_record: unknown, access: unknown) => {
      judged.push(access);
      return Promise.resolve(decision(verdict));
    },
  };
  return {
    folder,
    judged,
    ask: (query: Exclude<Query, TerminalQuery>) => answerQuery(query, record, permissions),
  };
}

const READ = { type: "read_file", path: "a", line: 2, limit: 1 } as const;
const WRITE = { type: "write_file", path: "b/c", content: "new" } as const;

test("what the rules say is handed on", async () => {
  const { ask } = opened("ask");
  const query = { type: "permission", tool: { name: "Bash", input: {} } } as const;
  expect(await ask(query)).toEqual({ type: "decided", decision: decision("ask") });
});

test.each<Verdict>(["allow", "ask", "none"])("files are read and written (%s)", async (verdict) => {
  const { folder, judged, ask } = opened(verdict);
  expect([await ask(READ), await ask(WRITE)]).toEqual([
    { type: "file", content: "two" },
    { type: "written" },
  ]);
  expect(readFileSync(join(folder, "b/c"), "utf8")).toBe("new");
  expect(judged).toEqual([
    { category: "Read", path: "a" },
    { category: "Write", path: "b/c" },
  ]);
});

test("unless a rule denies it", async () => {
  const { folder, ask } = opened("deny");
  const failed = { type: "failed", message: "It is deny.", decision: decision("deny") };
  expect([await ask(READ), await ask(WRITE)]).toEqual([failed, failed]);
  expect(() => readFileSync(join(folder, "b/c"))).toThrow("ENOENT");
});

test("only inside the session's folder, links followed", async () => {
  const { folder, ask } = opened("allow");
  symlinkSync(tmpdir(), join(folder, "away"));
  for (const path of ["../x", "/etc/passwd", "away/x"]) {
    const failed = { type: "failed", message: `${path} is not inside the session's folder` };
    expect(await ask({ type: "read_file", path, line: null, limit: null })).toEqual(failed);
    expect(await ask({ type: "write_file", path, content: "" })).toEqual(failed);
  }
});

test("a file that is written keeps its mode, and a write that fails leaves nothing behind", async () => {
  const { folder, ask } = opened("allow");
  chmodSync(join(folder, "a"), 0o755);
  mkdirSync(join(folder, "folder"));
  expect(await ask({ ...WRITE, path: "a" })).toEqual({ type: "written" });
  expect(await ask({ ...WRITE, path: "folder" })).toMatchObject({ type: "failed" });
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o755);
  expect(readdirSync(folder).toSorted()).toEqual(["a", "folder"]);
});

test("what is no regular file is not read: a pipe may never come to an end", async () => {
  const { folder, ask } = opened("allow");
  execFileSync("mkfifo", [join(folder, "pipe")]);
  const failed = { type: "failed", message: "it is no regular file" };
  mkdirSync(join(folder, "folder"));
  for (const path of ["pipe", "folder"])
    expect(await ask({ type: "read_file", path, line: null, limit: null })).toEqual(failed);
});

test("a command must stay in the session's folder, whatever the rules say of it", async () => {
  const { folder, ask } = opened("allow");
  symlinkSync(tmpdir(), join(folder, "away"));
  const query = { type: "permission", tool: { name: "terminal/create", input: {} } } as const;
  const decided = { type: "decided", decision: decision("allow") };
  expect(await ask({ ...query, within: folder })).toEqual(decided);
  for (const within of [tmpdir(), join(folder, "away")])
    expect(await ask({ ...query, within })).toEqual({
      type: "failed",
      message: `${within} is not inside the session's folder`,
    });
  expect(await ask({ ...query, within: join(folder, "b") })).toMatchObject({ type: "failed" });
});
