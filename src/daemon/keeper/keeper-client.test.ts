/** The client, a real keeper and real processes: what is asked for once happens once. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  buildKeeper,
  KEEPER,
  outputOf,
  programRun,
  shellRun,
} from "../../../test/reliability/built-keeper.js";
import { isAlive } from "../../../test/reliability/is-alive.js";
import { until } from "../../../test/reliability/until.js";
import { runFolder } from "../../keeper/paths.js";
import { INPUT_QUEUE_BYTES_MAX } from "../../protocol/keeper-format.js";
import { KeeperClient, KeeperClosed, KeeperRefusal, type RunNotice } from "./keeper-client.js";
import { readStderr } from "./spool-reader.js";

/** A file that is there and may not be run. */
const NO_PROGRAM = fileURLToPath(import.meta.url);

let dataDir = "";
let keeperPid = 0;

beforeAll(buildKeeper);

beforeEach(() => {
  dataDir = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-keeper-")));
});

afterEach(async () => {
  if (isAlive(keeperPid)) {
    process.kill(keeperPid, "SIGTERM");
    await until(() => !isAlive(keeperPid));
  }
  rmSync(dataDir, { recursive: true, maxRetries: 5 });
});

async function connect(silenceMsMax?: number) {
  const notices: RunNotice[] = [];
  const closed: Error[] = [];
  const connection = await KeeperClient.connect({
    dataDir,
    keeperEntry: KEEPER,
    ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
    onNotice: (notice) => notices.push(notice),
    onClosed: (error) => closed.push(error),
  });
  ({ keeperPid } = connection);
  return { ...connection, notices, closed };
}

function input(runId: string, effectId: string | null, data: string) {
  return { runId, effectId, data, encoding: "utf8" } as const;
}

const spec = (runId: string, command: string, ...args: readonly string[]) =>
  programRun(runId, dataDir, command, ...args);
const shell = (runId: string, script: string) => shellRun(runId, script, dataDir);

async function exitOf(notices: readonly RunNotice[], runId: string) {
  const find = () => notices.find((notice) => notice.type === "exit" && notice.runId === runId);
  await until(() => find() !== undefined);
  return find();
}

async function refusal(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await promise.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof KeeperRefusal)) throw new Error("it was not refused", { cause: error });
  return { code: error.code, message: error.message };
}

describe("connecting", () => {
  test("starts one keeper, however many ask at once, and finds it again", async () => {
    const [first, second] = await Promise.all([connect(), connect()]);
    const third = await connect();
    expect([second.keeperPid, third.keeperPid]).toEqual([first.keeperPid, first.keeperPid]);
    expect(first.runs).toEqual([]);
    expect(statSync(join(dataDir, "keeper.sock")).mode & 0o777).toBe(0o600);
    for (const { client } of [first, second, third]) client.close();
    expect([first, second, third].map(({ closed }) => closed)).toEqual([[], [], []]);
  });

  test("says why no keeper could be started", async () => {
    const options = { dataDir, onNotice: () => undefined, onClosed: () => undefined };
    await expect(KeeperClient.connect({ ...options, keeperEntry: join(dataDir, "none.js") })).rejects.toThrow(
      /^The keeper did not start: it ended with 1\. See .*keeper\.log$/,
    );
  });

  test("when the keeper dies, everything that waits is rejected, and it is told once", async () => {
    const { client, closed } = await connect();
    process.kill(keeperPid, "SIGSTOP");
    const waiting = [client.spawn(spec("s.1", "cat")), client.resize({ runId: "s.1", cols: 80, rows: 24 })];
    const outcome = Promise.allSettled(waiting);
    process.kill(keeperPid, "SIGKILL");
    expect(
      (await outcome).map((each) => each.status === "rejected" && each.reason instanceof KeeperClosed),
    ).toEqual([true, true]);
    await expect(client.forget("s.1")).rejects.toBeInstanceOf(KeeperClosed);
    expect(closed.map(({ name }) => name)).toEqual(["KeeperClosed"]);
  });
});

