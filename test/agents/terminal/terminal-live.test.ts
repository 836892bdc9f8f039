/** Claude Code and Codex as a person uses them, in a terminal: read by their hooks and screens, and typed into from afar. */
import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TerminalPeer } from "../../e2e/terminal-peer.js";
import { stateOf, type LabSession } from "../lab-session.js";
import { Lab } from "../lab.js";
import type { AgentName } from "../packages.js";
import { attach, chosenOf, closeLab, seatOf, startByHand, waits } from "./by-hand.js";

const agents = chosenOf(["claude", "codex"]);

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
/** As each of them asks, said by its model. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  claude: " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel · Tab to amend",
  codex:
    "  Would you like to run it?\n\n› 1. Yes, proceed (y)\n  2. No (esc)\n\n  Press enter to confirm or esc to cancel",
};
const EXITS: Readonly<Record<string, string>> = { claude: "/exit", codex: "/quit" };
const GOODBYES: Readonly<Record<string, RegExp>> = {
  claude: /claude --resume/,
  codex: /codex resume|Token usage/,
};
/** All that a person could allow once and for all. */
const PERMISSIONS = '[permissions]\nallow = ["Shell(*)", "Write(**)", "Tool(*)"]\n';
const POLL = { timeout: 60_000, interval: 100 };

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open(agents);
  const config = join(lab.home, ".config", "signalbox");
  await mkdir(config, { recursive: true });
  await writeFile(join(config, "permissions.toml"), PERMISSIONS);
}, 300_000);
afterAll(() => closeLab(lab));

function asking(agent: AgentName, file: string): string {
  return ASKING[agent]?.(file) ?? "";
}

/** What is asked for to be allowed. */
async function asked(session: LabSession): Promise<string> {
  const { ask, askId } = await session.asked();
  expect(ask).not.toBe("followup");
  return askId;
}

function asksOpened({ told }: LabSession): number {
  return told.filter((each) => stateOf(each)?.type === "ask_opened").length;
}

/** In auto mode: what a screen asks is a person's all the same. */
async function started(agent: AgentName): Promise<LabSession> {
  const session = await lab.openSession("terminal", { args: [agent], autoApprove: true });
  await waits(agent, session);
  return session;
}

/** Until the model answers it. */
async function streams(session: LabSession, text: string): Promise<void> {
  const id = lab.nextId();
  await session.send(`[[id:${id}]] ${text}`);
  await lab.model.truth.until(id, "streaming", AbortSignal.timeout(60_000));
  await session.reaches("streaming");
}

async function screen(peer: TerminalPeer): Promise<string> {
  return (await peer.lines()).join("\n");
}

async function shows(peer: TerminalPeer, words: string | RegExp): Promise<void> {
  await expect.poll(() => screen(peer), POLL).toMatch(words);
}

const each = agents.map((agent) => [agent] as const);

test.skipIf(agents.length > 0)("neither Claude nor Codex was chosen", (context) => {
  context.skip();
});

describe.each(each)("%s", { retry: 0, timeout: 240_000 }, (agent) => {
  test("a message of several lines, yes, no with words, and a question, from afar; no rule answers", async () => {
    const [yes, no] = [join(lab.cwd, `${agent}-yes`), join(lab.cwd, `${agent}-no`)];
    const session = await started(agent);
    const peer = await attach(lab, session);
    await session.send(`First line.\nSecond line. ${asking(agent, yes)} [[text:it ran]]`);
    const first = await asked(session);
    await sleep(2_000);
    expect((await session.read()).status).toBe("waiting_approval");
    await session.approve(first);
    await session.reaches("completed");
    await access(yes);
    await session.send(`Another. ${asking(agent, no)} [[text:it ran]]`);
    await session.reject(await asked(session), "Not so. [[text:as you like]]");
    await shows(peer, "as you like");
    await session.reaches("completed");
    await expect(access(no)).rejects.toThrow();
    expect((await screen(peer)).split("Not so.").length).toBe(2);
    const asksBefore = asksOpened(session);
    await session.send(`Say. [[text:${LOOK_ALIKES[agent]}]]`);
    await session.reaches("streaming");
    await session.reaches("completed");
    await sleep(1_000);
    expect([asksOpened(session), (await session.read()).status]).toEqual([asksBefore, "completed"]);
    await session.send("Ask. [[ask:Which colour?|crimson|azure]] [[text:so be it]]");
    await session.reaches("waiting_input");
    await session.send("azure");
    await shows(peer, /^\W*so be it/m);
    await session.reaches("completed");
    peer.close();
  });

  test("Esc at the terminal is noticed, in the middle of a text and in a dialog; and so is one from afar", async () => {
    const session = await started(agent);
    const peer = await attach(lab, session);
    await streams(session, `Talk. ${LONG}`);
    await sleep(1_500);
    peer.type("\x1b");
    await session.reaches("paused");
    await session.send(`Ask. ${asking(agent, join(lab.cwd, "never"))}`);
    await asked(session);
    await sleep(1_500);
    peer.type("\x1b");
    await session.reaches("paused", "completed");
    expect((await session.read()).asks).toEqual([]);
    await streams(session, `Talk. ${LONG}`);
    await sleep(1_500);
    await lab.client.interrupt(session.id);
    await session.reaches("paused");
    peer.close();
  });

  test("a dialog holds messages back and outlives the daemon, and gets none but its own answer", async () => {
    const file = join(lab.cwd, `${agent}-waited`);
    const session = await started(agent);
    await session.send(`Ask. ${asking(agent, file)} [[text:it ran]]`);
    const askId = await asked(session);
    await session.send("2 [[text:afterwards]]");
    await sleep(1_000);
    await lab.crashAndRestart();
    const { status, asks } = await session.read();
    expect([status, asks.map((ask) => ask.askId)]).toEqual(["waiting_approval", [askId]]);
    await session.approve(askId);
    const peer = await attach(lab, session);
    await shows(peer, /^\W*afterwards/m);
    await session.reaches("completed");
    await access(file);
    peer.close();
  });

  test("started in a shell by a person, it has the seat until it has really ended", async () => {
    const { session, peer } = await startByHand(lab, agent, ["/bin/bash", "--norc"]);
    await session.send("Hello. [[text:hello to you]]");
    await shows(peer, /^\W*hello to you/m);
    await session.reaches("completed");
    peer.type(EXITS[agent] ?? "");
    await sleep(2_000);
    expect([await seatOf(lab, session), (await session.read()).status]).toEqual([agent, "completed"]);
    peer.type("\r");
    await expect.poll(() => seatOf(lab, session), POLL).toBe(null);
    await shows(peer, GOODBYES[agent] ?? "");
    await session.reaches("idle");
    peer.type("echo back $((40 + 2))\r");
    await shows(peer, "back 42");
    peer.close();
  });
});
