/**
 * Real agents, started in a real bash by a person, and killed at every point of a delivery: the shell behind them writes
 * down what it gets, which must be nothing of any message. `SIGNALBOX_KILLS` says how often each is killed; by itself six
 * times, once at each point, in the long form 24. What it prints is the proof: see `kill-report.ts`.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOLD_FILE, META_FILE } from "../../../src/keeper/paths.js";
import { listProcesses, readProcess } from "../../../src/keeper/process-table.js";
import type { TerminalPeer } from "../../e2e/terminal-peer.js";
import { RecordingShell } from "../../reliability/recording-shell.js";
import { stateOf, type LabSession } from "../lab-session.js";
import { Lab } from "../lab.js";
import { chosenPackage, type AgentName } from "../packages.js";
import { chosenOf, closeLab, seatOf, startByHand } from "./by-hand.js";
import { hitsOf, nextPoint, POINTS, tableOf, type Kill, type Point, type Stage } from "./kill-report.js";

const agents = chosenOf(["claude", "codex", "gemini", "opencode"]);
const KILLS = Number(process.env["SIGNALBOX_KILLS"] ?? (process.env["SIGNALBOX_LONG"] === "1" ? 24 : 6));
/** A machine that is slow at the wrong moment misses a point; it is tried again, and no more often than this in all. */
const KILLS_MAX = 2 * KILLS;
const HITS_MIN = Math.floor(KILLS / POINTS.length);

const ANYWHERE_MS = 2_500;
/** An agent that has read so much since the shell was held reads the paste. */
const BEGUN_BYTES = 8_192;
const LOOK_EVERY_MS = 3;
/** What the daemon may still want to type when the shell is back. */
const AFTERMATH_MS = 1_500;
/** Much more than a terminal takes at once. */
const FILLER = "lorem ipsum dolor sit amet\n".repeat(16_000);
const HANG = "[[slow:200]] [[chunks:600]] [[text:I am at it.]]";

let lab: Lab;
let shell: RecordingShell;
beforeAll(async () => {
  lab = await Lab.open(agents);
  shell = new RecordingShell(lab.home);
}, 300_000);
afterAll(() => closeLab(lab));

/** A shell in which an agent waits for a message. */
interface Scene {
  readonly session: LabSession;
  readonly peer: TerminalPeer;
  readonly shellPid: number;
  /** The process group of the agent. */
  readonly group: number;
  readonly holdFile: string;
}

async function begin(agent: AgentName): Promise<Scene> {
  const { session, peer } = await startByHand(lab, agent, ["/bin/bash"]);
  const folder = join(lab.daemon.dataDir, "runs", `${session.id}.1`);
  const { pid } = JSON.parse(await readFile(join(folder, META_FILE), "utf8")) as { readonly pid: number };
  const group = readProcess(pid)?.foregroundGroup ?? 0;
  if (group <= 1 || group === pid) throw new Error("no agent is in front");
  return { session, peer, shellPid: pid, group, holdFile: join(folder, HOLD_FILE) };
}

/** A message that a shell would run, on its way. */
interface Delivery {
  /** Of its prompt, by which the model knows it. */
  readonly id: string;
  readonly messageId: string;
  /** As it was accepted. */
  readonly status: string;
}

async function send({ session }: Scene, id: string, text: string): Promise<Delivery> {
  return { id, ...(await lab.client.sendMessage(session.id, { text })) };
}

/** Sends the message, and waits for the point at which the agent is to die. */
async function reach(point: Point, scene: Scene, prose: string): Promise<Delivery> {
  const { session } = scene;
  const id = lab.nextId();
  const named = `[[id:${id}]] ${prose}`;
  const held = () =>
    session.eventually("a hold of the shell", () => existsSync(scene.holdFile), LOOK_EVERY_MS);
  switch (point) {
    case "queued": {
      const busy = lab.nextId();
      await session.send(`[[id:${busy}]] ${HANG}`);
      await session.eventually("work on the first message", () => isAsked(busy));
      return await send(scene, id, named);
    }
    case "before it is shown": {
      const delivery = await send(scene, id, named);
      await held();
      return delivery;
    }
    case "in the paste": {
      const delivery = await send(scene, id, `${named}${FILLER}`);
      const reads = readsOf(scene);
      await held();
      // It has read some of it, and the terminal holds no more than a little: most is still to come.
      await session.eventually("the first bytes of a paste", () => readsOf(scene) > reads + BEGUN_BYTES, 0);
      return delivery;
    }
    case "before Enter": {
      const delivery = await send(scene, id, named);
      await session.eventually("the pasted message", () => isShown(scene, id), LOOK_EVERY_MS);
      return delivery;
    }
    case "after Enter": {
      const delivery = await send(scene, id, `${named} ${HANG}`);
      await session.eventually("the model's request", () => isAsked(id), LOOK_EVERY_MS);
      return delivery;
    }
    case "anywhere": {
      const delivery = await send(scene, id, `${named}${FILLER}`);
      await sleep(Math.random() * ANYWHERE_MS);
      return delivery;
    }
  }
}

/** The agent has asked its model. */
function isAsked(id: string): boolean {
  return lab.model.truth.timeline(id).length > 0;
}

