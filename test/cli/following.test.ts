/** The commands that follow: run, logs, wait, ls --watch. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { SessionSummary } from "../../src/protocol/session.js";
import type { StateEvent, StatePayload } from "../../src/protocol/state-event.js";
import type { StreamEvent } from "../../src/protocol/stream-event.js";
import { FakeDaemon, type Answers } from "./fake-daemon.js";
import { problem, sse, startEventStream } from "./scripted-server.js";
import { buildSignalbox, parseLines } from "./signalbox.js";
import { sessionDetail, sessionSummary, stateChanged, stateEvent, streamEvent } from "./wire-values.js";

beforeAll(buildSignalbox);

const daemons: FakeDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon.close();
});

async function daemonWith(answers: Answers): Promise<FakeDaemon> {
  const daemon = await FakeDaemon.start(answers);
  daemons.push(daemon);
  return daemon;
}

type Told = StreamEvent | StateEvent;

/** Events at the positions 1, 2, … */
function frames(events: readonly Told[], first = 1): string {
  return events
    .map((event, index) =>
      sse("schemaVersion" in event ? "agent:stream_event" : "agent:state_event", event, first + index),
    )
    .join("");
}

function tell(response: ServerResponse, events: readonly Told[]): null {
  startEventStream(response);
  response.write(frames(events));
  return null;
}

const TEXT = streamEvent("text_delta", { text: "Hi\u001b]0;evil\u0007 there" }, { messageId: "m1" });
const compacted = (event: StreamEvent): StreamEvent => ({
  ...event,
  timestampMs: 3_020,
  payload: { ...event.payload, replace: true, startedSeq: 1, startedAtMs: 3_005 },
});
const END = stateChanged("streaming", "completed");
const ASK: StatePayload = {
  type: "ask_opened",
  askId: "k1",
  ask: "command",
  title: "npm test",
  detail: "",
  needsHuman: true,
  openedAtMs: 0,
};

describe("run", () => {
  /** A session that does this and then has this status. */
  function session(events: readonly Told[], status: SessionSummary["status"]): Answers {
    return {
      "POST /v1/sessions": [201, sessionSummary()],
      "GET /v1/events?session=s1&after=0": (_exchange, response) => tell(response, events),
      "GET /v1/sessions/s1": [200, sessionDetail({ status })],
    };
  }

  test("prints what the agent says, without what could steer the terminal, and ends with the session", async () => {
    const daemon = await daemonWith(session([TEXT, END], "completed"));
    expect(await daemon.run(["run", "claude", "hello", "--cwd", "/tmp"])).toEqual({
      code: 0,
      stdout: "Hi there\n",
      stderr: "",
    });
    expect(daemon.asked[0]).toEqual([
      "POST /v1/sessions",
      { harness: "claude", prompt: "hello", cwd: "/tmp", workspace: "auto" },
    ]);
  });

  test.each([
    ["error", 1, "signalbox: s1: Failed. Next: signalbox retry s1\n"],
    ["stopped", 2, "signalbox: s1: Stopped. Next: signalbox resume s1\n"],
    ["paused", 3, "signalbox: s1: Paused. Next: signalbox resume s1\n"],
  ] as const)("ends with %s as %i", async (status, code, stderr) => {
    const daemon = await daemonWith(session([stateChanged("streaming", status)], status));
    expect(await daemon.run(["run", "claude", "hello"])).toEqual({ code, stdout: "", stderr });
  });

  test("goes on when the session has gone on", async () => {
    let reads = 0;
    const daemon = await daemonWith({
      ...session([END, stateChanged("completed", "streaming"), TEXT, END], "completed"),
      "GET /v1/sessions/s1": () => {
        reads += 1;
        return [200, sessionDetail({ status: reads === 1 ? "streaming" : "completed" })];
      },
    });
    expect(await daemon.run(["run", "claude", "hello"])).toEqual({
      code: 0,
      stdout: "Hi there\n",
      stderr: "",
    });
  });

  test("ends with 3 when a person is needed and none is there", async () => {
    const maybe = stateEvent({ ...ASK, needsHuman: false });
    const daemon = await daemonWith(session([TEXT, maybe, stateEvent(ASK)], "waiting_approval"));
    expect(await daemon.run(["run", "claude", "hello"])).toEqual({
      code: 3,
      stdout: "Hi there\n[approval] npm test\n",
      stderr: "signalbox: s1: needs approval: signalbox approve s1 --ask k1, or signalbox reject\n",
    });
  });

  test("--json prints the session, every event as it is, and the session at its end", async () => {
    const daemon = await daemonWith(session([TEXT, END], "completed"));
    const { code, stdout, stderr } = await daemon.run(["run", "claude", "hello", "--json"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parseLines(stdout)).toEqual([
      { type: "session", session: sessionSummary() },
      { type: "event", channel: "stream", position: 1, event: TEXT },
      { type: "event", channel: "state", position: 2, event: END },
      { type: "session", session: sessionDetail({ status: "completed" }) },
    ]);
  });

  test("Ctrl-C leaves the session running", async () => {
    const daemon = await daemonWith(session([TEXT], "streaming"));
    const child = daemon.spawn(["run", "claude", "hello"]);
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child.stdout, "data");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(stderr).toBe(
      "signalbox: s1: the agent goes on. Follow it with signalbox logs -f s1, stop it with signalbox stop\n",
    );
    expect(daemon.asked.map(([line]) => line)).toEqual([
      "POST /v1/sessions",
      "GET /v1/sessions?status=creating%2Cstreaming%2Cwaiting_approval%2Cwaiting_input&limit=1000",
      "GET /v1/events?session=s1&after=0",
    ]);
  });
});

