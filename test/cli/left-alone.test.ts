/** Commands that follow, when their reader or their daemon has gone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { FakeDaemon, type Answers } from "./fake-daemon.js";
import { sse, startEventStream } from "./scripted-server.js";
import { buildSignalbox, parseLines, PROGRAM } from "./signalbox.js";
import { sessionDetail, sessionSummary, stateChanged } from "./wire-values.js";

beforeAll(buildSignalbox);

const daemons: FakeDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.close();
});

/** A daemon in which nothing happens: whoever follows it writes once, and then never again. */
async function quietDaemon(more: Answers = {}): Promise<FakeDaemon> {
  const daemon = await FakeDaemon.start({
    "POST /v1/sessions": [201, sessionSummary()],
    "GET /v1/sessions": [200, { items: [sessionSummary()] }],
    "GET /v1/sessions/s1": [200, sessionDetail()],
    "GET /v1/sessions/s1/events": [
      200,
      { items: [{ kind: "request", position: 1, seq: 1, atMs: 1, event: { type: "start_session" } }] },
    ],
    "GET /v1/events": (_exchange, response) => {
      startEventStream(response);
      return null;
    },
    ...more,
  });
  daemons.push(daemon);
  return daemon;
}

const FOLLOWING = [
  ["ls", "--watch"],
  ["ls", "--watch", "--json"],
  ["logs", "-f", "--json", "s1"],
  ["run", "claude", "hello", "--json"],
];

describe.runIf(process.platform === "linux")("when the reader of a pipe has gone", () => {
  test.each(FOLLOWING.map((args) => [args]))("%j ends, though nothing happens any more", async (args) => {
    const daemon = await quietDaemon();
    // A shell's pipe, as people use it; the status is that of signalbox.
    const line = `{ "$0" "$@"; echo "status $?" >&2; } | head -n 1`;
    const child = spawn("/bin/sh", ["-c", line, process.execPath, PROGRAM, ...args], {
      env: { ...process.env, ...daemon.env },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    expect(await once(child, "close")).toEqual([0, null]);
    expect({ lines: stdout.split("\n").length, stderr }).toEqual({ lines: 2, stderr: "status 0\n" });
  });
});

/** A minute of the program's clock passes in some milliseconds. */
const HURRIED =
  "--import data:text/javascript,const%20now=performance.now.bind(performance);performance.now=()=>now()*1e5";

describe("when the daemon has gone", () => {
  test.each([...FOLLOWING, ["wait", "s1"]].map((args) => [args]))("%j says so and ends", async (args) => {
    const daemon = await quietDaemon();
    const child = daemon.spawn(args, { NODE_OPTIONS: HURRIED });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.resume();
    const isFollowing = () => daemon.asked.some(([line]) => line.startsWith("GET /v1/events"));
    await expect.poll(isFollowing, { timeout: 10_000 }).toBe(true);
    // As a daemon leaves that was killed: its file names a process that is no more.
    writeFileSync(join(daemon.dataDir, "daemon.json"), JSON.stringify({ url: daemon.url, pid: 2 ** 22 + 1 }));
    daemon.hangUp();
    expect(await once(child, "close")).toEqual([69, null]);
    expect(stderr).toBe(
      `signalbox: cannot reach ${daemon.url}: it went away and was not back within 60 s\n` +
        "See signalbox status; signalbox up starts it again.\n",
    );
  });

  test.each([...FOLLOWING, ["wait", "s1"]].map((args) => [args]))(
    "%j says that it is away, and that it is back",
    async (args) => {
      const daemon = await quietDaemon();
      const child = daemon.spawn(args);
      let stderr = "";
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      child.stdout.resume();
      const followings = () => daemon.asked.filter(([line]) => line.startsWith("GET /v1/events")).length;
      await expect.poll(followings, { timeout: 10_000 }).toBe(1);
      const file = join(daemon.dataDir, "daemon.json");
      const text = readFileSync(file, "utf8");
      writeFileSync(file, "");
      daemon.hangUp();
      await expect
        .poll(() => stderr, { timeout: 10_000 })
        .toBe("signalbox: the daemon is away; waiting for it\n");
      writeFileSync(file, text);
      await expect.poll(() => stderr, { timeout: 10_000 }).toContain("signalbox: the daemon is back\n");
      child.kill("SIGTERM");
      await once(child, "close");
    },
  );

  test.each(
    [
      ["run", "claude", "hello"],
      ["ask", "hello"],
    ].map((args) => [args]),
  )("%j still tells the end of a session that came just before", async (args) => {
    let reads = 0;
    const daemon = await quietDaemon({
      "GET /v1/events?session=s1&after=0": (_exchange, response) => {
        startEventStream(response);
        response.write(sse("agent:state_event", stateChanged("streaming", "completed"), 1));
        return null;
      },
      "GET /v1/sessions/s1": (_exchange, response) => {
        reads += 1;
        if (reads > 1) return [200, sessionDetail({ status: "completed" })];
        response.destroy();
        return null;
      },
    });
    expect(await daemon.run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(reads).toBe(2);
  });

  test("and another one is there at another port, ls --watch goes on with that", async () => {
    const daemon = await quietDaemon();
    const next = await quietDaemon({ "GET /v1/sessions": [200, { items: [sessionSummary({ id: "s2" })] }] });
    const child = daemon.spawn(["ls", "--watch", "--json"]);
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    await expect.poll(() => parseLines(stdout).length, { timeout: 10_000 }).toBe(1);
    writeFileSync(join(daemon.dataDir, "daemon.json"), JSON.stringify({ url: next.url, pid: process.ppid }));
    daemon.hangUp();
    // The other one says that it is this process: it is not the one that the file names, and gets no token.
    await expect.poll(() => next.healthCount, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(next.asked).toEqual([]);
    writeFileSync(join(daemon.dataDir, "daemon.json"), JSON.stringify({ url: next.url, pid: process.pid }));
    await expect.poll(() => parseLines(stdout).length, { timeout: 10_000 }).toBe(2);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(parseLines(stdout)).toEqual([sessionSummary(), sessionSummary({ id: "s2" })]);
  });
});
