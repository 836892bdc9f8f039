/** What commands do when somebody is at the terminal. */
import { spawn as spawnTerminal } from "@lydell/node-pty";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { SessionSummary } from "../../src/protocol/session.js";
import type { StateEvent, StatePayload } from "../../src/protocol/state-event.js";
import type { StreamEvent } from "../../src/protocol/stream-event.js";
import { FakeDaemon, TOKEN, type Answers } from "./fake-daemon.js";
import { sse, startEventStream } from "./scripted-server.js";
import { buildSignalbox, PROGRAM } from "./signalbox.js";
import { sessionDetail, sessionSummary, stateChanged, stateEvent, streamEvent } from "./wire-values.js";

beforeAll(buildSignalbox);

let daemon: FakeDaemon | undefined;
afterEach(() => daemon?.close());

const PATIENT = { timeout: 20_000 };

/** The program in a terminal: what it showed, and how it ended. */
class Terminal {
  shown = "";
  readonly exit: Promise<number>;
  private readonly pty;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv) {
    this.pty = spawnTerminal(process.execPath, [PROGRAM, ...args], {
      cols: 100,
      rows: 20,
      env: { ...process.env, TERM: "xterm", ...env },
    });
    this.pty.onData((data) => (this.shown += data));
    this.exit = new Promise((resolve) => {
      this.pty.onExit(({ exitCode }) => resolve(exitCode));
    });
  }

  /** Resolves once it shows this. */
  async shows(text: string): Promise<void> {
    await expect.poll(() => this.shown, PATIENT).toContain(text);
  }

  type(text: string): void {
    this.pty.write(text);
  }

  signal(name: NodeJS.Signals): void {
    this.pty.kill(name);
  }

  /** As a person reads it: without what moves the cursor. */
  get lines(): readonly string[] {
    const escapes = new RegExp("\u001b\\[[0-9;?]*[A-Za-z]", "g");
    return this.shown
      .replace(escapes, "")
      .replace(/[\r\u0007]/g, "")
      .split("\n");
  }
}

const ask = (askId: string, kind: string, title: string): StatePayload => ({
  type: "ask_opened",
  askId,
  ask: kind,
  title,
  detail: "",
  needsHuman: true,
  openedAtMs: 0,
});
const closed = (askId: string): StateEvent =>
  stateEvent({ type: "ask_closed", askId, reason: "approve_action" });

/** Tells one event after the other; after each, waits for the request named beside it. */
async function daemonWith(
  script: readonly (readonly [StreamEvent | StateEvent, answeredBy?: string])[],
  session: Partial<SessionSummary> = {},
): Promise<FakeDaemon> {
  let tellNext: (request: string) => void = () => undefined;
  const heard = (line: string, status: number, value: unknown): Answers => ({
    [line]: () => {
      tellNext(line);
      return [status, value];
    },
  });
  daemon = await FakeDaemon.start({
    "POST /v1/sessions": [201, sessionSummary()],
    "GET /v1/sessions/s1": [200, sessionDetail({ status: "completed", ...session })],
    "GET /v1/events": (_exchange, response) => {
      startEventStream(response);
      let next = 0;
      const tell = () => {
        for (;;) {
          const [event, answeredBy] = script[next] ?? [];
          if (event === undefined) return;
          next += 1;
          const name = "schemaVersion" in event ? "agent:stream_event" : "agent:state_event";
          response.write(sse(name, event, next));
          if (answeredBy !== undefined) return;
        }
      };
      tellNext = (line) => {
        if (script[next - 1]?.[1] === line) tell();
      };
      tell();
      return null;
    },
    ...heard("POST /v1/sessions/s1/asks/k1", 200, sessionSummary()),
    ...heard("POST /v1/sessions/s1/asks/k2", 200, sessionSummary()),
    ...heard("POST /v1/sessions/s1/messages", 202, { messageId: "m1", status: "sending" }),
  });
  return daemon;
}