describe("logs", () => {
  const asked = streamEvent("user_message", { text: "hello" });
  const entries = [
    { kind: "request", position: 1, seq: 1, atMs: 1, event: { type: "start_session" } },
    { kind: "stream", position: 2, seq: 2, event: asked },
    { kind: "state", position: 3, seq: 3, event: stateChanged("creating", "streaming") },
    { kind: "state", position: 6, seq: 4, event: { ...stateEvent(ASK), timestampMs: 3_010 } },
    // Written together when it was finished: it began before the ask.
    { kind: "stream", position: 7, seq: 5, event: compacted(TEXT) },
  ];
  const pages: Answers = {
    "GET /v1/sessions/s1": [200, sessionDetail()],
    "GET /v1/sessions/s1/events?after=0&limit=1000": [200, { items: entries.slice(0, 2), nextCursor: "2" }],
    "GET /v1/sessions/s1/events?after=2&limit=1000": [200, { items: entries.slice(2) }],
  };

  test("prints all pages", async () => {
    expect(await (await daemonWith(pages)).run(["logs", "s1"])).toEqual({
      code: 0,
      stderr: "",
      stdout: "[you] hello\n[status] Starting → Working (test)\nHi there\n[approval] npm test\n",
    });
  });

  test("--json prints the entries as they are", async () => {
    const { stdout } = await (await daemonWith(pages)).run(["logs", "s1", "--json"]);
    expect(parseLines(stdout)).toEqual(entries);
  });

  test.each([
    [
      ["-f"],
      "[you] hello\n[status] Starting → Working (test)\nHi there\n[approval] npm test\n" +
        "[status] Working → Done (test)\n",
    ],
    [
      ["--follow", "--json"],
      [...entries, { kind: "state", position: 8, event: END }]
        .map((entry) => `${JSON.stringify(entry)}\n`)
        .join(""),
    ],
  ])("%j goes on from the last position until the session is gone", async (options, stdout) => {
    let connections = 0;
    const daemon = await daemonWith({
      ...pages,
      "GET /v1/events": (_exchange, response) => {
        connections += 1;
        if (connections > 1) return problem(404, "session_not_found", "s1 is gone");
        startEventStream(response);
        response.end(frames([END], 8));
        return null;
      },
    });
    expect(await daemon.run(["logs", "s1", ...options])).toEqual({
      code: 1,
      stdout,
      stderr: "signalbox: s1 is gone (session_not_found)\nSee signalbox ls.\n",
    });
    expect(daemon.asked.at(-2)).toEqual(["GET /v1/events?session=s1&after=7"]);
  });

  test("end when the reader goes away", async () => {
    const daemon = await daemonWith({
      ...pages,
      "GET /v1/events": (_exchange, response) => {
        startEventStream(response);
        const timer = setInterval(() => response.write(frames([END], (position += 1))), 20);
        response.on("close", () => clearInterval(timer));
        return null;
      },
    });
    let position = 8;
    const child = daemon.spawn(["logs", "s1", "-f"]);
    await once(child.stdout, "data");
    child.stdout.destroy();
    expect(await once(child, "close")).toEqual([0, null]);
  });
});

