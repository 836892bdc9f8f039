/**
 * The built-in agent killed at every kind of moment: nothing that was shown is lost, every call has one result, and no tool
 * is run a second time.
 */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ModelServer } from "../agents/model-server/model-server.js";
import { AgentHome, type AgentProcess } from "./agent-process.js";
import { BuiltinLab } from "./builtin-lab.js";

interface Said {
  readonly role: string;
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly id?: string;
    readonly tool_use_id?: string;
  }[];
}

describe("as a process", () => {
  let model: ModelServer;
  let home: AgentHome;

  beforeAll(async () => {
    model = await ModelServer.start();
  });
  afterAll(async () => {
    await model.close();
  });
  beforeEach(() => {
    home = new AgentHome(model);
  });
  afterEach(async () => {
    await home.end();
  });

  /** Appends a line each time that it runs. */
  const WORK = "[[shell:echo ran >> log; sleep 1; echo over]]";

  async function textIn(agent: AgentProcess): Promise<void> {
    agent.prompt("[[slow:30]][[chunks:40]][[text:A rather long answer, which comes in many little pieces.]]");
    await agent.until("text", 10);
  }

  async function askIn(agent: AgentProcess): Promise<void> {
    agent.prompt(WORK);
    await agent.until("ask");
  }

  async function toolIn(agent: AgentProcess): Promise<void> {
    agent.prompt(WORK);
    await agent.approve(1);
    await expect.poll(() => home.has("log")).toBe(true);
  }

  async function betweenTools(agent: AgentProcess): Promise<void> {
    agent.prompt("[[shell:echo ran >> log]][[shell:true]]");
    await agent.approve(1);
    await agent.until("ask", 2);
  }

  async function questionIn(agent: AgentProcess): Promise<void> {
    agent.prompt("[[ask:Which?|red|green]]");
    await agent.until("ask");
  }

  async function thinkingIn(agent: AgentProcess): Promise<void> {
    agent.prompt("[[wait:300]][[text:Late.]]");
    await agent.until("request");
  }

  test.each([
    ["text", textIn],
    ["an approval", askIn],
    ["a tool", toolIn],
    ["the way between two tools", betweenTools],
    ["a question", questionIn],
    ["a request", thinkingIn],
  ])("killed during %s, it goes on with all that was shown", async (_what, bring) => {
    const first = await home.start();
    await bring(first);
    const { sessionId } = first;
    await first.kill();
    const ran = home.has("log") ? home.read("log") : "";
    const shown = first.of("text").map(({ text }) => text);
    const callIds = first.of("tool_call").map(({ callId }) => callId);

    const second = await home.start("--resume", sessionId);
    expect(second.sessionId).toBe(sessionId);
    // Nothing begins before it is asked for.
    await sleep(200);
    expect(second.lines.map(({ type }) => type)).toEqual(["ready", "controls"]);
    second.prompt("[[text:On we go.]]");
    await second.until("done");

    const messages = model.seen.at(-1)?.body["messages"] as readonly Said[];
    const parts = messages.flatMap(({ content }) => content);
    const said = parts.map(({ text }) => text ?? "").join("");
    for (const words of shown) expect(said).toContain(words);
    expect(said.replaceAll("\n", "")).toContain(shown.join("").slice(0, 200));
    expect(parts.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []))).toEqual(callIds);
    expect(parts.flatMap(({ tool_use_id: id }) => id ?? [])).toEqual(callIds);
    // What ran has run once.
    await sleep(100);
    expect(home.has("log") ? home.read("log") : "").toBe(ran);
  });

  test("a command does not outlive its agent, whatever it has started", async () => {
    const agent = await home.start();
    agent.prompt("[[shell:trap '' INT TERM HUP; (sleep 300) & echo $! $$ > pids; sleep 300]]");
    await agent.approve(1);
    await expect.poll(() => home.has("pids") && home.read("pids").trim().split(" ").length).toBe(2);
    const pids = home.read("pids").trim().split(" ").map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await agent.kill();
    await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
  });

  test("killed again and again at any moment, it is one conversation", async () => {
    let [agent, rounds] = [await home.start(), 0];
    const { sessionId } = agent;
    for (const delayMs of [0, 3, 10, 30, 60, 120, 200]) {
      agent.prompt(`round ${rounds} [[slow:5]][[chunks:10]][[shell:true]][[text:Some words to be cut off.]]`);
      await agent.until("request");
      await sleep(delayMs);
      await agent.kill();
      agent = await home.start("--resume", sessionId);
      rounds += 1;
    }
    await agent.turn("[[text:The end.]]");
    const messages = model.seen.at(-1)?.body["messages"] as readonly Said[];
    const text = JSON.stringify(messages);
    for (let round = 0; round < rounds; round += 1) expect(text).toContain(`round ${round} `);
    const parts = messages.flatMap(({ content }) => content);
    const calls = parts.flatMap(({ type, id }) => (type === "tool_use" ? [id] : []));
    expect(parts.flatMap(({ tool_use_id: id }) => id ?? [])).toEqual(calls);
  });
});

