/** Commands that an agent has us run: the real daemon, keeper and processes, and a scripted agent that speaks ACP. */
import { existsSync } from "node:fs";
import { readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../reliability/is-alive.js";
import { AcpLab, create, lasting, use, type Answer } from "./acp-lab.js";

let lab: AcpLab;

beforeAll(async () => {
  lab = await AcpLab.open();
});

afterAll(() => lab.close());

test("what a rule allows is run in the session's folder, read, waited for and let go", async () => {
  const agent = await lab.startAgent();
  expect(agent.greeting()).toMatchObject({ params: { clientCapabilities: { terminal: true } } });
  const answers = await agent.answersTo(
    create("cat", { args: ["a b", "-"], env: [{ name: "LC_ALL", value: "C" }] }),
    use("wait_for_exit"),
    use("output"),
    use("release"),
    use("output"),
  );
  const exit = { exitCode: 1, signal: null };
  const output = expect.stringMatching(/^cat: .*a b.*: No such file or directory\n$/) as string;
  expect(answers).toEqual([
    { method: "terminal/create", result: { terminalId: "terminal-1" } },
    { method: "terminal/wait_for_exit", result: exit },
    { method: "terminal/output", result: { output, truncated: false, exitStatus: exit } },
    { method: "terminal/release", result: {} },
    {
      method: "terminal/output",
      error: { code: -32_002, message: "There is no such terminal, or it was released." },
    },
  ]);
  await expect.poll(() => lab.leftFolders()).toEqual([]);
});

test("a shell line is run as it is; its variables reach it", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const answers = await agent.answersTo(
    create("printf '%s\\n' a b | cat && printf %s $CI", {
      env: [{ name: "CI", value: "yes" }],
      cwd: join(agent.project, "inner"),
    }),
    use("wait_for_exit"),
    use("output"),
  );
  expect(answers[2]).toMatchObject({ result: { output: "a\nb\nyes" } });
  const [, end] = await agent.answersTo(create("--version"), use("wait_for_exit"));
  expect(end).toMatchObject({ result: { exitCode: 127 } });
});

test("what a rule denies is refused with the reason", async () => {
  const agent = await lab.startAgent();
  const [answer] = await agent.answersTo(create("rm", { args: ["-f", "x"] }));
  expect(answer).toMatchObject({ error: { code: -32_000 } });
  expect(JSON.stringify(answer)).toContain("Shell(rm *)");
});

test("a person is asked about what no rule allows, and told exactly what and where", async () => {
  const agent = await lab.startAgent();
  const inner = join(agent.project, "inner");
  await agent.does(create("touch", { args: ["a b"], cwd: inner }), use("wait_for_exit"));
  const ask = await agent.asks();
  expect(ask).toMatchObject({ title: "touch 'a b'", detail: `touch 'a b'\n(in ${inner})` });
  expect(existsSync(join(inner, "a b"))).toBe(false);
  await lab.daemon.client.answerAsk(agent.id, ask.askId, { decision: "approve" });
  await agent.rests();
  expect(agent.answers().at(-1)).toEqual({
    method: "terminal/wait_for_exit",
    result: { exitCode: 0, signal: null },
  });
  expect(existsSync(join(inner, "a b"))).toBe(true);
});

test("a person may say no", async () => {
  const agent = await lab.startAgent();
  await agent.does(create("touch", { args: ["c"] }));
  const { askId } = await agent.asks();
  await lab.daemon.client.answerAsk(agent.id, askId, {
    decision: "reject",
    message: "not here",
  });
  await agent.rests();
  expect(agent.answers()).toEqual([
    { method: "terminal/create", error: { code: -32_000, message: "not here" } },
  ]);
  expect(existsSync(join(agent.project, "c"))).toBe(false);
});

test("in auto mode, what no rule has asked about is run", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const answers = await agent.answersTo(create("mkdir", { args: ["d"] }), use("wait_for_exit"));
  expect(answers[1]).toMatchObject({ result: { exitCode: 0 } });
  await agent.does(create("touch", { args: ["d/e"] }));
  await agent.asks();
});