describe("wait", () => {
  const events = (told: readonly Told[]): Answers => ({
    "GET /v1/events?session=s1": (_exchange, response) => tell(response, told),
  });

  test("ends at once when it is so", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail({ status: "error" })],
      ...events([]),
    });
    expect(await daemon.run(["wait", "s1"])).toEqual({ code: 0, stdout: "Failed\n", stderr: "" });
  });

  test("sees a status that passes quickly", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail({ status: "streaming" })],
      ...events([stateChanged("streaming", "paused"), stateChanged("paused", "streaming")]),
    });
    expect(await daemon.run(["wait", "s1", "--for", "paused,stopped", "--json"])).toEqual({
      code: 0,
      stdout: '{"id":"s1","status":"paused"}\n',
      stderr: "",
    });
  });

  test("gives up in time", async () => {
    const daemon = await daemonWith({ "GET /v1/sessions/s1": [200, sessionDetail()], ...events([]) });
    expect(await daemon.run(["wait", "s1", "--for", "error,paused", "--timeout", "0.2"])).toEqual({
      code: 124,
      stdout: "",
      stderr: "signalbox: s1 was not Failed or Paused within 0.2 s\nSee signalbox explain s1.\n",
    });
  });

  test("ends at once when it is refused, however much time is left", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/events?session=s1": () => problem(403, "forbidden", "not you"),
    });
    const { code, stderr } = await daemon.run(["wait", "s1", "--timeout", "120"]);
    expect([code, stderr.split("\n")[0]]).toEqual([1, "signalbox: not you (forbidden)"]);
  });

  test.each([
    [["--timeout", "soon"], "--timeout soon: not a number of seconds"],
    [["--for", ""], 'unknown status ""'],
  ])("%j is a fault of the command line", async (options, message) => {
    const { code, stderr } = await (await daemonWith({})).run(["wait", "s1", ...options]);
    expect([code, stderr.split("\n")[0]]).toEqual([2, `signalbox: ${message}`]);
  });
});

test("ls --watch prints each session whenever it changed", async () => {
  let status: SessionSummary["status"] = "streaming";
  const other = sessionSummary({ id: "s2" });
  const daemon = await daemonWith({
    "GET /v1/sessions": () => [200, { items: [sessionSummary({ status }), other] }],
    "GET /v1/events": (_exchange, response) => {
      startEventStream(response);
      setTimeout(() => {
        status = "completed";
        response.write(frames([END]));
      }, 600);
      return null;
    },
  });
  const child = daemon.spawn(["ls", "--watch", "--json"]);
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  await expect.poll(() => parseLines(stdout).length, { timeout: 10_000 }).toBe(3);
  child.kill("SIGTERM");
  await once(child, "close");
  expect(parseLines(stdout)).toEqual([
    sessionSummary({ status: "streaming" }),
    other,
    sessionSummary({ status: "completed" }),
  ]);
});
