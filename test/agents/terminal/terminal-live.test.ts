/** Claude Code and Codex as a person uses them, in a terminal: read by their hooks and screens, and typed into from afar. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TerminalPeer } from "../../e2e/terminal-peer.js";
import type { LabSession } from "../lab-session.js";
import { Lab } from "../lab.js";
import { chosenAgents } from "../matrix/chosen-agents.js";
import type { AgentName } from "../packages.js";

const chosen = chosenAgents(process.env["SIGNALBOX_AGENTS"]);
const WANTED: readonly AgentName[] = ["claude", "codex"];
const agents = WANTED.filter((name) => chosen.includes(name));

/** As each of them must be told so that it asks before it touches a file. */
const ASKING: Readonly<Record<string, (file: string) => string>> = {
  claude: (file) => `[[shell:touch ${file}]]`,
  codex: (file) => {
    const input = {
      cmd: `touch ${file}`,
      sandbox_permissions: "require_escalated",
      justification: "to test",
    };
    return `[[tool:exec_command=${JSON.stringify(input)}]]`;
  },
};
const LONG = `[[slow:300]] [[chunks:60]] [[text:${"lorem ipsum ".repeat(30)}]]`;
const EXITS: Readonly<Record<string, string>> = { claude: "/exit", codex: "/quit" };

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open(agents);
}, 300_000);
afterAll(async () => {
  // Codex leaves a server of its own behind, on purpose.
  expect((await lab.close()).filter((command) => !command.includes("app-server"))).toEqual([]);
});

async function attach(session: LabSession): Promise<TerminalPeer> {
  const { url, token } = lab.daemon.ready;
  const peer = await TerminalPeer.open(`${url}/v1/sessions/${session.id}/terminal`, {
    authorization: `Bearer ${token}`,
  });
  if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
  await peer.until(({ frames }) => frames.length === 2);
  return peer;
}

async function seatOf({ id }: LabSession): Promise<string | null | undefined> {
  const { seats } = await lab.client.getRoster();
  return seats.find(({ sessionId }) => sessionId === id)?.agent;
}

function asking(agent: AgentName, file: string): string {
  return ASKING[agent]?.(file) ?? "";
}

/**
 * What is asked for to be allowed. Codex also asks, at first, how a folder that it does not trust is to be opened; that is
 * answered from afar too.
 */
async function asked(session: LabSession): Promise<string> {
  for (;;) {
    const { ask, askId } = await session.asked();
    if (ask !== "followup") return askId;
    await session.send("Open restricted");
  }
}

async function opened(session: LabSession): Promise<void> {
  if ((await session.read()).status !== "waiting_input") return;
  await session.send("Open restricted");
  await session.reaches("completed");
}

async function started(agent: AgentName, args: readonly string[] = [agent]): Promise<LabSession> {
  const session = await lab.openSession("terminal", { args: [...args] });
  await session.reaches("completed", "waiting_input");
  await opened(session);
  return session;
}

describe.skipIf(agents.length === 0).each(agents.map((agent) => [agent] as const))("%s", (agent) => {
  test("a prompt of several lines, an approval and a no with a message, from afar", async () => {
    const [yes, no] = [join(lab.cwd, `${agent}-yes`), join(lab.cwd, `${agent}-no`)];
    const session = await started(agent);
    await session.send(`First line.\nSecond line. ${asking(agent, yes)} [[text:it ran]]`);
    await session.approve(await asked(session));
    await session.reaches("completed");
    await access(yes);
    await session.send(`Another. ${asking(agent, no)} [[text:it ran]]`);
    await session.reject(await asked(session), "Not so. [[text:as you like]]");
    const peer = await attach(session);
    await expect.poll(() => screen(peer), { timeout: 20_000 }).toContain("as you like");
    await session.reaches("completed");
    await expect(access(no)).rejects.toThrow();
    const lines = await screen(peer);
    expect(lines.split("Not so.").length).toBe(2);
  });

  test("Esc at the terminal is noticed, in the middle of a text and in a dialog; and so is one from afar", async () => {
    const session = await started(agent);
    const peer = await attach(session);
    await session.send(`Talk. ${LONG}`);
    await session.reaches("streaming");
    await sleep(3_000);
    peer.type("\x1b");
    await session.reaches("paused");
    await session.send(`Ask. ${asking(agent, join(lab.cwd, "never"))}`);
    await asked(session);
    await sleep(500);
    peer.type("\x1b");
    await session.reaches("paused", "completed");
    expect((await session.read()).asks).toEqual([]);
    await session.send(`Talk. ${LONG}`);
    await sleep(3_000);
    await lab.client.interrupt(session.id);
    await session.reaches("paused");
  });

  test("a message waits behind a dialog, and the dialog gets none of it", async () => {
    const file = join(lab.cwd, `${agent}-waited`);
    const session = await started(agent);
    await session.send(`Ask. ${asking(agent, file)} [[text:it ran]]`);
    const askId = await asked(session);
    await session.send("2 [[text:afterwards]]");
    await sleep(2_000);
    expect((await session.read()).status).toBe("waiting_approval");
    await session.approve(askId);
    const peer = await attach(session);
    await expect.poll(() => screen(peer), { timeout: 20_000 }).toContain("afterwards");
    await access(file);
  });

  test("started in a shell by a person, it has the seat until it has really ended", async () => {
    const session = await started(agent, ["/bin/bash", "--norc"]);
    expect(await seatOf(session)).toBe(null);
    const peer = await attach(session);
    peer.type(`${agent}\r`);
    await expect.poll(() => seatOf(session), { timeout: 20_000 }).toBe(agent);
    await sleep(4_000);
    await opened(session);
    await session.send("Hello. [[text:hello to you]]");
    await expect.poll(() => screen(peer), { timeout: 20_000 }).toContain("hello to you");
    await session.reaches("completed");
    peer.type(EXITS[agent] ?? "");
    await sleep(2_000);
    expect(await seatOf(session)).toBe(agent);
    peer.type("\r");
    await expect.poll(() => seatOf(session), { timeout: 20_000 }).toBe(null);
  });

  test("a dialog outlives the daemon, and is answered after it is back", async () => {
    const file = join(lab.cwd, `${agent}-survived`);
    const session = await started(agent);
    await session.send(`Ask. ${asking(agent, file)} [[text:it ran]]`);
    const askId = await asked(session);
    await lab.crashAndRestart();
    const { status, asks } = await session.read();
    expect([status, asks.map((ask) => ask.askId)]).toEqual(["waiting_approval", [askId]]);
    await session.approve(askId);
    await session.reaches("completed");
    await access(file);
  });
});

async function screen(peer: TerminalPeer): Promise<string> {
  return (await peer.lines()).join("\n");
}
