/** The built-in agent's own process in a world that is not as it should be: it says what is wrong, and goes on. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ToAgent } from "../../src/protocol/agent-wire.js";
import { ModelServer } from "../agents/model-server/model-server.js";
import { AgentHome, call } from "./agent-process.js";

let model: ModelServer;
let home: AgentHome;

beforeAll(async () => {
  model = await ModelServer.start();
});
afterAll(async () => {
  await model.close();
  expect(model.mistakes).toEqual([]);
});
beforeEach(() => {
  home = new AgentHome(model);
});
afterEach(async () => {
  await home.end();
});

test("a line that it does not know, as a newer daemon may send one, changes nothing", async () => {
  const agent = await home.start();
  agent.hear({ type: "of_tomorrow", value: 1 } as unknown as ToAgent);
  agent.hear("no object" as unknown as ToAgent);
  await agent.turn("[[text:Here.]]");
  expect(agent.of("done")).toHaveLength(1);
});

test("an AGENTS.md and skills that cannot be read are told of, at the start and by /reload", async () => {
  mkdirSync(join(home.work, "AGENTS.md"));
  home.write(".signalbox/skills/torn/SKILL.md", "---\nname: torn\n\nNo end.");
  home.write(".signalbox/skills/whole/SKILL.md", "---\nname: whole\n---\n[[text:Whole.]]");
  const agent = await home.start();
  const problems = [/torn.SKILL\.md is left out: its head/, /^AGENTS\.md cannot be read/];
  await agent.until("note", 2);
  expect(agent.of("note").map(({ text }) => text)).toEqual(
    problems.map((problem) => expect.stringMatching(problem) as unknown),
  );
  await agent.turn("/whole");
  await agent.turn("/reload");
  expect(agent.of("note").at(-1)?.text).toMatch(/^Read again: 1 skills\.\n.*torn.*\nAGENTS\.md cannot/);
});

test("a new conversation has read nothing", async () => {
  home.write("a.txt", "one\n");
  const agent = await home.start();
  await agent.turn(call("read_file", { file_path: "a.txt" }));
  await agent.turn("/new");
  const edit = { file_path: "a.txt", old_string: "one", new_string: "1" };
  expect(await agent.turn(call("edit_file", edit))).toEqual(["Read a.txt before you edit it."]);
});

test("a command's time is its own: what hooks take does not count", async () => {
  home.configure('[[agent.post_tool_hooks]]\ncommand = "sleep 2; touch after"\n');
  const agent = await home.start();
  const results = await agent.turn(call("execute_shell_command", { command: "echo hi", timeout: 1 }));
  expect([results, home.has("after")]).toEqual([["hi\n[exit code 0]"], true]);
});

test("a command whose time is over tells the model what it had shown", async () => {
  const agent = await home.start();
  const command = "echo building; echo waits for a lock; sleep 100";
  expect(await agent.turn(call("execute_shell_command", { command, timeout: 1 }))).toEqual([
    expect.stringMatching(/timed out after 1 s\nWhat it showed last:\nbuilding\nwaits for a lock$/),
  ]);
});

test("a hook that would stop the turn stops nothing once the turn was interrupted", async () => {
  const hook = "touch began; sleep 3; touch late; exit 1";
  home.configure(`[[agent.post_tool_hooks]]\ncommand = "${hook}"\non_failure = "stop"\n`);
  const agent = await home.start();
  agent.prompt(call("execute_shell_command", { command: "echo hi" }));
  await agent.approve(1);
  await expect.poll(() => home.has("began")).toBe(true);
  agent.hear({ type: "interrupt" });
  await agent.until("interrupted");
  await agent.until("hooks_finished");
  await agent.turn("[[slow:400]][[chunks:10]][[text:The next turn goes on to its end.]]");
  expect([agent.of("failed"), home.has("late")]).toEqual([[], false]);
});

test("an interrupt ends a skill's own command, too", async () => {
  const folder = join(home.home, ".config", "signalbox", "skills", "slow");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: slow\n---\n!`touch began; sleep 1000`");
  const agent = await home.start();
  agent.prompt("/slow");
  await expect.poll(() => home.has("began")).toBe(true);
  agent.hear({ type: "interrupt" });
  await agent.until("done");
  expect(agent.of("note").at(-1)?.text).toContain("interrupted");
});

test("a suggestion without a command goes back to the model; a danger that nobody knows is confirmed", async () => {
  const agent = await home.start();
  expect(await agent.turn(call("suggest_command", { description: "nothing" }))).toEqual([
    "Error: invalid input: it names no command",
  ]);
  await agent.turn(call("suggest_command", { command: "rm x", description: "", danger: "Critical" }));
  expect(agent.of("suggestion")).toMatchObject([{ command: "rm x", danger: "high" }]);
  agent.hear({ type: "command", command: { command: "execute" } });
  await agent.until("confirm");
  expect(agent.of("exit")).toEqual([]);
});