test("run asks what the agent asks, and sends what is typed", async () => {
  const k1 = { askId: "k1", ask: "command", title: "npm test", detail: "", needsHuman: true, openedAtMs: 0 };
  const fake = await daemonWith(
    [
      [streamEvent("text_delta", { text: "Working" })],
      [stateEvent(ask("k1", "command", "npm test")), "POST /v1/sessions/s1/asks/k1"],
      [closed("k1")],
      [stateEvent(ask("k2", "tool", "Edit a.ts")), "POST /v1/sessions/s1/asks/k2"],
      [closed("k2")],
      [stateEvent(ask("k3", "followup", "Which one?")), "POST /v1/sessions/s1/messages"],
      [closed("k3")],
      [stateChanged("streaming", "completed")],
    ],
    { asks: [{ ...k1, tool: "Bash", suggestions: ["Shell(npm test)"] }] },
  );
  const terminal = new Terminal(["run", "claude", "hello"], fake.env);
  const asked = (count: number) =>
    expect.poll(() => terminal.shown.split("Allow? ").length - 1, PATIENT).toBe(count);
  await terminal.shows("npm test");
  await asked(1);
  // Neither nothing nor a word that means nothing is an answer.
  terminal.type("\r");
  await asked(2);
  terminal.type("sure\r");
  await asked(3);
  terminal.type("always\r");
  await terminal.shows("Edit a.ts");
  await asked(4);
  terminal.type("use b.ts\r");
  await terminal.shows("Deny it, and tell the agent that? ");
  terminal.type("n\r");
  await asked(5);
  terminal.type("n use c.ts\r");
  await terminal.shows("Your answer: ");
  terminal.type("the first\r");
  expect(await terminal.exit).toBe(0);
  expect(fake.asked.filter(([line]) => line.startsWith("POST /v1/sessions/s1"))).toEqual([
    ["POST /v1/sessions/s1/asks/k1", { decision: "approve", scope: "always" }],
    ["POST /v1/sessions/s1/asks/k2", { decision: "reject", message: "use c.ts" }],
    ["POST /v1/sessions/s1/messages", { text: "the first", askId: "k3" }],
  ]);
  // It rings for each ask.
  expect(terminal.shown.split("\u0007").length - 1).toBe(3);
  const rules = "s, p and a also allow from now on: Shell(npm test)";
  const all = "[y] once, [s] this session, [p] this project, [a] always, [n] deny";
  expect(terminal.lines).toEqual([
    "Working",
    "[approval] npm test",
    rules,
    `Allow? ${all}: `,
    rules,
    `Allow? ${all}: sure`,
    `Type one of ${all}. n TEXT denies it and tells the agent TEXT.`,
    rules,
    `Allow? ${all}: always`,
    "[approval] Edit a.ts",
    "Allow? [y] once, [n] deny: use b.ts",
    "Deny it, and tell the agent that? y or n: n",
    "Allow? [y] once, [n] deny: n use c.ts",
    "[question] Which one?",
    "Your answer: the first",
    "",
  ]);
});

test("what was typed before an ask came does not answer it", async () => {
  const fake = await daemonWith([
    [stateEvent(ask("k1", "command", "npm test")), "POST /v1/sessions/s1/asks/k1"],
    [closed("k1"), "POST /v1/sessions/s1/messages"],
    [stateEvent(ask("k2", "command", "rm -rf x")), "POST /v1/sessions/s1/asks/k2"],
    [closed("k2")],
    [stateChanged("streaming", "completed")],
  ]);
  const asked = () => fake.asked.filter(([line]) => line.includes("/asks/"));
  const terminal = new Terminal(["run", "claude", "hello"], fake.env);
  await terminal.shows("Allow? ");
  terminal.type("y\r");
  await expect.poll(asked, PATIENT).toHaveLength(1);
  terminal.type("y\ryes");
  await terminal.shows("y\r\nyes");
  const headers = { authorization: `Bearer ${TOKEN}` };
  await fetch(`${fake.url}/v1/sessions/s1/messages`, { method: "POST", headers });
  await expect.poll(() => terminal.shown.split("Allow? ").length, PATIENT).toBe(3);
  terminal.type("n\r");
  expect(await terminal.exit).toBe(0);
  expect(asked()).toEqual([
    ["POST /v1/sessions/s1/asks/k1", { decision: "approve" }],
    ["POST /v1/sessions/s1/asks/k2", { decision: "reject" }],
  ]);
});

