/** The commands that ask one thing and print the answer. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { FakeDaemon, type Answers } from "./fake-daemon.js";
import { problem } from "./scripted-server.js";
import { buildSignalbox, runSignalbox } from "./signalbox.js";
import { sessionDetail, sessionSummary, stateEvent, streamEvent } from "./wire-values.js";

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

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => Date.now() - hours * HOUR_MS - 1_000;

const ONE = () =>
  sessionSummary({ id: "aaaaaaaa1111", title: "Fix \u001b[31mthe\nlogin", statusSinceMs: hoursAgo(3) });
const TWO = () =>
  sessionSummary({ id: "aaaaaaaa2222", title: "Write tests", status: "error", statusSinceMs: hoursAgo(48) });
const LIST = "GET /v1/sessions?limit=1000";

const printed = (stdout: string) => ({ code: 0, stderr: "", stdout });

describe("ls", () => {
  test("prints a table with ids as short as can be, and titles that cannot steer the terminal", async () => {
    const daemon = await daemonWith({
      [LIST]: [200, { items: [ONE()], nextCursor: "c 2" }],
      [`${LIST}&cursor=c+2`]: [200, { items: [TWO()] }],
      "GET /v1/roster": [200, { connected: "aaaaaaaa2222", position: 0, seats: [] }],
    });
    expect(await daemon.run(["ls"])).toEqual(
      printed(
        [
          "ID         STATUS   AGENT     CHANGED  TITLE",
          "aaaaaaaa1  Working  claude    3h       Fix the login",
          "aaaaaaaa2  Failed   claude *  2d       Write tests",
          "",
        ].join("\n"),
      ),
    );
  });

  test("--json prints one value: the sessions as they are", async () => {
    const one = ONE();
    const daemon = await daemonWith({ "GET /v1/sessions": [200, { items: [one] }] });
    const { code, stdout } = await daemon.run(["ls", "--json", "--status", "error,streaming"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${JSON.stringify([one])}\n` });
    expect(daemon.asked).toEqual([["GET /v1/sessions?status=error%2Cstreaming&limit=1000"]]);
  });

  test("--status takes the words of the screen, --cwd and --harness leave the others out", async () => {
    const item = (id: string, cwd: string, harness: string) =>
      sessionSummary({ id, cwd, harness, status: "error" });
    const items = [
      item("s1", "/p", "claude"),
      item("s2", "/p/web", "codex"),
      item("s3", "/pp", "claude"),
      item("s4", "/p/web", "claude"),
    ];
    const daemon = await daemonWith({ "GET /v1/sessions": [200, { items }] });
    const { stdout } = await daemon.run([
      "ls",
      "--json",
      "--status",
      "failed,Needs approval",
      "--cwd",
      "/p",
      "--harness",
      "claude",
    ]);
    expect((JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)).toEqual(["s1", "s4"]);
    expect(daemon.asked).toEqual([["GET /v1/sessions?status=error%2Cwaiting_approval&limit=1000"]]);
  });

  test("an unknown status is a fault of the command line", async () => {
    const daemon = await daemonWith({});
    const { code, stderr } = await daemon.run(["ls", "--status", "eror"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^signalbox: unknown status "eror"\nDid you mean error\? The statuses are: idle, .*\.\n$/,
    );
    expect(daemon.asked).toEqual([]);
  });
});

describe("an abbreviated id", () => {
  const sessions: Answers = { [LIST]: [200, { items: [ONE(), TWO()] }] };

  test("that means one session is that session", async () => {
    const path = "POST /v1/sessions/aaaaaaaa2222/retry";
    const daemon = await daemonWith({ ...sessions, [path]: [200, { ...TWO(), status: "streaming" }] });
    expect(await daemon.run(["retry", "aaaaaaaa2"])).toEqual(printed("aaaaaaaa2222 Working\n"));
    expect(daemon.asked).toEqual([["GET /v1/sessions/aaaaaaaa2"], [LIST], [path, {}]]);
  });

  test("that means several lists them", async () => {
    const daemon = await daemonWith(sessions);
    expect(await daemon.run(["stop", "aaa"])).toEqual({
      code: 1,
      stdout: "",
      stderr: [
        'signalbox: "aaa" means 2 sessions:',
        "  aaaaaaaa1111  Working  Fix the login",
        "  aaaaaaaa2222  Failed  Write tests",
        "Write more of the id.",
        "",
      ].join("\n"),
    });
  });

  test("that means none says so", async () => {
    const daemon = await daemonWith(sessions);
    expect(await daemon.run(["show", "b"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'signalbox: no session "b"\nSee signalbox ls.\n',
    });
  });
});

describe("show, explain", () => {
  test("show prints what a session is and waits for", async () => {
    const session = sessionDetail({
      status: "waiting_approval",
      model: "opus",
      autoApprove: true,
      createdAtMs: hoursAgo(5),
      statusSinceMs: hoursAgo(1),
      usage: { inputTokens: 10, outputTokens: 20, cachedTokens: 5, costUsd: 0.126 },
      error: { code: "harness_failed", message: "it\nended", retryable: true, source: "harness" },
      asks: [
        {
          askId: "k1",
          ask: "command",
          title: "rm -rf build",
          detail: "",
          needsHuman: true,
          openedAtMs: hoursAgo(1),
          tool: "Bash",
          suggestions: [],
        },
      ],
      queue: [{ messageId: "m2", status: "queued" }],
    });
    const daemon = await daemonWith({ "GET /v1/sessions/s1": [200, session] });
    expect(await daemon.run(["show", "s1"])).toEqual(
      printed(
        [
          "id       s1",
          "title    Fix the login",
          "status   Needs approval",
          "agent    claude, opus",
          "folder   /project",
          "rules    checked before every tool call, auto-approve",
          "used     10 tokens in, 20 out, 5 cached, $0.13",
          "created  5h ago",
          "changed  1h ago",
          "error    The agent could not run: it ended (harness_failed)",
          "         Correct what it names, then retry.",
          "approval k1: rm -rf build",
          "message  m2 queued",
          "",
        ].join("\n"),
      ),
    );
    expect((await daemon.run(["show", "s1", "--json"])).stdout).toBe(`${JSON.stringify(session)}\n`);
  });

  test("show says what an agent does just now, and what keeps it in", async () => {
    const states = [
      stateEvent({
        type: "tool_lifecycle",
        callId: "c",
        toolName: "Bash",
        status: "running",
        startedAtMs: 1,
      }),
    ];
    const args = { callId: "c", name: "Bash", argsDelta: '{"command":"npm test"}' };
    const entry = (kind: string, event: object, position: number) => ({ kind, position, seq: 1, event });
    const wall = { label: "none", network: null, sentence: "No wall: a person wanted none." } as const;
    const labels = [{ category: "read", holds: "when-asked", sentence: "There is no wall." }];
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, { ...sessionDetail({ phase: "executing_tools", wall }), labels }],
      "GET /v1/sessions/s1/events?order=newest&kind=stream&limit=20": [
        200,
        { items: [entry("stream", streamEvent("tool_call_delta", args), 1)] },
      ],
      "GET /v1/sessions/s1/events?order=newest&kind=state&limit=200": [
        200,
        { items: states.map((event) => entry("state", event, 2)) },
      ],
    });
    const { stdout } = await daemon.run(["show", "s1"]);
    expect(stdout.split("\n").filter((line) => /^(?:status|wall| {8})/.test(line))).toEqual([
      "status   Working, Running npm test",
      "wall     No wall: a person wanted none.",
      "         read: checked when it asks. There is no wall.",
    ]);
  });

  test("show tells what is not known, how it ended, and what came back", async () => {
    const events = { "GET /v1/sessions/s1/events": [200, { items: [] }] } as const;
    const shown = async (fields: Parameters<typeof sessionDetail>[0]) => {
      const daemon = await daemonWith({ ...events, "GET /v1/sessions/s1": [200, sessionDetail(fields)] });
      const { stdout } = await daemon.run(["show", "s1"]);
      return stdout.split("\n").filter((line) => /^(?:status|in front|question|returned| {8})/.test(line));
    };
    const agent = { name: "claude", start: "7" };
    const unknown = { certainty: "unknown", unknownSinceMs: hoursAgo(2) } as const;
    expect(await shown({ ...unknown, agent, phase: "calling_llm" })).toEqual([
      "status   Not known for 2h; before: Working. Look with signalbox attach s1",
      "in front claude",
    ]);
    expect(await shown({ status: "completed", ending: "max_tokens" })).toEqual([
      "status   Done, stopped at the output limit",
    ]);
    const { ui } = sessionSummary({ status: "idle" });
    const returned = [{ messageId: "m7", text: "Tidy\nup" }];
    expect(await shown({ status: "idle", ui: { ...ui, canCancel: true }, returned })).toEqual([
      "status   Shell",
      "returned m7 Tidy up",
      "         not delivered: signalbox send s1 --resend MESSAGE, or --drop MESSAGE",
    ]);
    const dialog = { askId: "k1", ask: "followup", title: "Log in?", detail: "", needsHuman: true };
    const asks = [{ ...dialog, openedAtMs: 0, tool: null, suggestions: [], atTerminal: true as const }];
    expect(await shown({ status: "waiting_input", asks })).toEqual([
      "status   Needs an answer",
      "question k1: Log in?; answer it with signalbox attach s1",
    ]);
  });

  test("explain prints the evidence, newest first, and what could come next", async () => {
    const explanation = {
      sessionId: "s1",
      status: "streaming",
      sinceMs: hoursAgo(2),
      because: "the model was called",
      process: { run: 2, alive: true, pid: 4242 },
      changes: [
        {
          atMs: hoursAgo(2),
          from: "completed",
          to: "streaming",
          reason: "api_req_started",
          source: "protocol",
          evidence: { seq: 17, type: "api_req_started", body: { type: "api_req_started" } },
        },
        {
          atMs: hoursAgo(3),
          from: "idle",
          to: "creating",
          reason: "start_session",
          source: "request",
          evidence: null,
        },
      ],
      waitingFor: ["the end of the turn"],
    };
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s1/explain": [200, explanation],
    });
    expect(await daemon.run(["explain", "s1"])).toEqual(
      printed(
        [
          "Working for 2h: the model was called",
          "its agent runs: process 4242",
          "2h ago  Done → Working  api_req_started, by protocol",
          '    entry 17  api_req_started  {"type":"api_req_started"}',
          "3h ago  Not started → Starting  start_session, by request",
          "next: the end of the turn",
          "",
        ].join("\n"),
      ),
    );
  });
});

describe("new", () => {
  test("starts a session with all that was said, and prints its id", async () => {
    const daemon = await daemonWith({ "POST /v1/sessions": [201, sessionSummary({ id: "n1" })] });
    const options = ["--cwd", "/tmp", "--title", "T", "--model", "M", "--auto-approve"];
    const more = ["--env", "A=1=2", "--env", "B=", "--arg=--fast", "--arg", "x"];
    expect(await daemon.run(["new", "claude", "do it", ...options, ...more])).toEqual(printed("n1\n"));
    expect(daemon.asked).toEqual([
      [
        "POST /v1/sessions",
        {
          harness: "claude",
          cwd: "/tmp",
          prompt: "do it",
          title: "T",
          model: "M",
          approve: "auto",
          env: { A: "1=2", B: "" },
          args: ["--fast", "x"],
          workspace: "auto",
        },
      ],
      // Whether another agent works there.
      ["GET /v1/sessions?status=creating%2Cstreaming%2Cwaiting_approval%2Cwaiting_input&limit=1000"],
    ]);
  });

  test("reads the prompt from stdin, and needs none", async () => {
    const daemon = await daemonWith({ "POST /v1/sessions": [201, sessionSummary()] });
    await daemon.run(["new", "demo", "-", "--cwd", "/tmp"], "two\nlines\n");
    await daemon.run(["new", "demo", "--cwd", "/tmp"]);
    const posted = daemon.asked.filter(([line]) => line.startsWith("POST "));
    expect(posted.map(([, body]) => body)).toEqual([
      { harness: "demo", cwd: "/tmp", prompt: "two\nlines", workspace: "auto" },
      { harness: "demo", cwd: "/tmp", workspace: "auto" },
    ]);
  });

  test("bad fields are named", async () => {
    const [status, document] = problem(400, "event_invalid", "the body is not valid");
    const errors = [{ path: "cwd", message: "no such\u001b[2J folder" }];
    const daemon = await daemonWith({ "POST /v1/sessions": [status, { ...(document as object), errors }] });
    expect(await daemon.run(["new", "claude"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "signalbox: the body is not valid (event_invalid)\n  cwd: no such folder\nSee the command's --help.\n",
    });
  });
});

test("a folder that is not there is said before anything is started", async () => {
  const daemon = await daemonWith({});
  expect(await daemon.run(["new", "claude", "--cwd", "/no/such/folder"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "signalbox: --cwd /no/such/folder: there is no such folder\nNothing was started. See signalbox new --help.\n",
  });
  expect(daemon.asked).toEqual([]);
});

test("the demo works in a folder of its own, never in the one where it is started", async () => {
  const daemon = await daemonWith({ "POST /v1/sessions": [201, sessionSummary()] });
  const { stderr } = await daemon.run(["new", "demo"]);
  const cwd = join(`${daemon.dataDir}-demo`, "run");
  onTestFinished(() => rmSync(`${daemon.dataDir}-demo`, { recursive: true, force: true }));
  expect(stderr).toBe(`signalbox: the demo works in ${cwd}\n`);
  expect(daemon.asked[0]).toEqual(["POST /v1/sessions", { harness: "demo", cwd, workspace: "auto" }]);
});

test("an unknown agent is told once, with where to look", async () => {
  const [status, document] = problem(400, "event_invalid", "harness: not one of demo, script");
  const errors = [{ path: "harness", message: "not one of demo, script" }];
  const daemon = await daemonWith({ "POST /v1/sessions": [status, { ...(document as object), errors }] });
  expect((await daemon.run(["new", "dmeo"])).stderr).toBe(
    "signalbox: not one of demo, script (event_invalid)\nSee signalbox harnesses for what can be started.\n",
  );
});

describe("send, connect", () => {
  test("send without an ID says who got it", async () => {
    const daemon = await daemonWith({
      "POST /v1/messages": [202, { sessionId: "s1", messageId: "m1", status: "queued" }],
      "GET /v1/sessions/s1": [200, sessionDetail()],
    });
    expect(await daemon.run(["send", "-"], "hello\n")).toEqual(printed("queued: s1 Fix the login\n"));
    expect(daemon.asked[0]).toEqual(["POST /v1/messages", { text: "hello" }]);
  });

  test("send with an ID goes there", async () => {
    const path = "POST /v1/sessions/s1/messages";
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      [path]: [202, { messageId: "m1", status: "sending" }],
    });
    expect(await daemon.run(["send", "s1", "--json", "--", "--debug"])).toEqual(
      printed('{"sessionId":"s1","messageId":"m1","status":"sending"}\n'),
    );
    expect(daemon.asked[1]).toEqual([path, { text: "--debug" }]);
  });

  test("send with a fallback lets the daemon choose, and says who got it", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s2": [200, { ...sessionDetail(), id: "s2", title: "Another" }],
      "POST /v1/messages": [202, { sessionId: "s2", messageId: "m1", status: "sending" }],
    });
    expect(await daemon.run(["send", "s1", "hello", "--fallback"])).toEqual(printed("sending: s2 Another\n"));
    expect(daemon.asked[1]).toEqual([
      "POST /v1/messages",
      { text: "hello", sessionId: "s1", fallback: true },
    ]);
    for (const words of [["hello"], ["s1", "hello", "--force"], ["s1", "--resend", "m1"]])
      expect((await daemon.run(["send", ...words, "--fallback"])).code).toBe(2);
  });

  const MESSAGES = "POST /v1/sessions/s1/messages";

  test("send says why it waits where nobody understands the screen, and --force sends anyway", async () => {
    const unknown = sessionDetail({ certainty: "unknown", unknownSinceMs: 0 });
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, unknown],
      [MESSAGES]: [202, { messageId: "m1", status: "queued" }],
    });
    expect(await daemon.run(["send", "s1", "hello"])).toEqual(
      printed(
        "queued: s1 Fix the login\n" +
          "It waits because what the terminal shows is not understood. Look with signalbox attach s1;\n" +
          "then signalbox send s1 --resend m1 --force sends it anyway.\n",
      ),
    );
    await daemon.run(["send", "s1", "hello", "--force"]);
    await daemon.run(["send", "s1", "--resend", "m1", "--force"]);
    expect(daemon.asked.filter(([line]) => line === MESSAGES)).toEqual([
      [MESSAGES, { text: "hello" }],
      [MESSAGES, { text: "hello", force: true }],
      [MESSAGES, { resend: "m1", force: true }],
    ]);
    const env = { ...daemon.env, SIGNALBOX_SESSION_ID: "s2" };
    expect((await runSignalbox(["send", "s1", "x", "--force"], "", env)).code).toBe(1);
  });

  test("what came back is sent again or dropped", async () => {
    const drop = "DELETE /v1/sessions/s1/messages/m1";
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      [MESSAGES]: [202, { messageId: "m2", status: "sending" }],
      [drop]: [204],
    });
    expect(await daemon.run(["send", "s1", "--resend", "m1"])).toEqual(
      printed("sending: s1 Fix the login\n"),
    );
    expect(await daemon.run(["send", "s1", "--drop", "m1"])).toEqual(printed("dropped: s1 m1\n"));
    expect(daemon.asked.filter(([line]) => !line.startsWith("GET"))).toEqual([
      [MESSAGES, { resend: "m1" }],
      [drop],
    ]);
    for (const words of [
      ["--resend", "m1"],
      ["s1", "--resend", "m1", "--drop", "m1"],
      ["hello", "--force"],
    ])
      expect((await daemon.run(["send", ...words])).code).toBe(2);
  });

  test("a message to a shell is refused, with the way to type there", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      [MESSAGES]: problem(409, "no_agent", "No agent runs in this session's shell."),
    });
    expect((await daemon.run(["send", "s1", "hello"])).stderr).toBe(
      "signalbox: No agent runs in this session's shell. (no_agent)\n" +
        "No agent runs there. Keys for its terminal: signalbox type ID TEXT, or signalbox attach ID.\n",
    );
  });

  test("connect chooses", async () => {
    const roster = { connected: "s1", seats: [] };
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "POST /v1/roster/connect": [200, roster],
    });
    expect(await daemon.run(["connect", "s1"])).toEqual(printed("connected: s1 Fix the login\n"));
    expect(daemon.asked[1]).toEqual(["POST /v1/roster/connect", { sessionId: "s1" }]);
  });

  test("connect --as says which agent is in front, and is for a person", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "POST /v1/roster/connect": problem(409, "no_agent", "Only a shell is in front of this terminal."),
    });
    expect(await daemon.run(["connect", "s1", "--as", "aider"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "signalbox: Only a shell is in front of this terminal. (no_agent)\nNo agent runs there. Keys for its terminal: signalbox type ID TEXT, or signalbox attach ID.\n",
    });
    expect(daemon.asked[1]).toEqual(["POST /v1/roster/connect", { sessionId: "s1", as: "aider" }]);
    const env = { ...daemon.env, SIGNALBOX_SESSION_ID: "s2" };
    expect((await runSignalbox(["connect", "s1", "--as", "aider"], "", env)).stderr).toBe(
      "signalbox: naming an agent is for a person; this is session s2\n" +
        "Tell your user what is needed; they see it in signalbox asks.\n",
    );
    expect(daemon.asked.length).toBe(2);
  });
});

describe("type", () => {
  const path = "POST /v1/sessions/s1/terminal/input";
  const answers: Answers = { "GET /v1/sessions/s1": [200, sessionDetail()], [path]: [204] };

  test.each([
    [["ls -l"], "", "ls -l\r"],
    [["ls", "--no-enter"], "", "ls"],
    [["-"], "echo 1\necho 2\n", "echo 1\necho 2\r"],
    [["--", "--help"], "", "--help\r"],
    [[""], "", "\r"],
  ])("%j types keys", async (words, input, text) => {
    const daemon = await daemonWith(answers);
    expect(await daemon.run(["type", "s1", ...words], input)).toEqual(printed("typed: s1 Fix the login\n"));
    expect(daemon.asked[1]).toEqual([path, { text }]);
  });

  test("nothing is no key, and an agent types none", async () => {
    const daemon = await daemonWith(answers);
    expect((await daemon.run(["type", "s1", "", "--no-enter"])).stderr).toBe(
      "signalbox: there is nothing to type\nSee signalbox type --help.\n",
    );
    const env = { ...daemon.env, SIGNALBOX_SESSION_ID: "s2" };
    expect(await runSignalbox(["type", "s1", "ls"], "", env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("typing at a terminal is for a person") as string,
    });
    expect(daemon.asked).toEqual([]);
  });
});

describe("requests of one session", () => {
  test.each([
    ["interrupt", "interrupt"],
    ["stop", "cancel"],
    ["resume", "resume"],
    ["retry", "retry"],
    ["start", "start"],
  ])("%s", async (command, call) => {
    const path = `POST /v1/sessions/s1/${call}`;
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      [path]: [200, sessionSummary({ status: "paused" })],
    });
    expect(await daemon.run([command, "s1"])).toEqual(printed("s1 Paused\n"));
    expect(daemon.asked[1]).toEqual([path, {}]);
    const { stdout } = await daemon.run([command, "s1", "--json"]);
    expect(stdout).toBe(`${JSON.stringify(sessionSummary({ status: "paused" }))}\n`);
  });

  test("a refusal is said with a hint", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "POST /v1/sessions/s1/retry": problem(409, "state_transition_invalid", "retry in streaming"),
    });
    expect(await daemon.run(["retry", "s1"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "signalbox: retry in streaming (state_transition_invalid)\nSee signalbox explain ID for what it is doing.\n",
    });
  });

  test("resume --all goes on with every paused one, and past a refusal", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions?status=paused&limit=1000": [
        200,
        { items: [sessionSummary({ id: "p1" }), sessionSummary({ id: "p2" })] },
      ],
      "POST /v1/sessions/p1/resume": problem(409, "state_transition_invalid", "not now"),
      "POST /v1/sessions/p2/resume": [200, sessionSummary({ id: "p2" })],
    });
    expect(await daemon.run(["resume", "--all"])).toEqual({
      code: 1,
      stdout: "p2 Working\n",
      stderr: "signalbox: p1: not now\n",
    });
  });

  test("rm deletes what rests, and what is active only by force", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s2": [200, sessionDetail({ id: "s2", status: "stopped" })],
      "DELETE /v1/sessions/s1": [204],
      "DELETE /v1/sessions/s2": [204],
    });
    expect(await daemon.run(["rm", "s1"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "signalbox: s1: Working; nothing was deleted\nStop it first with signalbox stop s1, or add --force.\n",
    });
    expect(await daemon.run(["rm", "s2"])).toEqual(printed("deleted s2 Fix the login\n"));
    expect(await daemon.run(["rm", "s1", "--force", "--json"])).toEqual(printed('{"id":"s1"}\n'));
    expect(daemon.asked.filter(([line]) => line.startsWith("DELETE"))).toEqual([
      ["DELETE /v1/sessions/s2"],
      ["DELETE /v1/sessions/s1"],
    ]);
  });

  test("rm deletes several, and past one that it must not", async () => {
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s2": [200, sessionDetail({ id: "s2", status: "stopped" })],
      "GET /v1/sessions/s3": [200, sessionDetail({ id: "s3", status: "error" })],
      "DELETE /v1/sessions/s2": [204],
      "DELETE /v1/sessions/s3": [204],
    });
    expect(await daemon.run(["rm", "s2", "s1", "s3"])).toEqual({
      code: 1,
      stdout: "deleted s2 Fix the login\ndeleted s3 Fix the login\n",
      stderr:
        "signalbox: s1: Working; nothing was deleted\nStop it first with signalbox stop s1, or add --force.\n",
    });
    expect(await daemon.run(["rm", "s2", "s3", "--json"])).toEqual(printed('[{"id":"s2"},{"id":"s3"}]\n'));
    expect((await daemon.run(["rm"])).code).toBe(2);
  });

  test("stop --all stops every session that works or waits, and shells", async () => {
    const running = sessionSummary({ id: "s1" });
    const shell = sessionSummary({ id: "s2", status: "idle" });
    const items = [
      running,
      { ...shell, ui: { ...shell.ui, canCancel: true } },
      sessionSummary({ id: "s3", status: "completed" }),
    ];
    const daemon = await daemonWith({
      [LIST]: [200, { items }],
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s2": [200, sessionDetail({ id: "s2", status: "idle" })],
      "POST /v1/sessions/s1/cancel": [200, sessionSummary({ status: "stopped" })],
      "POST /v1/sessions/s2/cancel": [200, sessionSummary({ id: "s2", status: "stopped" })],
    });
    expect(await daemon.run(["stop", "--all"])).toEqual(printed("s1 Stopped\ns2 Stopped\n"));
    expect((await daemon.run(["stop"])).stderr).toContain("give an ID or --all");
  });

  test("show says whether messages without an ID come to it", async () => {
    const seats = [
      { sessionId: "s1", title: "One", agent: "claude", status: "connected" },
      { sessionId: "s2", title: "Two", agent: "claude", status: "disconnected" },
    ];
    const daemon = await daemonWith({
      "GET /v1/sessions/s1": [200, sessionDetail()],
      "GET /v1/sessions/s2": [200, sessionDetail({ id: "s2" })],
      "GET /v1/sessions/s3": [200, sessionDetail({ id: "s3" })],
      "GET /v1/roster": [200, { connected: "s1", position: 0, seats }],
    });
    const told = async (id: string) =>
      (await daemon.run(["show", id])).stdout.split("\n").filter((line) => line.startsWith("messages"));
    expect(await told("s1")).toEqual(["messages Connected: those without an ID come here"]);
    expect(await told("s2")).toEqual(["messages Disconnected; signalbox connect s2 connects it"]);
    expect(await told("s3")).toEqual([]);
  });
});
