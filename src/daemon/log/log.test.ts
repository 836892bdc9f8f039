import { Writable } from "node:stream";
import { expect, test } from "vitest";
import type { Entry } from "../../runtime/ports.js";
import { EventLog } from "./event-log.js";
import { Log, type LogLevel, type LogOptions } from "./log.js";
import { createRedact } from "./redact.js";

function openLog(level: LogLevel, more: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const redact = createRedact({ MY_TOKEN: "hush-hush-hush" });
  const log = new Log({ level, redact, stream, nowMs: () => 0, ...more });
  return { log, lines, values: () => lines.map((line) => JSON.parse(line) as unknown) };
}

test("a line is one JSON object with time, level and message", () => {
  const { log, lines } = openLog("info");
  log.info("up", { port: 4747, at: null });
  log.warn("two\nlines");
  expect(lines).toEqual([
    '{"port":4747,"at":null,"time":"1970-01-01T00:00:00.000Z","level":"info","msg":"up"}\n',
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","msg":"two\\nlines"}\n',
  ]);
});

test("what is below the level is not written, nor are its fields looked at", () => {
  const { log, lines } = openLog("warn");
  const fields = {
    get dear(): string {
      throw new Error("looked at");
    },
  };
  log.info("no", fields);
  log.debug("no", fields);
  expect([lines, log.isOn("error"), log.isOn("warn"), log.isOn("info")]).toEqual([[], true, true, false]);
});

test("secrets are left out of messages, fields, nested fields and errors, and by the field's name", () => {
  const { log, lines, values } = openLog("error");
  const error = Object.assign(new Error("hush-hush-hush failed", { cause: new Error("password=x9") }), {
    code: "E",
  });
  log.error("hush-hush-hush", { a: ["hush-hush-hush"], b: { token: "plain", c: "hush-hush-hush" }, error });
  expect(values()).toMatchObject([
    {
      msg: "[redacted]",
      a: ["[redacted]"],
      b: { token: "[redacted]", c: "[redacted]" },
      error: {
        name: "Error",
        message: "[redacted] failed",
        code: "E",
        cause: { message: "password=[redacted]" },
      },
    },
  ]);
  expect(lines.join("")).not.toMatch(/hush|x9|plain/);
});

test("lines, lists and depth are bounded, whatever is logged", () => {
  const { log, lines } = openLog("info");
  interface Knot {
    self?: Knot;
  }
  const knot: Knot = {};
  knot.self = knot;
  log.info("x".repeat(100_000));
  log.info("list", { list: Array.from({ length: 10_000 }, (_, index) => `${index}${"y".repeat(1_000)}`) });
  log.info("knot", { knot, big: 10n, not: undefined });
  expect(lines.map((line) => line.length < 17_000)).toEqual([true, true, true]);
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg.slice(0, 4))).toEqual([
    "xxxx",
    "list",
    "knot",
  ]);
});

test("a secret that a cut would halve is still left out", () => {
  const { log, lines } = openLog("info");
  log.info(`${"x".repeat(2 * 4_096 - 5)}hush-hush-hush`);
  log.info(`${"x".repeat(4_096 - 5)}hush-hush-hush`);
  expect(lines.join("")).not.toContain("hush");
});

test("when nobody reads the log, lines are dropped and counted instead of kept", () => {
  const held: (() => void)[] = [];
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      held.push(done);
    },
  });
  const { log } = openLog("info", { stream });
  for (let index = 0; index < 2_000; index += 1) log.info("z".repeat(1_000));
  expect(stream.writableLength).toBeLessThan(1.1 * 1024 * 1024);
  while (stream.writableLength > 0) held.shift()?.();
  const before = lines.length;
  log.info("again");
  while (stream.writableLength > 0) held.shift()?.();
  expect(lines.slice(before).map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { msg: "log lines were dropped", lines: 2_000 - before },
    { msg: "again" },
  ]);
});

function entry(kind: Entry["kind"], body: object): Entry {
  return { position: 1, sessionId: "s", seq: 1, atMs: 0, kind, run: 1, body: JSON.stringify(body) };
}

const STREAM = entry("stream", {
  sessionId: "s",
  streamId: "t",
  type: "text_delta",
  seq: 7,
  payload: { text: "private words" },
});

test("forwarded stream events are logged without their payloads, unless asked for", () => {
  const committed = { sync: "normal", entries: [STREAM], sessionIds: ["s"], removedSessionIds: [] } as const;
  const plain = openLog("debug");
  new EventLog(plain.log).publish(committed);
  expect(plain.values()).toMatchObject([
    { level: "debug", session_id: "s", stream_id: "t", type: "text_delta", seq: 7 },
  ]);
  expect(plain.lines.join("")).not.toContain("private");
  const open = openLog("debug", { payloads: true });
  new EventLog(open.log).publish(committed);
  expect(open.values()).toMatchObject([{ payload: { text: "private words" } }]);
  const quiet = openLog("info");
  new EventLog(quiet.log).publish(committed);
  expect(quiet.lines).toEqual([]);
});

test("unknown sessions and refused transitions are warned of, other errors are not", () => {
  const { log, values } = openLog("warn");
  const error = (code: string) =>
    entry("state", { sessionId: "s", payload: { type: "session_error", code, message: "m", streamId: "t" } });
  const changed = entry("state", { sessionId: "s", payload: { type: "state_changed" } });
  new EventLog(log).publish({
    sync: "normal",
    entries: [
      error("session_not_found"),
      error("streaming_failed"),
      changed,
      error("state_transition_invalid"),
    ],
    sessionIds: ["s"],
    removedSessionIds: [],
  });
  expect(values()).toMatchObject([
    { level: "warn", session_id: "s", stream_id: "t", code: "session_not_found" },
    { level: "warn", session_id: "s", stream_id: "t", code: "state_transition_invalid" },
  ]);
});