test("an ask that is answered elsewhere is not asked any more", async () => {
  const fake = await daemonWith([
    [stateEvent(ask("k1", "command", "npm test"))],
    [closed("k1")],
    [stateChanged("streaming", "completed")],
  ]);
  const terminal = new Terminal(["run", "claude", "hello"], fake.env);
  expect(await terminal.exit).toBe(0);
  expect(fake.asked.filter(([line]) => line.startsWith("POST"))).toHaveLength(1);
});

test.each([
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
])("%s at the prompt leaves the session running", async (_name, key) => {
  const fake = await daemonWith([[stateEvent(ask("k1", "command", "npm test"))]]);
  const terminal = new Terminal(["run", "claude", "hello"], fake.env);
  await terminal.shows("Allow? ");
  terminal.type(key);
  expect(await terminal.exit).toBe(130);
  expect(terminal.lines.at(-2)).toBe(
    "signalbox: s1: the agent goes on. Follow it with signalbox logs -f s1, stop it with signalbox stop",
  );
});

test.each([
  ["y", "y\r", 0, "/p is trusted, as it is now"],
  ["n", "n\r", 1, "signalbox: nothing was trusted"],
  ["Ctrl-C", "\u0003", 130, "signalbox: nothing was trusted"],
  ["Ctrl-D", "\u0004", 130, "signalbox: nothing was trusted"],
])("permissions trust asks first, and %s is an answer", async (_name, key, code, said) => {
  const folder = { folder: "/p", state: "untrusted", hash: "abc", files: [], allows: [], problem: null };
  daemon = await FakeDaemon.start({
    "GET /v1/permissions": [200, { cwd: "/p", project: "/p", rules: [], trust: [folder], flaws: [] }],
    "POST /v1/permissions/trust": [200, { ...folder, state: "trusted" }],
  });
  const terminal = new Terminal(["permissions", "trust", "/p"], daemon.env);
  await terminal.shows("Trust it? ");
  terminal.type(key);
  expect(await terminal.exit).toBe(code);
  expect(terminal.lines).toContain(said);
  expect(daemon.asked.filter(([line]) => line.startsWith("POST"))).toHaveLength(code === 0 ? 1 : 0);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s leaves the terminal as top found it",
  async (name) => {
    daemon = await FakeDaemon.start({
      "GET /v1/sessions": [200, { items: [sessionSummary()] }],
      "GET /v1/events": (_exchange, response) => {
        startEventStream(response);
        return null;
      },
    });
    const terminal = new Terminal(["top"], daemon.env);
    await terminal.shows("Fix the login");
    terminal.signal(name);
    expect(await terminal.exit).toBe(0);
    expect(terminal.shown).toContain("\u001b[?1049l");
  },
);

test("colours are for terminals, and only when they are wanted", async () => {
  const fake = await daemonWith([]);
  const plain = new Terminal(["machine", "tour"], fake.env);
  const coloured = new Terminal(["machine", "tour"], { ...fake.env, NO_COLOR: "" });
  expect([await plain.exit, await coloured.exit]).toEqual([0, 0]);
  expect(plain.shown).not.toContain("\u001b[1m");
  expect(coloured.shown).toContain("\u001b[1m");
});

test("who has no sessions yet is told how to begin, but not in a pipe", async () => {
  daemon = await FakeDaemon.start({ "GET /v1/sessions": [200, { items: [] }] });
  const terminal = new Terminal(["ls"], daemon.env);
  expect(await terminal.exit).toBe(0);
  expect(terminal.lines).toContain('signalbox: no sessions yet; signalbox run demo "Show me" starts one');
  expect((await daemon.run(["ls"])).stderr).toBe("");
});
