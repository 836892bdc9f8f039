/** The built-in agent's tools, as its own process uses them on real files, commands and histories. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ModelServer } from "../agents/model-server/model-server.js";
import { AgentHome, call, type AgentProcess } from "./agent-process.js";

let model: ModelServer;
let home: AgentHome;
let agent: AgentProcess;

beforeAll(async () => {
  model = await ModelServer.start();
});
afterAll(async () => {
  await model.close();
  expect(model.mistakes).toEqual([]);
});
beforeEach(async () => {
  home = new AgentHome(model);
  agent = await home.start();
});
afterEach(async () => {
  await home.end();
});

const read = (file_path: string, more = {}): string => call("read_file", { file_path, ...more });
const edit = (old_string: string, new_string: string, more = {}): string =>
  call("edit_file", { file_path: "a.txt", old_string, new_string, ...more });
const write = (content: string, more = {}): string =>
  call("write_file", { file_path: "a.txt", content, ...more });

describe("files", () => {
  test("edit: refused unread, stale, without a match and with several; all of them when asked", async () => {
    home.write("a.txt", "one two two\n");
    expect(await agent.turn(edit("one", "1"))).toEqual(["Read a.txt before you edit it."]);
    expect(await agent.turn(read("a.txt") + edit("three", "3") + edit("two", "2"))).toEqual([
      "1\tone two two",
      "old_string is not in the file.",
      "old_string is in the file 2 times: give more of it, or set replace_all.",
    ]);
    expect(await agent.turn(edit("two", "2", { replace_all: true }))).toEqual(["Edited a.txt."]);
    expect(home.read("a.txt")).toBe("one 2 2\n");
    home.write("a.txt", "one 2 2, by another\n");
    expect(await agent.turn(edit("one", "1"))).toEqual([
      "a.txt has changed since you read it: read it again.",
    ]);
    expect(home.read("a.txt")).toBe("one 2 2, by another\n");
  });

  test("the diff is shown before the approval, and is what is then done", async () => {
    home.write("a.txt", "one\ntwo\n");
    await agent.turn(read("a.txt"));
    agent.prompt(edit("two", "three"));
    const ask = await agent.until("ask", 2);
    const diff = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
    expect([ask.title, ask.detail, home.read("a.txt")]).toEqual(["Edit a.txt", diff, "one\ntwo\n"]);
    agent.answer(ask.askId, "approve");
    await agent.until("done", 2);
    expect([agent.of("tool_result")[1]?.diff, home.read("a.txt")]).toEqual([diff, "one\nthree\n"]);
  });

  test("a file that changes between the approval's diff and the edit is not touched", async () => {
    home.write("a.txt", "one\n");
    await agent.turn(read("a.txt"));
    agent.prompt(edit("one", "1"));
    const { askId } = await agent.until("ask", 2);
    home.write("a.txt", "one, and more\n");
    agent.answer(askId, "approve");
    await agent.until("done", 2);
    expect(agent.of("tool_result")[1]?.content).toBe("a.txt has changed since you read it: read it again.");
    expect(home.read("a.txt")).toBe("one, and more\n");
  });

  test("write: not over a file unless asked; kept once per file and conversation, by later processes too", async () => {
    home.write("a.txt", "first\n");
    expect(await agent.turn(write("second\n"))).toEqual([
      "a.txt is there already: set overwrite to replace it.",
    ]);
    await agent.turn(write("second\n", { overwrite: true }) + write("third\n", { overwrite: true }));
    const { sessionId } = agent;
    await agent.kill();
    agent = await home.start("--resume", sessionId);
    await agent.turn(write("fourth\n", { overwrite: true }));
    expect(home.read("a.txt")).toBe("fourth\n");
    const backups = join(home.talks, "backups", sessionId);
    expect(readdirSync(backups).map((name) => readFileSync(join(backups, name), "utf8"))).toEqual([
      "first\n",
    ]);
  });

  test("killed in the middle of a write, it leaves the old file, or the new one, and never a part", async () => {
    const [before, after] = ["a".repeat(90_000), "b".repeat(300 * 90_000)];
    let wasMidway = false;
    for (let round = 0; round < 10 && !wasMidway; round += 1) {
      home.write("a.txt", before);
      agent = await home.start();
      await agent.turn(read("a.txt"));
      agent.prompt(edit("a", "b".repeat(300), { replace_all: true }));
      await agent.approve(2);
      await expect.poll(() => hasDraft() || home.read("a.txt") !== before, { interval: 1 }).toBe(true);
      await agent.kill();
      expect([before, after].includes(home.read("a.txt"))).toBe(true);
      wasMidway = hasDraft() && home.read("a.txt") === before;
    }
    expect(wasMidway).toBe(true);
  });

  test("a path that leads nowhere is an error that the model sees, and the agent lives", async () => {
    home.write("a.txt", "x\n");
    home.write("folder/b.txt", "x\n");
    execFileSync("mkfifo", [join(home.work, "pipe")]);
    const results = await agent.turn(
      call("write_file", { file_path: "folder", content: "x", overwrite: true }) +
        call("edit_file", { file_path: "a.txt/b", old_string: "x", new_string: "y" }) +
        call("edit_file", { file_path: "pipe", old_string: "x", new_string: "y" }) +
        read("pipe"),
    );
    expect(results).toEqual([
      "folder is a folder.",
      expect.stringContaining("ENOTDIR") as string,
      "pipe is no regular file.",
      "pipe is no regular file.",
    ]);
    expect(await agent.turn(read("a.txt"))).toEqual(["1\tx"]);
  });

  test("edits of one file in parallel: every one of them is done", async () => {
    home.write("a.txt", "one two three\n");
    await agent.turn(read("a.txt"));
    await agent.turn(`[[parallel]]${edit("one", "1")}${edit("two", "2")}${edit("three", "3")}`);
    expect(home.read("a.txt")).toBe("1 2 3\n");
  });

  test("read: folders are listed, parts of a file, and what is too much is refused", async () => {
    home.write("sub/b.txt", Array.from({ length: 1_500 }, (_, line) => `line ${line + 1}`).join("\n"));
    home.write("long.txt", `${"x".repeat(100_001)}\n`);
    const [listed, first, part, long, bad] = await agent.turn(
      read(".") +
        read("sub/b.txt") +
        read("sub/b.txt", { offset: 1_499, limit: 1_000 }) +
        read("long.txt") +
        read("sub/b.txt", { limit: 1_001 }),
    );
    expect(listed).toBe("long.txt\nsub/");
    expect(first?.split("\n")).toHaveLength(101);
    expect(first).toMatch(/\n100\tline 100\n\[1400 more lines\]$/);
    expect(part).toBe("1500\tline 1500");
    expect(long).toBe("These lines have more than 100000 characters: read fewer of them.");
    expect(bad).toMatch(/^Error: invalid input: /);
  });
});

/** A part of the new file is on the disk. */
const hasDraft = (): boolean => readdirSync(home.work).some((name) => name.endsWith(".draft"));