describe("a keeper that says nothing", () => {
  test("is left, whether or not anything waits; met again, it does what was asked once", async () => {
    const { client, closed } = await connect(1_000);
    const other = await connect(1_000);
    const asked = shell("s.1", "echo started; exec cat");
    process.kill(keeperPid, "SIGSTOP");
    try {
      await expect(client.spawn(asked)).rejects.toThrow(new KeeperClosed("The keeper does not answer."));
      await until(() => other.closed.length > 0);
    } finally {
      process.kill(keeperPid, "SIGCONT");
    }
    expect([...closed, ...other.closed].map(({ message }) => message)).toEqual([
      "The keeper does not answer.",
      "The keeper does not answer.",
    ]);
    const again = await connect();
    const pid = await again.client.spawn(asked);
    expect((await connect()).runs.map((run) => [run.runId, run.pid])).toEqual([["s.1", pid]]);
    await until(async () => (await outputOf(dataDir, "s.1")) === "started\n");
  });

  test("though it lives is kept", async () => {
    const { client, closed } = await connect(2_000);
    await sleep(4_500);
    await client.spawn(spec("s.1", "cat"));
    expect(closed).toEqual([]);
  });
});

describe("starting", () => {
  test("a run is started once, however often it is asked for", async () => {
    const { client, runs } = await connect();
    expect(runs).toEqual([]);
    const asked = shell("s.1", "echo started; exec cat");
    const pids = await Promise.all([client.spawn(asked), client.spawn(asked), client.spawn(asked)]);
    client.close();
    const again = await connect();
    pids.push(await again.client.spawn({ ...asked, effectId: "9.0" }));
    expect(new Set(pids)).toEqual(new Set([again.runs[0]?.pid]));
    await until(async () => (await outputOf(dataDir, "s.1")) === "started\n");
    expect(
      JSON.parse(execFileSync("cat", [join(runFolder(dataDir, "s.1"), "meta.json")], { encoding: "utf8" })),
    ).toEqual({
      runId: "s.1",
      pid: pids[0],
      startMark: expect.stringMatching(/./) as string,
      startedAtMs: again.runs[0]?.startedAtMs,
    });
  });

  test("what is missing is named, nothing is left, and a repeat tries again", async () => {
    const { client } = await connect();
    const cwd = join(dataDir, "project");
    const missing = { ...spec("s.1", "pwd"), cwd };
    expect(await refusal(client.spawn(missing))).toEqual({
      code: "spawn_failed",
      message: `The folder ${cwd} does not exist.`,
    });
    for (const pty of [{}, { pty: { cols: 80, rows: 24 } }]) {
      expect(await refusal(client.spawn({ ...spec("s.2", "no-such-program"), ...pty }))).toEqual({
        code: "spawn_failed",
        message: "The command no-such-program was not found.",
      });
      expect(await refusal(client.spawn({ ...spec("s.3", NO_PROGRAM), ...pty }))).toEqual({
        code: "spawn_failed",
        message: `The command ${NO_PROGRAM} may not be run.`,
      });
    }
    expect((await refusal(client.spawn({ ...spec("s.4", "cat"), args: ["a\0b"] }))).code).toBe(
      "spawn_failed",
    );
    expect(readdirSync(join(dataDir, "runs"))).toEqual([]);
    mkdirSync(cwd);
    expect(await client.spawn(missing)).toBeGreaterThan(0);
    await until(async () => (await outputOf(dataDir, "s.1")) === `${cwd}\n`);
  });

  test("a run of a keeper that died is not started again", async () => {
    const first = await connect();
    await first.client.spawn(spec("s.1", "cat"));
    process.kill(keeperPid, "SIGKILL");
    await until(() => first.closed.length === 1);
    const second = await connect();
    expect(await refusal(second.client.spawn(spec("s.1", "cat")))).toEqual({
      code: "spawn_failed",
      message: "This run was already started, by a keeper that is gone.",
    });
    expect(existsSync(join(runFolder(dataDir, "s.1"), "meta.json"))).toBe(true);
    await second.client.forget("s.1");
    expect(readdirSync(join(dataDir, "runs"))).toEqual([]);
  });
});

