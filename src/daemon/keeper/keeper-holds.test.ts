/** What is typed for a program never reaches the shell behind it: a real keeper, real terminals, a real bash that writes down what it gets. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildKeeper,
  hasBubblewrap,
  KEEPER,
  outputOf,
  programRun,
  walledRun,
} from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { RecordingShell } from "../../../test/reliability/recording-shell.js";
import { until } from "../../../test/reliability/until.js";
import { childrenOf } from "../../keeper/own-process.js";
import { HOLD_FILE, runFolder } from "../../keeper/paths.js";
import { readProcess, readStartMark } from "../../keeper/process-table.js";
import type { Foreground } from "../../protocol/keeper.js";
import { KeeperClient, KeeperRefusal, type KeeperConnection } from "./keeper-client.js";

const RUN = "s.1";
const SIZE = { pty: { cols: 80, rows: 24 } };

/** Reads nothing; its terminal is in raw mode. */
const DEAF = 'process.stdin.setRawMode(true); console.log("READY"); setInterval(() => {}, 1000);';
/** Writes down what it reads. */
const LISTENING =
  'process.stdin.setRawMode(true); process.stdin.on("data", (data) => require("fs").appendFileSync("heard", data)); console.log("READY");';

let dataDir = "";
let keeperPid = 0;
let connection: KeeperConnection;
let shell: RecordingShell;
let front: Foreground | null = null;
/** Whether runs are behind a wall. */
let isWalled = false;
const children: ChildProcess[] = [];

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-holds-")));
  front = null;
  shell = new RecordingShell(dataDir);
  writeFileSync(join(dataDir, "deaf.cjs"), DEAF);
  writeFileSync(join(dataDir, "listening.cjs"), LISTENING);
});

afterEach(async () => {
  connection.client.close();
  for (const child of children.splice(0)) child.kill("SIGKILL");
  if (isAlive(keeperPid)) {
    process.kill(keeperPid, "SIGTERM");
    await until(() => !isAlive(keeperPid));
  }
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function connect(...keeperArgs: readonly string[]): Promise<void> {
  connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    keeperArgs,
    onNotice: (notice) => {
      if (notice.type === "foreground") front = notice.foreground;
    },
    onClosed: () => undefined,
  });
  ({ keeperPid } = connection);
}

/** The pid of the run, which stands for its own process whether or not there is a wall between the two. */
async function start(command: string, ...args: readonly string[]): Promise<number> {
  const spec = programRun(RUN, dataDir, command, ...args);
  const program = { ...spec, env: { ...spec.env, HOME: dataDir }, ...SIZE };
  return await connection.client.spawn(isWalled ? walledRun(program) : program);
}

/** Starts the shell, and waits for its prompt. The pid of its process. */
async function startShell(): Promise<number> {
  const pid = await start("/bin/bash");
  await prints("$ ");
  await until(() => front?.pid === pid);
  const [outer = 0] = childrenOf(pid);
  const [inner = 0] = childrenOf(outer);
  return isWalled ? inner : pid;
}

async function prints(text: string): Promise<void> {
  await until(async () => (await outputOf(dataDir, RUN)).includes(text));
}

async function type(data: string, hold?: string): Promise<void> {
  const fields = { runId: RUN, effectId: null, data, encoding: "utf8" } as const;
  await connection.client.input(hold === undefined ? fields : { ...fields, hold });
}

interface Marked {
  readonly pid: number;
  readonly start: string;
}

/** Has the shell start a program, and waits until it is in front and says that it is ready. */
async function run(command: string, ready = "READY"): Promise<Marked> {
  const shellPid = front?.pid;
  const before = (await outputOf(dataDir, RUN)).length;
  await type(`${command}\r`);
  await until(async () => (await outputOf(dataDir, RUN)).slice(before).includes(ready));
  await until(() => front !== null && front.pid !== shellPid && !front.programs[0]?.command.endsWith("bash"));
  return { pid: front?.pid ?? 0, start: front?.start ?? "" };
}

async function hold(addressee: Marked, holdId = "h1"): Promise<void> {
  await connection.client.hold({ runId: RUN, holdId, ...addressee });
}

async function release(isTaken: boolean, holdId = "h1") {
  return await connection.client.release({ runId: RUN, holdId, isTaken });
}