describe("commands", () => {
  test("the preview is what 120 columns and ten rows show, and comes now and then, not with every line", async () => {
    const command = `for i in $(seq 1 300); do printf '%0200d\\n' "$i"; sleep 0.002; done`;
    const [told] = await agent.turn(call("execute_shell_command", { command }));
    const previews = agent.of("tool_preview");
    // In the tenth row stands the cursor.
    expect(Math.max(...previews.map(({ lines }) => lines.length))).toBe(9);
    expect(Math.max(...previews.flatMap(({ lines }) => lines.map((line) => line.length)))).toBe(120);
    expect(previews.length).toBeGreaterThan(2);
    expect(previews.length).toBeLessThan(100);
    // The model gets all of it.
    expect(told?.split("\n")).toHaveLength(301);
  });
});

describe("history", () => {
  test("earlier conversations and the shell's history", async () => {
    writeFileSync(join(home.home, ".bash_history"), "ls\nmake needle-in-shell\n");
    await agent.turn("[[text:I saw a needle-in-answer.]]");
    agent.prompt("/new");
    await agent.until("ready", 2);
    const [found, tooMany] = await agent.turn(
      call("search_history", { query: "NEEDLE-IN", limit: 50 }) +
        call("search_history", { query: "needle", limit: 51 }),
    );
    expect(found).toContain("shell: make needle-in-shell");
    expect(found).toContain("agent: I saw a needle-in-answer.");
    expect(tooMany).toMatch(/^Error: invalid input: /);
  });
});