describe("under the daemon", () => {
  let lab: BuiltinLab;

  beforeAll(async () => {
    lab = await BuiltinLab.start('[[agent.post_tool_hooks]]\ncommand = "sleep 1"\n');
  });
  afterAll(async () => {
    await lab.end();
  });

  test("a killed tool is an error; a retry goes on, and does not run it again", async () => {
    const session = await lab.open("[[shell:echo ran >> log; sleep 30]][[text:Understood.]]");
    await session.answer("approve");
    await expect.poll(async () => (await session.now).phase).toBe("executing_tools");
    await sleep(300);
    process.kill(await session.pid(), "SIGKILL");
    const { error } = await session.reaches("error");
    expect(error?.retryable).toBe(true);
    await lab.daemon.client.retry(session.id);
    await session.reaches("completed");
    expect(JSON.stringify(lab.model.seen.at(-1)?.body)).toContain("It may or may not have been done.");
  });

  test("stopped in the middle of a command, the session ends the command too", async () => {
    const session = await lab.open("[[shell:echo $$ > stopped-pid; exec sleep 300]]");
    await session.answer("approve");
    const pid = (): number => Number(readFileSync(join(lab.work, "stopped-pid"), "utf8"));
    await expect.poll(() => existsSync(join(lab.work, "stopped-pid")) && pid() > 0).toBe(true);
    await lab.daemon.client.cancel(session.id);
    await session.reaches("stopped");
    await expect.poll(() => isAlive(pid())).toBe(false);
  });

  test("hooks are a phase, and are in the journal", async () => {
    const session = await lab.open("[[shell:true]][[text:Hooked.]]");
    await session.answer("approve");
    await expect.poll(async () => (await session.now).phase).toBe("post_tool_hooks");
    await session.reaches("completed");
    const { items } = await lab.daemon.client.listEvents(session.id, { limit: 500 });
    const facts = items.flatMap((entry) => (entry.kind === "fact" ? [entry.event.type] : []));
    expect(facts.filter((type) => type.startsWith("hooks"))).toEqual(["hooks_started", "hooks_finished"]);
    const phases = session.told.flatMap(({ type, toPhase }) => (type === "state_changed" ? [toPhase] : []));
    expect(phases).toContain("post_tool_hooks");
  });

  test("a trusted folder's skills may run their commands", async () => {
    const folder = join(lab.work, ".signalbox", "skills", "where");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "SKILL.md"), "---\ndescription: Where\n---\nIt is !`echo here`.\n");
    const load = '[[tool:load_skill={"name":"where"}]][[text:Loaded.]]';
    const before = await lab.open(load);
    await before.reaches("completed");
    await lab.daemon.client.trustFolder({ dir: lab.work });
    const after = await lab.open(load);
    await after.reaches("completed");
    const outputs = [before, after].map(
      (session) => session.told.find(({ type }) => type === "tool_call_completed")?.["output"],
    );
    expect(outputs).toEqual([
      "It is [not run, because this folder is not trusted: echo here].\n",
      "It is here.\n",
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
