import { homedir } from "node:os";
import { beforeEach, describe, expect, test } from "vitest";
import type { TerminalHands } from "../call-handler.js";
import type { Failure } from "../problem.js";
import { call, codeOf, CWD, flawsIn, openServer, post, startSession, valueOf } from "../test-server.test.js";

test("the roster shows seats and connects one", async () => {
  const server = await openServer();
  const first = await startSession(server, "First");
  const second = await startSession(server, "Second");
  const connected = await post(server, "/v1/roster/connect", { sessionId: first });
  const roster = {
    connected: first,
    position: 0,
    seats: [
      { sessionId: first, title: "First", agent: "demo", status: "connected" },
      { sessionId: second, title: "Second", agent: "demo", status: "disconnected" },
    ],
  };
  expect(valueOf("connect", connected)).toEqual(roster);
  expect(valueOf("getRoster", await call(server, "GET", "/v1/roster"))).toEqual(roster);
});

describe("a terminal's keys and the name of what is in front", () => {
  const told: unknown[] = [];
  let refusal: Failure | null = null;
  const terminals: TerminalHands = {
    typeKeys: (...keys) => Promise.resolve((told.push(keys), refusal)),
    nameAgent: (...name) => (told.push(name), refusal),
  };
  beforeEach(() => {
    told.length = 0;
    refusal = null;
  });

  test("go to the terminal as they are", async () => {
    const server = await openServer({ terminals });
    const id = await startSession(server);
    valueOf("typeKeys", await post(server, `/v1/sessions/${id}/terminal/input`, { text: "ls\r" }));
    valueOf("connect", await post(server, "/v1/roster/connect", { sessionId: id, as: "aider" }));
    expect(told).toEqual([
      [id, "ls\r"],
      [id, "aider"],
    ]);
  });

  test("are refused where there is none, and in the terminal's own words", async () => {
    const server = await openServer({ terminals });
    const id = await startSession(server);
    const type = (text: string, sessionId = id) =>
      post(server, `/v1/sessions/${sessionId}/terminal/input`, { text });
    const name = (as: string, sessionId = id) => post(server, "/v1/roster/connect", { sessionId, as });
    expect(flawsIn(await type(""))).toEqual(["text"]);
    expect(flawsIn(await type("x".repeat(64 * 1024 + 1)))).toEqual(["text"]);
    expect(flawsIn(await type("ü".repeat(32 * 1024 + 1)))).toEqual(["text"]);
    expect(flawsIn(await name("a b"))).toEqual(["as"]);
    expect(codeOf(await type("x", "nobody"))).toBe("session_not_found");
    expect(codeOf(await name("aider", "nobody"))).toBe("session_not_found");
    expect(told).toEqual([]);
    refusal = { ok: false, code: "no_agent", message: "Only a shell." };
    expect(codeOf(await name("aider"))).toBe("no_agent");
    refusal = { ok: false, code: "conflict", message: "Nothing runs." };
    expect(codeOf(await type("x"))).toBe("conflict");
    expect(server.board.submissions.length).toBe(1);
    const bare = await openServer();
    const other = await startSession(bare);
    expect(codeOf(await post(bare, `/v1/sessions/${other}/terminal/input`, { text: "x" }))).toBe("conflict");
    expect(codeOf(await post(bare, "/v1/roster/connect", { sessionId: other, as: "x" }))).toBe("conflict");
  });
});

test("harnesses, health, and the end", async () => {
  const asked: boolean[] = [];
  const server = await openServer({ shutDown: (withAgents) => asked.push(withAgents) });
  expect(valueOf("listHarnesses", await call(server, "GET", "/v1/harnesses"))).toMatchObject({
    items: [{ name: "demo", installed: true }],
    cwd: homedir(),
  });
  const health = await call(server, "GET", "/healthz", { token: null });
  expect(JSON.parse(health.text)).toMatchObject({ ok: true, version: "1.2.3", pid: process.pid });
  valueOf("shutdown", await post(server, "/v1/shutdown", { agents: true }));
  await call(server, "GET", "/healthz");
  expect(asked).toEqual([true]);
});

test("commands reach the runtime as they are; one that needs a name is refused without", async () => {
  const server = await openServer();
  const id = await startSession(server);
  const path = `/v1/sessions/${id}/commands`;
  const skill = { command: "skill", name: "deploy", arguments: "now" };
  expect(valueOf("command", await post(server, path, { ...skill, clientId: "c" }))).toMatchObject({ id });
  valueOf("command", await post(server, path, { command: "execute" }));
  expect(server.board.submissions.slice(1)).toEqual([
    { type: "command", sessionId: id, command: skill },
    { type: "command", sessionId: id, command: { command: "execute" } },
  ]);
  for (const command of ["slash", "skill"])
    expect(flawsIn(await post(server, path, { command }))).toEqual(["name"]);
  expect(flawsIn(await post(server, path, { command: "dance" }))).toEqual(["command"]);
  expect(server.board.submissions).toHaveLength(3);
});

test.each([
  ["GET", "/v1/sessions/x"],
  ["PATCH", "/v1/sessions/x"],
  ["DELETE", "/v1/sessions/x"],
  ["POST", "/v1/sessions/x/interrupt"],
  ["POST", "/v1/sessions/x/commands", { command: "new" }],
  ["POST", "/v1/sessions/x/messages", { text: "x" }],
  ["POST", "/v1/sessions/x/asks/y", { decision: "approve" }],
  ["GET", "/v1/sessions/x/events"],
  ["GET", "/v1/sessions/x/thread"],
  ["GET", "/v1/sessions/x/explain"],
  ["GET", "/v1/sessions/x/changes"],
  ["GET", "/v1/sessions/x/changes/file"],
  ["POST", "/v1/sessions/x/rewind", { turn: 1 }],
  ["GET", "/v1/events?session=x"],
] as const)("%s %s: there is no such session", async (method, path, body?: object) => {
  const server = await openServer();
  const answer = await (body ? post(server, path, body, method) : call(server, method, path));
  expect([answer.status, codeOf(answer)]).toEqual([404, "session_not_found"]);
});

test("the same clientId is answered once, and another request with it is a conflict", async () => {
  const server = await openServer();
  const body = { harness: "demo", cwd: CWD, prompt: "x", clientId: "c" };
  const first = valueOf("createSession", await post(server, "/v1/sessions", body)) as { id: string };
  const reordered = { clientId: "c", prompt: "x", cwd: CWD, harness: "demo" };
  expect(valueOf("createSession", await post(server, "/v1/sessions", reordered))).toMatchObject({
    id: first.id,
  });
  expect(server.board.records.size).toBe(1);
  for (const [path, other] of [
    ["/v1/sessions", { ...body, prompt: "y" }],
    [`/v1/sessions/${first.id}/interrupt`, { clientId: "c" }],
  ] as const) {
    const answer = await post(server, path, other);
    expect([answer.status, codeOf(answer)]).toEqual([409, "conflict"]);
  }
});

test("a journal that cannot be written is 507, with when to try again", async () => {
  const server = await openServer();
  server.board.refusal = { ok: false, code: "internal", message: "disk full", unavailable: true };
  const answer = await post(server, "/v1/messages", { text: "x" });
  expect([answer.status, codeOf(answer), answer.headers["retry-after"]]).toEqual([507, "internal", "5"]);
});
