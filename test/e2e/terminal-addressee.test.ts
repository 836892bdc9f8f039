/**
 * A message belongs to its addressee: an agent that dies behind it leaves nothing of it to the shell. A real daemon, keeper
 * and bash, which writes down what it gets; and a small program for the agent, which takes pastes.
 */
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HOLD_FILE } from "../../src/keeper/paths.js";
import { hasBubblewrap } from "../reliability/built-keeper.js";
import { hostPidOf } from "../reliability/host-pid.js";
import { RecordingShell } from "../reliability/recording-shell.js";
import { TerminalPeer } from "./terminal-peer.js";
import { TestDaemon } from "./test-daemon.js";

const SMALL_AGENT = new URL("../../dist/test/e2e/programs/small-agent.js", import.meta.url).pathname;
const START = "claude --settings={}";

let daemon: TestDaemon;
let folder = "";
let sessionId = "";
let shell: RecordingShell;
let peer: TerminalPeer;

async function until(...statuses: readonly string[]): Promise<void> {
  await expect
    .poll(async () => statuses.includes((await daemon.client.getSession(sessionId)).status), { interval: 20 })
    .toBe(true);
}

async function attach(): Promise<TerminalPeer> {
  const { url, token } = daemon.ready;
  const opened = await TerminalPeer.open(`${url}/v1/sessions/${sessionId}/terminal`, {
    authorization: `Bearer ${token}`,
  });
  if (!(opened instanceof TerminalPeer)) throw new Error(opened.body);
  await opened.until(({ frames }) => frames.length === 2);
  return opened;
}

/** Starts the agent as a person would, and waits until it waits. */
async function startAgent(): Promise<void> {
  peer.type(`${START}\r`);
  await expect
    .poll(
      async () => (await daemon.client.getRoster()).seats.find((seat) => seat.sessionId === sessionId)?.agent,
    )
    .toBe("claude");
  await until("completed");
}

async function took(): Promise<string> {
  return await readFile(join(folder, "log"), "utf8").catch(() => "");
}

/** As this machine knows it, not as its wall does. */
async function agentPid(): Promise<number> {
  const { pid } = (await daemon.client.explain(sessionId)).process;
  return hostPidOf(pid ?? 0, Number(await readFile(join(folder, "pid"), "utf8")));
}

async function signalAgent(signal: "SIGKILL" | "SIGSTOP"): Promise<void> {
  process.kill(await agentPid(), signal);
  await peer.untilPrinted(signal === "SIGKILL" ? "Killed" : "Stopped");
}

/** Ordinary prose, which a shell would run. */
const prose = () =>
  `Look at \`touch ${folder}/ran\`, please:\ntouch ${folder}/ran\n${"lorem ipsum\n".repeat(200)}`;

/** Gives what the daemon may still have in mind the time to come, and asks the shell what it got. */
async function shellGot(): Promise<unknown> {
  await sleep(3_000);
  const press = (keys: string) => {
    peer.type(keys);
    return Promise.resolve();
  };
  const line = await shell.line(press);
  return {
    commands: shell.commands.filter((command) => command !== START),
    line,
    ran: existsSync(join(folder, "ran")),
  };
}
const NOTHING = { commands: [], line: "", ran: false };

describe.each(hasBubblewrap ? ["off", "require"] : ["off"])("wall %s", (wall) => {
  beforeAll(async () => {
    daemon = await TestDaemon.start({ env: { SIGNALBOX_WALL: wall } });
  });

  afterAll(async () => {
    await daemon.end();
  });

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "signalbox-addressee-")));
    await mkdir(join(folder, "bin"));
    // By its name it is Claude: the first word of its command line.
    const script = `#!/bin/bash\necho $$ > '${folder}/pid'\nexec -a claude '${process.execPath}' '${SMALL_AGENT}' "$@"\n`;
    await writeFile(join(folder, "bin", "claude"), script);
    await chmod(join(folder, "bin", "claude"), 0o755);
    shell = new RecordingShell(folder);
    const { id } = await daemon.client.createSession({
      harness: "terminal",
      cwd: folder,
      args: ["/bin/bash", "--rcfile", join(folder, ".bashrc")],
      env: {
        PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        SMALL_AGENT_LOG: join(folder, "log"),
      },
    });
    sessionId = id;
    await until("completed", "idle");
    peer = await attach();
  });

  afterEach(async () => {
    await daemon.client.deleteSession(sessionId);
    await rm(folder, { recursive: true, maxRetries: 5 });
  });

  test("an agent that dies with a message in the queue: the shell gets nothing of it", async () => {
    await startAgent();
    await daemon.client.sendMessage(sessionId, { text: "work 60000" });
    await expect.poll(took).toContain("work 60000");
    await daemon.client.sendMessage(sessionId, { text: prose() });
    await signalAgent("SIGKILL");
    expect(await shellGot()).toEqual(NOTHING);
  });

  test.each([100, 700, 3_500, 6_000])(
    "an agent that dies %d ms after a message was sent, which it does not read: the shell gets nothing of it",
    async (delayMs) => {
      await startAgent();
      await daemon.client.sendMessage(sessionId, { text: "deaf" });
      await expect.poll(took).toContain("deaf");
      await until("completed");
      await daemon.client.sendMessage(sessionId, { text: prose() });
      await sleep(delayMs);
      await signalAgent("SIGKILL");
      expect(await shellGot()).toEqual(NOTHING);
    },
  );

  test("an agent that is suspended in the middle of a delivery: the shell gets nothing of it", async () => {
    await startAgent();
    await daemon.client.sendMessage(sessionId, { text: "deaf" });
    await expect.poll(took).toContain("deaf");
    await until("completed");
    await daemon.client.sendMessage(sessionId, { text: prose() });
    await sleep(700);
    await signalAgent("SIGSTOP");
    expect(await shellGot()).toEqual(NOTHING);
  });

  test("what its terminal answers to an agent that dies before it reads it: the shell gets nothing of that either", async () => {
    await startAgent();
    await daemon.client.sendMessage(sessionId, { text: "deaf" });
    await expect.poll(took).toContain("deaf");
    await until("completed");
    await daemon.client.sendMessage(sessionId, { text: prose() });
    const hold = join(daemon.dataDir, "runs", `${sessionId}.1`, HOLD_FILE);
    await expect.poll(() => existsSync(hold), { interval: 10 }).toBe(true);
    await sleep(300);
    process.kill(await agentPid(), "SIGUSR2");
    await sleep(500);
    await signalAgent("SIGKILL");
    expect(await shellGot()).toEqual(NOTHING);
  });

  test("a message in front of the shell's own prompt is not run", async () => {
    await daemon.client.sendMessage(sessionId, { text: prose() }).catch(() => undefined);
    expect(await shellGot()).toEqual(NOTHING);
  });
});