test("nothing is run outside of the session's folder, links followed", async () => {
  const agent = await lab.startAgent();
  await symlink(lab.folder, join(agent.project, "away"));
  const cwds = [lab.folder, join(agent.project, "away"), join(agent.project, "inner/../.."), "/nowhere"];
  const answers = await agent.answersTo(...cwds.map((cwd) => create("true", { cwd })));
  expect(answers.map((answer) => (answer["error"] as { readonly message: string }).message)).toEqual([
    ...cwds.slice(0, 3).map((cwd) => `${cwd} is not inside the session's folder`),
    "ENOENT: no such file or directory, realpath '/nowhere'",
  ]);
});

test("of long output the end is kept, cut between characters, and nothing holds up the command", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const lines = "é".repeat(40);
  const answers = await agent.answersTo(
    create(`sh -c 'i=0; while [ $i -lt 3000 ]; do echo ${lines}; i=$((i+1)); done; printf €ä'`, {
      outputByteLimit: 4,
    }),
    use("wait_for_exit"),
    use("output"),
  );
  const exitStatus = { exitCode: 0, signal: null };
  expect(answers[2]).toEqual({
    method: "terminal/output",
    result: { output: "ä", truncated: true, exitStatus },
  });
});

test("killed, it has ended, and can still be read", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const answers = await agent.answersTo(
    create("sleep 1000"),
    use("kill"),
    use("wait_for_exit"),
    use("output"),
  );
  const exit = { exitCode: null, signal: "SIGTERM" };
  expect(answers.slice(1)).toEqual([
    { method: "terminal/kill", result: {} },
    { method: "terminal/wait_for_exit", result: exit },
    { method: "terminal/output", result: { output: "", truncated: false, exitStatus: exit } },
  ]);
});

test("interrupted, it has ended with all that it started", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  await agent.does(create(lasting("pid")), { hang: true });
  const pids = [await agent.pidIn("pid"), await agent.pidIn("pid.child")];
  expect(pids.filter(isAlive)).toEqual(pids);
  await lab.daemon.client.interrupt(agent.id);
  // Interrupted, the agent goes on without what it has us run.
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  await expect.poll(() => agent.status()).toBe("paused");
  // What it printed can still be read.
  expect(await lab.leftFolders(agent.id)).toHaveLength(1);
});

test("of a command that prints much, only the newest is kept on the disk", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const [, , answer] = await agent.answersTo(
    create("yes 0123456789 | head -c 30000000; printf end", { outputByteLimit: 3 }),
    use("wait_for_exit"),
    use("output"),
  );
  expect(answer).toMatchObject({ result: { output: "end", truncated: true } });
  const [name = ""] = await lab.leftFolders(agent.id);
  const segments = (await readdir(join(lab.daemon.dataDir, "runs", name))).filter((each) =>
    each.startsWith("out-"),
  );
  expect(segments.length).toBeLessThanOrEqual(2);
});

test("a terminal in a tool call shows what it prints, while it runs and at the end", async () => {
  const agent = await lab.startAgent({ autoApprove: true });
  const content = [{ type: "terminal", terminalId: "$t" }];
  await agent.does(
    create(`sh -c 'echo first; until [ -e go ]; do sleep 0.05; done; echo second'`),
    { update: { sessionUpdate: "tool_call", toolCallId: "c1", title: "run", kind: "execute", content } },
    use("wait_for_exit"),
    { update: { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed", content } },
  );
  const shown = async () => {
    const { items } = await lab.daemon.client.getThread(agent.id);
    const calls = (items as readonly Answer[]).filter((item) => item["type"] === "tool_call");
    return calls.map((call) => [call["output"], call["state"]]);
  };
  await expect.poll(shown).toEqual([["first\n", "running"]]);
  await writeFile(join(agent.project, "go"), "");
  await expect.poll(shown).toEqual([["first\nsecond\n", "succeeded"]]);
});