describe("input", () => {
  test("an effect is typed once, also after a reconnection, and in order", async () => {
    const { client } = await connect();
    await client.spawn({ ...spec("s.1", "cat"), effectId: "3.1" });
    await client.input(input("s.1", "3.1", "never: that was the start\n"));
    await Promise.all([
      client.input(input("s.1", "9.0", "a\n")),
      client.input(input("s.1", "9.0", "again\n")),
      client.input(input("s.1", "8.99", "older\n")),
      client.input(input("s.1", "9.9", "b\n")),
      client.input(input("s.1", "9.10", "c\n")),
      client.input(input("s.1", null, "typed\n")),
      client.input(input("s.1", null, "typed\n")),
      client.input({
        runId: "s.1",
        effectId: "10.0",
        data: Buffer.from("d\n").toString("base64"),
        encoding: "base64",
      }),
    ]);
    client.close();
    const again = await connect();
    expect(again.runs[0]?.lastEffectId).toBe("10.0");
    await again.client.input(input("s.1", "10.0", "again\n"));
    await again.client.closeInput({ runId: "s.1", effectId: "11.0" });
    await again.client.closeInput({ runId: "s.1", effectId: "11.0" });
    const text = "a\nb\nc\ntyped\ntyped\nd\n";
    expect(await exitOf(again.notices, "s.1")).toEqual({
      type: "exit",
      runId: "s.1",
      end: text.length,
      exit: { code: 0, signal: null },
    });
    expect(await outputOf(dataDir, "s.1")).toBe(text);
    expect((await refusal(again.client.input(input("s.1", "12.0", "late\n")))).code).toBe("ended");
    expect((await refusal(again.client.input(input("s.2", "1.0", "")))).code).toBe("unknown_run");
  });

  test("an agent that does not read fills its queue, and only its own", async () => {
    const { client } = await connect();
    await client.spawn(spec("s.1", "sleep", "1000"));
    await client.spawn(spec("s.2", "cat"));
    const data = "x".repeat(1024 * 1024);
    let taken = 0;
    const fill = async () => {
      for (let seq = 2; seq < 100; seq += 1) {
        await client.input(input("s.1", `${seq}.0`, data));
        taken += data.length;
      }
    };
    expect((await refusal(fill())).code).toBe("input_full");
    expect(taken).toBeGreaterThanOrEqual(INPUT_QUEUE_BYTES_MAX - data.length);
    expect(taken).toBeLessThan(2 * INPUT_QUEUE_BYTES_MAX);
    await client.input(input("s.2", "2.0", "hello\n"));
    await until(async () => (await outputOf(dataDir, "s.2")) === "hello\n");
  });

  test("an agent that closes its input breaks nothing", async () => {
    const { client, notices } = await connect();
    await client.spawn(shell("s.1", "exec <&-; echo closed; echo why >&2; exec sleep 1000"));
    await until(async () => (await outputOf(dataDir, "s.1")) === "closed\n");
    const write = async () => {
      for (let seq = 2; seq < 1_000; seq += 1) await client.input(input("s.1", `${seq}.0`, "hello\n"));
    };
    expect(await refusal(write())).toEqual({ code: "ended", message: "The agent no longer reads input." });
    await client.signal({ runId: "s.1", effectId: "1000.0", signal: "SIGHUP" });
    expect(await exitOf(notices, "s.1")).toMatchObject({ exit: { code: null, signal: "SIGHUP" } });
    expect((await readStderr(runFolder(dataDir, "s.1"))).toString()).toBe("why\n");
  });
});
