/** Runs behind a wall: who is in front, who hears a signal, and what is told of their end. A real keeper and a real bubblewrap. */
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildKeeper,
  hasBubblewrap,
  isDead,
  KEEPER,
  outputOf,
  programRun,
  walledRun,
} from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { until } from "../../../test/reliability/until.js";
import { childrenOf } from "../../keeper/own-process.js";
import { META_FILE, runFolder } from "../../keeper/paths.js";
import { listProcesses } from "../../keeper/process-table.js";
import type { Foreground, RunExit } from "../../protocol/keeper.js";
import { hasCompany } from "../runs/has-company.js";
import { KeeperClient, type KeeperConnection } from "./keeper-client.js";

const RUN = "s.1";
const SIZE = { pty: { cols: 80, rows: 24 } };

let dataDir = "";
let connection: KeeperConnection;
let fronts: Foreground[] = [];
let exit: RunExit | null = null;

beforeAll(buildKeeper);

beforeEach(async () => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-walls-")));
  fronts = [];
  exit = null;
  connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    onNotice: (notice) => {
      if (notice.type === "foreground") fronts.push(notice.foreground);
      if (notice.type === "exit") ({ exit } = notice);
    },
    onClosed: () => undefined,
  });
});

afterEach(async () => {
  connection.client.close();
  const { keeperPid } = connection;
  if (isAlive(keeperPid)) {
    process.kill(keeperPid, "SIGTERM");
    await until(() => !isAlive(keeperPid));
  }
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function start(isTerminal: boolean, command: string, ...args: readonly string[]): Promise<number> {
  const run = walledRun(programRun(RUN, dataDir, command, ...args));
  const env = { ...run.env, HOME: dataDir, PS1: "$ " };
  return await connection.client.spawn({ ...run, env, ...(isTerminal ? SIZE : {}) });
}

async function prints(text: string): Promise<void> {
  await until(async () => (await outputOf(dataDir, RUN)).includes(text));
}

async function type(data: string): Promise<void> {
  await connection.client.input({ runId: RUN, effectId: null, data, encoding: "utf8" });
}

/** The first program inside: bubblewrap is started twice before it. */
function innerOf(pid: number): number {
  const [first = 0] = childrenOf(pid);
  return childrenOf(first)[0] ?? 0;
}

async function ended(): Promise<RunExit> {
  await until(() => exit !== null);
  return exit ?? { code: null, signal: null };
}

/** Everybody who descends from a process. */
function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

describe.runIf(hasBubblewrap)("the end of a walled run", () => {
  test.each<[string, RunExit]>([
    ["exit 7", { code: 7, signal: null }],
    ["exit 0", { code: 0, signal: null }],
    ["exit 255", { code: 255, signal: null }],
    ["kill -TERM $$", { code: null, signal: "SIGTERM" }],
    ["kill -SEGV $$", { code: null, signal: "SIGSEGV" }],
    ["kill -KILL $$", { code: null, signal: "SIGKILL" }],
  ])("%s is told as what it was", async (script, told) => {
    await start(false, "sh", "-c", script);
    expect(await ended()).toEqual(told);
  });

  test("a stop reaches the agent's own handler, whose code is told", async () => {
    const script = "trap 'echo told; exit 5' TERM; echo READY; while :; do sleep 0.05; done";
    await start(false, "sh", "-c", script);
    await prints("READY");
    await connection.client.stop({
      runId: RUN,
      effectId: "2.0",
      interrupt: false,
      termAfterMs: 0,
      killAfterMs: 40_000,
    });
    expect(await ended()).toEqual({ code: 5, signal: null });
    await prints("told");
  });

  test("an interrupt too, of an agent and of a shell with a group of its own", async () => {
    await start(true, "bash", "--norc", "-i");
    await prints("$ ");
    await type("trap 'echo interrupted' INT; echo RE''ADY\r");
    await prints("READY");
    await connection.client.signal({ runId: RUN, effectId: "2.0", signal: "SIGINT" });
    await type("\r");
    await prints("interrupted");
    // An interactive bash takes no SIGTERM, but a hangup.
    await connection.client.signal({ runId: RUN, effectId: "3.0", signal: "SIGHUP" });
    expect(await ended()).toEqual({ code: null, signal: "SIGHUP" });
  });

  test("who has left the group and the session ends with it, by its end and by SIGKILL", async () => {
    const script =
      "setsid sleep 1000 & (setsid sh -c 'sleep 1001 & sleep 1002' &) ; sleep 0.2; echo READY; read line";
    const pid = await start(false, "bash", "-c", script);
    await prints("READY");
    const inside = descendantsOf(pid);
    expect(inside.length).toBeGreaterThanOrEqual(5);
    await type("\n");
    expect(await ended()).toEqual({ code: 0, signal: null });
    await until(() => inside.every(isDead));
  });

  test("SIGKILL ends everybody inside", async () => {
    const script =
      "trap '' TERM INT HUP; setsid sleep 1000 & sleep 0.2; echo READY; while :; do sleep 1; done";
    const pid = await start(false, "bash", "-c", script);
    await prints("READY");
    const inside = [pid, ...descendantsOf(pid)];
    await connection.client.signal({ runId: RUN, effectId: "2.0", signal: "SIGKILL" });
    expect(await ended()).toEqual({ code: null, signal: "SIGKILL" });
    await until(() => inside.every(isDead));
  });

  test("the keeper's death ends everybody inside", async () => {
    const pid = await start(true, "bash", "-c", "setsid sleep 1000 & sleep 0.2; echo READY; read line");
    await prints("READY");
    const inside = [pid, ...descendantsOf(pid)];
    process.kill(connection.keeperPid, "SIGKILL");
    await until(() => inside.every(isDead));
  });

  test("that it is walled is on disk with it", async () => {
    await start(false, "cat");
    const meta: unknown = JSON.parse(readFileSync(join(runFolder(dataDir, RUN), META_FILE), "utf8"));
    expect(meta).toMatchObject({ runId: RUN, walled: true });
  });
});

describe.runIf(hasBubblewrap)("who is in front, behind a wall", () => {
  test("an agent of its own is the run's own process, and bubblewrap is never named", async () => {
    const pid = await start(true, "node", "-e", "console.log('READY'); setInterval(() => {}, 1000)");
    await prints("READY");
    await until(() => fronts.at(-1)?.programs[0]?.command === "node");
    expect(fronts.at(-1)?.pid).toBe(pid);
    expect(fronts.flatMap(({ programs }) => programs.map(({ command }) => command))).not.toContain("bwrap");
  });

  test("a shell is, and what it starts is somebody else, by its own pid", async () => {
    const pid = await start(true, "bash", "--norc", "-i");
    await prints("$ ");
    await until(() => fronts.at(-1)?.programs[0]?.command === "bash");
    expect(fronts.at(-1)?.pid).toBe(pid);
    await type("sleep 1000\r");
    await until(() => fronts.at(-1)?.programs[0]?.command === "sleep");
    expect(childrenOf(innerOf(pid))).toEqual([fronts.at(-1)?.pid]);
    await type("\x03");
    await until(() => fronts.at(-1)?.pid === pid);
    expect(fronts.at(-1)?.programs[0]?.command).toBe("bash");
  });

  test("neither an agent that is called bwrap, nor one in a namespace of its own, is looked through", async () => {
    const impostor = join(dataDir, "bwrap");
    copyFileSync("/bin/bash", impostor);
    chmodSync(impostor, 0o755);
    const pid = await start(true, impostor, "--norc", "-i");
    await prints("$ ");
    await until(() => fronts.at(-1)?.programs[0]?.command === impostor);
    expect(fronts.at(-1)?.pid).toBe(pid);
    // One child that is the first of a namespace, as that of bubblewrap is.
    writeFileSync(
      join(dataDir, "inner.sh"),
      "exec bwrap --bind / / --unshare-user --unshare-pid sleep 1000\n",
    );
    await type("sh inner.sh\r");
    await until(() => fronts.at(-1)?.programs.at(-1)?.command === "sleep");
    expect(childrenOf(innerOf(pid))).toContain(fronts.at(-1)?.pid);
  });

  test("orphans inside are not taken for the agent", async () => {
    const pid = await start(
      true,
      "bash",
      "-c",
      "(sleep 1000 &); (sleep 1001 &); sleep 0.2; echo READY; exec cat",
    );
    await prints("READY");
    await until(() => fronts.at(-1)?.programs[0]?.command === "cat");
    expect(fronts.at(-1)?.pid).toBe(pid);
  });

  test("the two that bubblewrap adds are no company", async () => {
    const pid = await start(false, "cat");
    await until(() => innerOf(pid) !== 0);
    expect(hasCompany(pid, listProcesses())).toBe(false);
  });
});
