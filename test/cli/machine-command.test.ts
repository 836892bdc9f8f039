import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { MACHINES } from "../../src/core/machines.js";
import { drawMermaid } from "../../src/core/mermaid.js";
import { buildSignalbox, parseLines, PROGRAM, runSignalbox, startSignalbox } from "./signalbox.js";

beforeAll(buildSignalbox);

const STARTED = '{"type":"agent_started","seat":"a","agent":"claude"}';
const TYPED = '{"type":"input_entered","seat":"a","text":"/exit"}';
const EMPTY = { seats: [], connected: null, counter: 0 };
const SEATED = {
  seats: [{ seat: "a", agent: "claude", status: "connected", order: 1 }],
  connected: "a",
  counter: 1,
};

function invalid(state: unknown, message: string | RegExp) {
  const expected: unknown = typeof message === "string" ? message : expect.stringMatching(message);
  return { result: "invalid", state, effects: [], error: { code: "event_invalid", message: expected } };
}

test("answers every event with one line, byte for byte", async () => {
  const ended = await runSignalbox(
    ["machine", "roster"],
    `${STARTED}\n${TYPED}\n{"type":"connect","seat":"b"}\n`,
  );
  const state = JSON.stringify(SEATED);
  expect(ended).toEqual({
    code: 0,
    stderr: "",
    stdout:
      `{"result":"ok","state":${state},"effects":[{"type":"emit_roster_changed","seat":"a","from":"none",` +
      `"to":"connected","reason":"agent_started"}]}\n` +
      `{"result":"ignored","state":${state},"effects":[]}\n` +
      `{"result":"rejected","state":${state},"effects":[],` +
      `"error":{"code":"seat_unknown","message":"there is no seat b"}}\n`,
  });
});

test("goes on after an invalid line, and exits with 1", async () => {
  const { code, stdout } = await runSignalbox(
    ["machine", "roster"],
    `{\n${STARTED}\n{"type":"nope"}\n${TYPED}\n`,
  );
  expect(code).toBe(1);
  expect(parseLines(stdout)).toEqual([
    invalid(EMPTY, /^line 1: not JSON/),
    expect.objectContaining({ result: "ok", state: SEATED }),
    invalid(SEATED, /^line 3: type: expected one of /),
    { result: "ignored", state: SEATED, effects: [] },
  ]);
});

test.each([
  ["nothing", "", []],
  ["only blank lines", "\n \t \r\n\n", []],
  ["no newline at the end", TYPED, ["ignored"]],
  ["CRLF", `${TYPED}\r\n\r\n${TYPED}\r\n`, ["ignored", "ignored"]],
])("reads %s", async (_, input, results) => {
  const { code, stdout } = await runSignalbox(["machine", "roster"], input);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: results.map((result) => `${JSON.stringify({ result, state: EMPTY, effects: [] })}\n`).join(""),
  });
});

test("refuses what is not UTF-8", async () => {
  const input = Buffer.concat([
    Buffer.from('{"type":"seat_opened","seat":"'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}'),
  ]);
  const { code, stdout } = await runSignalbox(["machine", "roster"], input);
  expect({ code, answers: parseLines(stdout) }).toEqual({
    code: 1,
    answers: [invalid(EMPTY, "line 1: not UTF-8")],
  });
});

test("starts where --initial says", async () => {
  const args = ["machine", "roster", "--initial", JSON.stringify(SEATED)];
  const { code, stdout } = await runSignalbox(args, '{"type":"connect","seat":"a"}\n');
  expect({ code, answers: parseLines(stdout) }).toEqual({
    code: 0,
    answers: [{ result: "ok", state: SEATED, effects: [] }],
  });
});