async function refusalOf(asked: Promise<unknown>): Promise<string> {
  return await asked.then(
    () => "done",
    (error: unknown) => {
      if (error instanceof KeeperRefusal) return error.code;
      throw error;
    },
  );
}

const marker = () => join(dataDir, "ran");
/** Prose with backquotes, lines of its own, and more than a terminal takes at once. */
const message = (sizeBytes: number) =>
  `\x1b[200~Look at \`touch ${marker()}\`.\n\rtouch ${marker()}\n${"lorem ipsum\n".repeat(sizeBytes / 12)}\x1b[201~`;

function isStopped(pid: number): boolean {
  return readProcess(pid)?.stopped === true;
}

/** What the shell got after a program was started by `command`: all that it has run, and the line at its prompt. */
async function shellGot(command: string): Promise<unknown> {
  const line = await shell.line((keys) => type(keys));
  return { commands: shell.commands.filter((each) => each !== command), line, ran: existsSync(marker()) };
}
const NOTHING = { commands: [], line: "", ran: false };

describe.each(hasBubblewrap ? [false, true] : [false])("behind a wall: %s", (walled) => {
  beforeEach(() => {
    isWalled = walled;
  });

  describe("a program that dies", () => {
    test("without a hold the shell runs what waits in the terminal: what all this is about", async () => {
      await connect();
      await startShell();
      const { pid } = await run("node deaf.cjs");
      await type(`Look at \`touch ${marker()}\`.\r`);
      process.kill(pid, "SIGKILL");
      await until(() => existsSync(marker()));
    });

    test.each([
      ["a short message", 200],
      ["more than the terminal takes at once", 60_000],
    ])("the shell gets nothing of it: %s", async (_, sizeBytes) => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      expect([isStopped(shellPid), isStopped(agent.pid)]).toEqual([true, false]);
      await type(message(sizeBytes), "h1");
      process.kill(agent.pid, "SIGKILL");
      await until(() => !isStopped(shellPid));
      expect(await refusalOf(type("\r", "h1"))).toBe("agent_gone");
      expect(await release(true)).toEqual({
        isGone: true,
        unreadBytes: Buffer.byteLength(message(sizeBytes)),
      });
      await prints("Killed");
      expect(await shellGot("node deaf.cjs")).toEqual(NOTHING);
      expect(existsSync(join(runFolder(dataDir, RUN), HOLD_FILE))).toBe(false);
    });

    test("neither when it is killed at any moment of a long paste", { timeout: 60_000 }, async () => {
      await connect();
      const shellPid = await startShell();
      for (let round = 0; round < 12; round += 1) {
        rmSync(join(dataDir, "heard"), { force: true });
        const agent = await run(round % 2 === 0 ? "node listening.cjs" : "node deaf.cjs");
        await hold(agent);
        const typed = refusalOf(type(message(40_000), "h1"));
        await sleep(round);
        process.kill(agent.pid, "SIGKILL");
        await typed;
        await refusalOf(type("\r", "h1"));
        await until(() => !isStopped(shellPid));
        expect(await shell.line((keys) => type(keys))).toBe("");
      }
      expect([new Set(shell.commands), existsSync(marker())]).toEqual([
        new Set(["node listening.cjs", "node deaf.cjs"]),
        false,
      ]);
    });

    test("neither from a terminal in line mode, whole lines and the beginning of one", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("sleep 1000", "sleep 1000");
      await hold(agent);
      await type(`touch ${marker()}\rtouch ${marker()}`, "h1");
      process.kill(agent.pid, "SIGKILL");
      await until(() => !isStopped(shellPid));
      expect(await shellGot("sleep 1000")).toEqual(NOTHING);
    });

    test("neither when it is only stopped, as by Ctrl-Z", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await type(message(200), "h1");
      process.kill(agent.pid, "SIGTSTP");
      await until(() => !isStopped(shellPid));
      await prints("Stopped");
      expect(await shellGot("node deaf.cjs")).toEqual(NOTHING);
      expect(await refusalOf(hold(agent, "h2"))).toBe("agent_gone");
      process.kill(agent.pid, "SIGKILL");
    });

    test("neither the script that started it, which goes on after its end", async () => {
      await connect();
      const shellPid = await startShell();
      writeFileSync(
        join(dataDir, "script.sh"),
        'node deaf.cjs; stty sane; read -r line; echo "$line" > got\n',
      );
      const script = await run("sh script.sh");
      const [program = 0] = childrenOf(script.pid);
      await hold(script);
      expect([isStopped(shellPid), isStopped(script.pid), isStopped(program)]).toEqual([true, true, false]);
      await type(message(200), "h1");
      process.kill(program, "SIGKILL");
      await until(() => !isStopped(shellPid));
      await until(() => !isStopped(script.pid));
      // The terminal may still be as the dead program has left it.
      await type("typed\n");
      await until(() => existsSync(join(dataDir, "got")));
      expect(readFileSync(join(dataDir, "got"), "utf8")).toBe("typed\n");
      expect(await shellGot("sh script.sh")).toEqual(NOTHING);
    });
  });

  describe("a program that lives", () => {
    test("gets what is typed; nobody is frozen afterwards, and the shell is as it was", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node listening.cjs");
      await hold(agent);
      await type("hello", "h1");
      await until(() => existsSync(join(dataDir, "heard")));
      expect(await release(true)).toEqual({ isGone: false, unreadBytes: 0 });
      expect(isStopped(shellPid)).toBe(false);
      expect(await refusalOf(type("more", "h1"))).toBe("agent_gone");
      await type("typed");
      await until(() => readFileSync(join(dataDir, "heard"), "utf8") === "hellotyped");
      process.kill(agent.pid, "SIGKILL");
      await prints("Killed");
      expect(await shellGot("node listening.cjs")).toEqual(NOTHING);
    });

    test("what it has not read is taken back, also when it seemed to be taken", async () => {
      await connect();
      await startShell();
      const agent = await run("node deaf.cjs");
      for (const isTaken of [false, true]) {
        await hold(agent);
        await type(message(200), "h1");
        await type("a person's");
        const unreadBytes = Buffer.byteLength(message(200));
        expect(await release(isTaken)).toEqual({ isGone: false, unreadBytes });
      }
      process.kill(agent.pid, "SIGKILL");
      await prints("Killed");
      expect(await shellGot("node deaf.cjs")).toEqual(NOTHING);
    });

    test("what a person has typed meanwhile stays", async () => {
      await connect();
      await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await type("a person's");
      expect(await release(true)).toEqual({ isGone: false, unreadBytes: 0 });
      process.kill(agent.pid, "SIGKILL");
      await prints("Killed");
      expect(await shellGot("node deaf.cjs")).toEqual({ ...NOTHING, line: "a person's" });
    });

    test("what the terminal answers to it is not left to the shell when it is gone", async () => {
      await connect();
      await startShell();
      const agent = await run("node listening.cjs");
      const answer = () =>
        connection.client.input({
          ...{ runId: RUN, effectId: null, data: "\x1b[?1;2c", encoding: "utf8" },
          asker: agent,
        });
      expect(await refusalOf(answer())).toBe("done");
      await until(() => existsSync(join(dataDir, "heard")));
      process.kill(agent.pid, "SIGKILL");
      await prints("Killed");
      expect(await refusalOf(answer())).toBe("agent_gone");
      expect(await shellGot("node listening.cjs")).toEqual(NOTHING);
    });

    test("a shell in a shell is frozen too, and neither sees that the other was", async () => {
      await connect();
      const outerPid = await startShell();
      const ownPid = front?.pid;
      await type("bash --norc --noprofile -i\r");
      await until(() => front !== null && front.pid !== ownPid);
      const innerPid = front?.pid ?? 0;
      const agent = await run("node deaf.cjs");
      await hold(agent);
      expect([outerPid, innerPid, agent.pid].map(isStopped)).toEqual([true, true, false]);
      await type(message(200), "h1");
      process.kill(agent.pid, "SIGKILL");
      await until(() => !isStopped(outerPid) && !isStopped(innerPid));
      await type("echo inner $((SHLVL))\r");
      await prints("inner 2");
      expect(await outputOf(dataDir, RUN)).not.toContain("Stopped");
      expect(existsSync(marker())).toBe(false);
    });

    test("the run's own process needs no shell to be frozen", async () => {
      await connect();
      const pid = await start("node", "listening.cjs");
      await prints("READY");
      await hold({ pid, start: "" });
      await type("hello", "h1");
      await until(() => existsSync(join(dataDir, "heard")));
      expect(await release(true)).toEqual({ isGone: false, unreadBytes: 0 });
      expect(await refusalOf(hold({ pid, start: "1@never" }))).toBe("agent_gone");
    });
  });

  describe("nobody is held for another", () => {
    test("neither for one that is not in front, nor for one with another start", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      const own = { pid: shellPid, start: await readStartMark(shellPid) };
      const refusals = [
        own,
        { ...agent, start: "1@never" },
        { ...agent, start: "" },
        { pid: 2 ** 22, start: "" },
      ];
      for (const other of refusals) expect(await refusalOf(hold(other))).toBe("agent_gone");
      expect(isStopped(shellPid)).toBe(false);
      expect(await refusalOf(release(true))).toBe("no_hold");
    });

    test("a repeat goes on with the hold; one with pipes has none", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await hold(agent, "h2");
      expect([await refusalOf(type("x", "h1")), await refusalOf(type("x", "h2"))]).toEqual([
        "agent_gone",
        "done",
      ]);
      expect(await release(false, "h2")).toEqual({ isGone: false, unreadBytes: 1 });
      expect(isStopped(shellPid)).toBe(false);
      const pid = await connection.client.spawn(programRun("s.2", dataDir, "sleep", "1000"));
      expect(
        await refusalOf(
          connection.client.hold({ runId: "s.2", holdId: "h", pid, start: await readStartMark(pid) }),
        ),
      ).toBe("no_hold");
    });
  });

  describe("how a hold ends", () => {
    test("by itself, when nobody releases it; also when whoever took it is gone", async () => {
      await connect("--hold-ms-max", "1000");
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await type(message(200), "h1");
      connection.client.close();
      await until(() => !isStopped(shellPid));
      await connect();
      process.kill(agent.pid, "SIGKILL");
      await prints("Killed");
      expect(await shellGot("node deaf.cjs")).toEqual(NOTHING);
    });

    test("by a stop of the run, which does not have to wait for a frozen shell", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await type(message(200), "h1");
      const times = { termAfterMs: 0, killAfterMs: 40_000 };
      // An interactive bash takes no SIGTERM, but a hangup.
      await connection.client.signal({ runId: RUN, effectId: "2.0", signal: "SIGHUP" });
      await connection.client.stop({ runId: RUN, effectId: "3.0", interrupt: false, ...times });
      await until(() => !isAlive(shellPid));
      expect(existsSync(marker())).toBe(false);
    });

    test("by the keeper's crash: the next one lets go of everybody whom it finds", async () => {
      await connect();
      const shellPid = await startShell();
      const agent = await run("node deaf.cjs");
      await hold(agent);
      await type(message(200), "h1");
      process.kill(keeperPid, "SIGKILL");
      await until(() => !isAlive(keeperPid));
      connection.client.close();
      // One that the crash did not set free: it has left the terminal.
      const left = spawn("sleep", ["1000"], { detached: true });
      children.push(left);
      const pid = left.pid ?? 0;
      process.kill(pid, "SIGSTOP");
      await until(() => isStopped(pid));
      const frozen = [
        { pid, start: await readStartMark(pid) },
        { pid: process.pid, start: "1@never" },
      ];
      mkdirSync(runFolder(dataDir, "s.7"), { recursive: true });
      const record = { addressee: frozen[0], terminal: "/dev/pts/99999", frozen };
      writeFileSync(join(runFolder(dataDir, "s.7"), HOLD_FILE), JSON.stringify(record));
      mkdirSync(runFolder(dataDir, "s.8"), { recursive: true });
      writeFileSync(join(runFolder(dataDir, "s.8"), HOLD_FILE), "{");
      await connect();
      await until(() => [shellPid, pid].every((each) => !isStopped(each)));
      expect(existsSync(marker())).toBe(false);
      expect(["s.1", "s.7"].map((id) => existsSync(join(runFolder(dataDir, id), HOLD_FILE)))).toEqual([
        false,
        false,
      ]);
    });
  });
});
