/**
 * Real agents, started in a real bash by a person, and killed at every point of a delivery: the shell behind them writes
 * down what it gets, which must be nothing of any message. `SIGNALBOX_KILLS` says how often each is killed; by itself three
 * times, in the long form 24.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOLD_FILE, META_FILE } from "../../../src/keeper/paths.js";
import { readProcess } from "../../../src/keeper/process-table.js";
import { TerminalPeer } from "../../e2e/terminal-peer.js";
import { RecordingShell } from "../../reliability/recording-shell.js";
import { until } from "../../reliability/until.js";
import type { LabSession } from "../lab-session.js";
import { Lab } from "../lab.js";
import { chosenAgents } from "../matrix/chosen-agents.js";
import type { AgentName } from "../packages.js";

const chosen = chosenAgents(process.env["SIGNALBOX_AGENTS"]);
const WANTED: readonly AgentName[] = ["claude", "codex", "gemini", "opencode"];
const agents = WANTED.filter((name) => chosen.includes(name));
const KILLS = Number(process.env["SIGNALBOX_KILLS"] ?? (process.env["SIGNALBOX_LONG"] === "1" ? 24 : 3));

/** Where in a delivery it is killed, in this order again and again. */
const POINTS = [
  "in the paste",
  "before Enter",
  "after Enter",
  "queued",
  "before the paste",
  "anywhere",
] as const;
type Point = (typeof POINTS)[number];
const ANYWHERE_MS = 2_500;
const PASTE_MS = 60;
const SETTLING_MS = 200;
/** What the daemon may still want to type when the shell is back. */
const AFTERMATH_MS = 1_500;
/** More than a terminal takes at once. */
const FILLER = "lorem ipsum dolor sit amet\n".repeat(800);
const HANG = "[[slow:200]] [[chunks:600]] [[text:I am at it.]]";

let lab: Lab;
let shell: RecordingShell;
beforeAll(async () => {
  lab = await Lab.open(agents);
  shell = new RecordingShell(lab.home);
}, 300_000);
afterAll(async () => {
  // Codex leaves a server of its own behind, on purpose.
  expect((await lab.close()).filter((command) => !command.includes("app-server"))).toEqual([]);
});

/** A shell in which an agent waits for a message. */
interface Scene {
  readonly session: LabSession;
  readonly peer: TerminalPeer;
  readonly shellPid: number;
  readonly runFolder: string;
}

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

async function begin(agent: AgentName): Promise<Scene> {
  const session = await lab.openSession("terminal", { args: ["/bin/bash"] });
  await session.reaches("completed", "idle");
  const peer = await attach(session);
  const runFolder = join(lab.daemon.dataDir, "runs", `${session.id}.1`);
  const { pid } = JSON.parse(await readFile(join(runFolder, META_FILE), "utf8")) as { readonly pid: number };
  peer.type(`${agent}\r`);
  await expect.poll(() => seatOf(session), { timeout: 60_000 }).toBe(agent);
  await session.reaches("streaming");
  // Codex asks how a folder that it does not trust is to be opened: an answer in front of a shell.
  if (agent === "codex") {
    await session.reaches("waiting_input");
    await session.send("Open restricted");
  }
  await session.reaches("completed");
  return { session, peer, shellPid: pid, runFolder };
}

/** Sends what a shell would run, and waits for the point at which the agent is to die. */
async function reach(point: Point, scene: Scene, prose: string): Promise<void> {
  const { session } = scene;
  const id = lab.nextId();
  const isHeld = () => existsSync(join(scene.runFolder, HOLD_FILE));
  const streaming = () => lab.model.truth.until(id, "streaming", AbortSignal.timeout(60_000));
  switch (point) {
    case "queued":
      await session.send(`[[id:${id}]] ${HANG}`);
      await streaming();
      await session.send(prose);
      return;
    case "after Enter":
      await session.send(`${prose} [[id:${id}]] ${HANG}`);
      await lab.model.truth.until(id, "request", AbortSignal.timeout(60_000));
      return;
    case "before the paste":
      await session.send(prose);
      await sleep(Math.random() * PASTE_MS);
      return;
    case "in the paste":
      await session.send(`${prose}${FILLER}`);
      await until(isHeld);
      await sleep(Math.random() * PASTE_MS);
      return;
    case "before Enter":
      await session.send(prose);
      await until(isHeld);
      await sleep(PASTE_MS + Math.random() * SETTLING_MS);
      return;
    case "anywhere":
      await session.send(`${prose}${FILLER}`);
      await sleep(Math.random() * ANYWHERE_MS);
  }
}

/** The whole agent, or only the process that leads it. */
async function kill({ shellPid }: Scene, isWhole: boolean): Promise<void> {
  const group = readProcess(shellPid)?.foregroundGroup ?? 0;
  if (group <= 1 || group === shellPid) throw new Error("no agent is in front");
  process.kill(isWhole ? -group : group, "SIGKILL");
  const isBack = () => readProcess(shellPid)?.foregroundGroup === shellPid;
  await until(isBack);
  // Whoever of it has stayed; it is not the shell's, and reads no more.
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const each = agents.map((agent) => [agent] as const);

test.skipIf(agents.length > 0)("none of these agents was chosen", (context) => {
  context.skip();
});

describe.each(each)("%s", { retry: 0, timeout: KILLS * 120_000 }, (agent) => {
  test("killed at every point of a delivery, it leaves nothing of a message to the shell", async () => {
    const gotBefore = shell.commands.length;
    const got: unknown[] = [];
    let held = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const point = POINTS[round % POINTS.length] ?? "anywhere";
      const marker = join(lab.home, `${agent}-ran-${round}`);
      const prose = `See \`touch ${marker}\` and $(touch ${marker}).\ntouch ${marker}\n: ${agent} ${round}\n`;
      const scene = await begin(agent);
      await reach(point, scene, prose);
      if (existsSync(join(scene.runFolder, HOLD_FILE))) held += 1;
      await kill(scene, round % 2 === 0);
      await sleep(AFTERMATH_MS);
      const line = await shell.line((keys) => {
        scene.peer.type(keys);
        return Promise.resolve();
      });
      got.push({ point, line, ran: existsSync(marker) });
      scene.peer.close();
      await lab.client.deleteSession(scene.session.id);
    }
    console.log(`${agent}: ${KILLS} kills, ${held} of them in the middle of a delivery`);
    const points = Array.from({ length: KILLS }, (_, round) => POINTS[round % POINTS.length]);
    expect(got).toEqual(points.map((point) => ({ point, line: "", ran: false })));
    expect(shell.commands.slice(gotBefore)).toEqual(points.map(() => agent));
  });
});