describe.each(Object.values(MACHINES))("$name", ({ name, description, initial }) => {
  test("--table prints the table, and reads nothing", async () => {
    const { code, stdout } = await runSignalbox(["machine", name, "--table"], "not an event\n");
    expect({ code, table: JSON.parse(stdout) as unknown }).toEqual({ code: 0, table: description });
  });

  test("--mermaid prints the diagram", async () => {
    const { code, stdout } = await runSignalbox(["machine", name, "--mermaid"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: drawMermaid(description) });
  });

  test("--initial with the whole initial state changes nothing", async () => {
    const args = ["machine", name, "--initial", JSON.stringify(initial)];
    const { code, stdout } = await runSignalbox(args, "{}");
    expect({ code, answers: parseLines(stdout) }).toEqual({
      code: 1,
      answers: [invalid(initial, /^line 1: type: expected one of /)],
    });
  });
});

describe("a great deal of input", () => {
  test("a line of 64 MiB is refused, the next is answered, and memory stays bounded", async () => {
    const args = ["machine", "roster"];
    const child = startSignalbox(args);
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (let count = 0; count < 64; count += 1) {
      if (!child.stdin.write(piece)) await once(child.stdin, "drain");
    }
    const peakKib = peakMemoryKib(child.pid);
    child.stdin.end(`\n${TYPED}\n`);
    const [code] = (await once(child, "close")) as [number];
    expect({ code, answers: parseLines(stdout) }).toEqual({
      code: 1,
      answers: [
        invalid(EMPTY, "line 1: longer than 16777216 bytes"),
        { result: "ignored", state: EMPTY, effects: [] },
      ],
    });
    expect(peakKib).toBeLessThan(150_000);
  });

  test("200,000 lines stream through a small heap", async () => {
    const input = `${TYPED}\n`.repeat(200_000);
    const { code, stdout } = await runSignalbox(["machine", "roster"], input, {
      NODE_OPTIONS: "--max-old-space-size=24",
    });
    const answer = `${JSON.stringify({ result: "ignored", state: EMPTY, effects: [] })}\n`;
    expect(code).toBe(0);
    expect(stdout === answer.repeat(200_000)).toBe(true);
  });
});

describe("the one who reads the answers", () => {
  test("gets an answer before the next event is written", async () => {
    const child = startSignalbox(["machine", "roster"]);
    for (const event of [TYPED, TYPED]) {
      child.stdin.write(`${event}\n`);
      const [answer] = (await once(child.stdout, "data")) as [Buffer];
      expect(answer.toString()).toBe(`${JSON.stringify({ result: "ignored", state: EMPTY, effects: [] })}\n`);
    }
    child.stdin.end();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("is waited for: a reader that never reads stops the writer", async () => {
    const child = startSignalbox(["machine", "roster"]);
    child.stdin.on("error", () => undefined);
    const line = `${TYPED}\n`.repeat(1_000);
    let taken = 0;
    // Nobody listens to stdout: pipes fill up, and then no further line may be taken.
    while (taken < 1_000 && (child.stdin.write(line) || (await drained(child.stdin)))) taken += 1;
    child.kill("SIGKILL");
    await once(child, "close");
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(100);
  });

  test("may go away: it ends at once and says nothing", () => {
    const script = `yes '${TYPED}' | "${process.execPath}" ${PROGRAM} machine roster | head -1; echo "\${PIPESTATUS[1]}"`;
    const stdout = execFileSync("bash", ["-c", `(${script}) 2>&1`], { encoding: "utf8", timeout: 20_000 });
    expect(stdout).toBe(`${JSON.stringify({ result: "ignored", state: EMPTY, effects: [] })}\n0\n`);
  });

  test.skipIf(process.platform !== "linux")(
    "may have a full disk: that is said, without a stack trace",
    () => {
      const script = `echo '${TYPED}' | "${process.execPath}" ${PROGRAM} machine roster > /dev/full`;
      const { status, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
      expect({ status, stderr }).toEqual({
        status: 70,
        stderr: "signalbox: ENOSPC: no space left on device, write\nAdd --debug to see where.\n",
      });
    },
  );
});

/** The most memory a process has had so far; 0 where the system does not say. */
function peakMemoryKib(pid: number | undefined): number {
  if (process.platform !== "linux") return 0;
  const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
}

/** Whether the stream took what it holds within a while. */
function drained(stream: NodeJS.WritableStream): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), 1_000);
    stream.once("drain", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