/** The message, or what an agent shows in the place of a long one. */
async function isShown({ peer }: Scene, id: string): Promise<boolean> {
  const lines = await peer.lines();
  return lines.some((line) => line.includes(`[[id:${id}]]`) || /\[Pasted/i.test(line));
}

function statusOf({ session }: Scene, { messageId, status }: Delivery): string {
  const statuses = session.told.flatMap((told) => {
    const change = stateOf(told);
    return change?.type === "message_status" && change.messageId === messageId ? [change.status] : [];
  });
  return statuses.at(-1) ?? status;
}

/** How far it has come, by what can be seen of it from outside. */
async function stageOf(scene: Scene, delivery: Delivery): Promise<Stage> {
  const isPasted = await isShown(scene, delivery.id);
  const isHeld = existsSync(scene.holdFile);
  const status = statusOf(scene, delivery);
  if (status === "sent") return "taken";
  if (isAsked(delivery.id)) return "entered";
  if (isHeld) return isPasted ? "pasted" : "held";
  return status === "queued" ? "queued" : "handed over";
}

/** What all of the agent's processes have read so far. */
function readsOf({ group }: Scene): number {
  let bytes = 0;
  for (const { pid } of listProcesses().filter((each) => each.group === group)) {
    try {
      bytes += Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
    } catch (error) {
      // It has ended meanwhile.
      if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return bytes;
}

/** The whole agent, or only the process that leads it. */
async function kill({ session, shellPid, group }: Scene, isWhole: boolean): Promise<void> {
  process.kill(isWhole ? -group : group, "SIGKILL");
  await session.eventually("the shell", () => readProcess(shellPid)?.foregroundGroup === shellPid);
  // Whoever of it has stayed; it is not the shell's, and reads no more.
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** What the keeper took out of the terminal when the agent was gone, as the journal has it. */
async function takenBackBytes({ session }: Scene): Promise<number> {
  const { items } = await lab.client.listEvents(session.id, { limit: 1_000 });
  const found = items.flatMap(
    (entry) => /(\d+) bytes that it had not read/.exec(JSON.stringify(entry))?.[1] ?? [],
  );
  return Math.max(0, ...found.map(Number));
}

/** The session is a shell again, and says so; the message came back, or was taken before the agent died. */
async function fateOf(scene: Scene, delivery: Delivery): Promise<Kill["fate"]> {
  const { session } = scene;
  await session.eventually("a shell without an agent", async () => {
    const { status, agent, asks } = await session.read();
    return status === "idle" && agent === null && asks.length === 0 && (await seatOf(lab, session)) === null;
  });
  await session.eventually("the fate of the message", () => {
    const status = statusOf(scene, delivery);
    return status === "returned" || status === "sent";
  });
  if (statusOf(scene, delivery) === "sent") return "taken";
  const { returned } = await session.read();
  expect(returned.map(({ messageId }) => messageId)).toContain(delivery.messageId);
  return "returned";
}

const each = agents.map((agent) => [agent] as const);

test.skipIf(agents.length > 0)("none of these agents was chosen", (context) => {
  context.skip();
});

describe.each(each)("%s", { retry: 0, timeout: KILLS_MAX * 120_000 }, (agent) => {
  test("killed at every point of a delivery, it leaves nothing of a message to the shell", async () => {
    const gotBefore = shell.commands.length;
    const kills: Kill[] = [];
    const ran: string[] = [];
    const isEnough = () => Object.values(hitsOf(kills)).every((hits) => hits >= HITS_MIN);
    try {
      while (kills.length < KILLS || (!isEnough() && kills.length < KILLS_MAX)) {
        const point = nextPoint(kills);
        const marker = join(lab.home, `${agent}-ran-${kills.length}`);
        const prose = `See \`touch ${marker}\` and $(touch ${marker}).\ntouch ${marker}\n: ${agent}\n`;
        const scene = await begin(agent);
        const delivery = await reach(point, scene, prose).catch(async (error: unknown) => {
          throw new Error(`${point}: its screen shows\n${(await scene.peer.lines()).join("\n")}`, {
            cause: error,
          });
        });
        const stage = await stageOf(scene, delivery);
        await kill(scene, kills.length % 2 === 0);
        const fate = await fateOf(scene, delivery);
        await sleep(AFTERMATH_MS);
        const line = await shell.line((keys) => {
          scene.peer.type(keys);
          return Promise.resolve();
        });
        if (existsSync(marker)) ran.push(marker);
        kills.push({ point, stage, fate, takenBackBytes: await takenBackBytes(scene), shellLine: line });
        scene.peer.close();
        await scene.session.remove();
      }
    } finally {
      const { version } = chosenPackage(agent);
      console.log(`${agent} ${version}, killed ${kills.length} times\n${tableOf(kills)}`);
    }
    expect(kills.filter(({ shellLine }) => shellLine !== "")).toEqual([]);
    expect(ran).toEqual([]);
    expect(shell.commands.slice(gotBefore)).toEqual(kills.map(() => agent));
    expect(hitsOf(kills)).toEqual(
      Object.fromEntries(
        POINTS.map((point) => [point, expect.toSatisfy((hits: number) => hits >= HITS_MIN)]),
      ),
    );
  });
});
