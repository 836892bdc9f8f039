import { homedir } from "node:os";
import { expect, test } from "vitest";
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
