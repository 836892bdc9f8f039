/** The socket of an agent behind a wall, over a board in memory and a real socket. */
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AGENT_CALLS, isAgentCall } from "../../protocol/agent-socket.js";
import { API, type Call, type CallName } from "../../protocol/api.js";
import { agentPrincipal } from "../../protocol/principal.js";
import type { Attempt } from "./gatekeeper.js";
import { listenAt } from "./listen-at.js";
import { projectOf } from "./agent-board.js";
import { call, codeOf, openServer, TOKEN, temporaryFolder, type TestAnswer } from "./test-server.test.js";

const ALLOW = ["allow"];

/** The agent `own` in a project with `mate`, beside `other` in another one. `rules`: what they say of `signalbox mcp`. */
async function agentAt(rules: readonly string[] = ALLOW, harness = "gemini") {
  const folder = temporaryFolder();
  const mine = join(folder, "mine");
  const others = join(folder, "others");
  for (const path of [join(mine, ".git"), join(mine, "inner"), others]) mkdirSync(path, { recursive: true });
  const attempts: Attempt[] = [];
  const server = await openServer({
    onAttempt: (attempt) => attempts.push(attempt),
    // The socket says who it is: nobody is looked up.
    trace: () => Promise.reject(new Error("looked up")),
  });
  server.board.addSession("own", { cwd: mine, harness });
  server.board.addSession("mate", { cwd: join(mine, "inner") });
  server.board.addSession("shell", { cwd: mine, harness: "terminal" });
  server.board.addSession("other", { cwd: others });
  const { configDir } = server.permissions.folders;
  mkdirSync(configDir, { recursive: true });
  const [word = "allow", tool = "*"] = rules;
  writeFileSync(join(configDir, "permissions.toml"), `[permissions]\n${word} = ["Mcp(signalbox/${tool})"]\n`);
  const agent = server.http.agentServer("own", "http://localhost");
  const path = join(folder, "mcp.sock");
  await listenAt(agent, path);
  onTestFinished(async () => {
    agent.closeAllConnections();
    await new Promise((resolve) => {
      agent.close(resolve);
    });
  });
  const ask = (method: string, target: string, body?: object, headers = {}): Promise<TestAnswer> =>
    call(server, method, target, {
      token: null,
      headers,
      options: { socketPath: path },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...server, ask, attempts, mine, others, path };
}

const MAY_NOT = { status: 403, code: "agent_may_not" };

function outcome(answer: TestAnswer): object {
  return { status: answer.status, code: codeOf(answer) };
}

test("no call that it takes is for persons only, whatever its body", () => {
  for (const name of Object.keys(AGENT_CALLS)) {
    const access = name in API ? (API[name as CallName] as Call).access : { role: "watch" as const };
    expect([name, access.person]).toEqual([name, undefined]);
    expect(["watch", "operate"]).toContain(access.role);
  }
});

test("every other call is refused and seen, with the agent's name, whatever it shows", async () => {
  const { ask, attempts } = await agentAt();
  const headers = { authorization: `Bearer ${TOKEN}`, "signalbox-acting-for": "mcp" };
  const others = (Object.keys(API) as CallName[]).filter((name) => !isAgentCall(name));
  for (const name of others) {
    const { method, path } = API[name];
    const target = path.replace(":id", "mate").replace(/:\w+/g, "x");
    const body = method === "GET" || method === "DELETE" ? undefined : {};
    expect([name, outcome(await ask(method, target, body, headers))]).toEqual([name, MAY_NOT]);
  }
  for (const path of [
    "/",
    "/healthz",
    "/metrics",
    "/v1/openapi.json",
    "/login?code=x",
    "/nothing",
    "/v1/events",
  ])
    expect([path, outcome(await ask("GET", path, undefined, headers))]).toEqual([path, MAY_NOT]);
  const upgrade = { ...headers, connection: "upgrade", upgrade: "websocket" };
  expect(outcome(await ask("GET", "/v1/sessions/mate/terminal", undefined, upgrade))).toEqual(MAY_NOT);
  expect(attempts.map(({ call: name }) => name)).toEqual([
    ...others,
    ...["other", "health", "metrics", "openapi", "login", "other", "events", "terminal"],
  ]);
  expect(new Set(attempts.map(({ by }) => JSON.stringify(by)))).toEqual(
    new Set([JSON.stringify(agentPrincipal("own"))]),
  );
});

test("what a body would make a person's is refused and seen, too", async () => {
  const { ask, attempts, mine, others, board } = await agentAt();
  const start = { harness: "demo", cwd: mine, prompt: "Go" };
  for (const more of [{ autoApprove: true }, { args: ["--yolo"] }, { env: { A: "1" } }, { wall: "off" }])
    expect(outcome(await ask("POST", "/v1/sessions", { ...start, ...more }))).toEqual(MAY_NOT);
  for (const cwd of [others, join(mine, "inner"), "/"])
    expect(outcome(await ask("POST", "/v1/sessions", { ...start, cwd }))).toEqual(MAY_NOT);
  for (const more of [{ askId: "q1" }, { force: true }])
    expect(outcome(await ask("POST", "/v1/sessions/mate/messages", { text: "yes", ...more }))).toEqual(
      MAY_NOT,
    );
  expect(outcome(await ask("POST", "/v1/permissions/test", { call: "Shell(ls)", cwd: others }))).toEqual(
    MAY_NOT,
  );
  expect(attempts.map(({ call: name }) => name)).toEqual([
    ...Array.from({ length: 4 }, () => "createSession"),
    ...Array.from({ length: 3 }, () => "createSession:elsewhere"),
    ...["sendMessage", "sendMessage", "testPermission:elsewhere"],
  ]);
  expect(board.submissions).toEqual([]);
});

test("it sees the sessions of its own project, and acts in its own name", async () => {
  const { ask, board, mine } = await agentAt();
  const { items } = JSON.parse((await ask("GET", "/v1/sessions")).text) as { items: { id: string }[] };
  expect(items.map(({ id }) => id).toSorted()).toEqual(["mate", "own", "shell"]);
  expect(JSON.parse((await ask("GET", "/v1/sessions/self")).text)).toMatchObject({ id: "own" });
  expect((await ask("GET", "/v1/sessions/mate/thread")).status).toBe(200);
  for (const [method, path, body] of [
    ["GET", "/v1/sessions/other", undefined],
    ["GET", "/v1/sessions/other/thread", undefined],
    ["GET", "/v1/events?session=other", undefined],
    ["POST", "/v1/sessions/other/messages", { text: "hi" }],
    ["POST", "/v1/sessions/other/cancel", {}],
  ] as const)
    expect(outcome(await ask(method, path, body))).toEqual({ status: 404, code: "session_not_found" });
  expect(board.submissions).toEqual([]);
  const started = await ask("POST", "/v1/sessions", {
    harness: "demo",
    cwd: `${mine}/inner/..`,
    prompt: "Go",
  });
  expect(started.status).toBe(201);
  await ask("POST", "/v1/sessions/mate/messages", { text: "hi", unlessAsked: false });
  expect(board.submissions).toMatchObject([
    { type: "create", approve: "ask", settings: { cwd: mine, wall: "on" } },
    { type: "request", sessionId: "mate", request: { type: "send_message", unlessAsked: true } },
  ]);
  expect(board.principals).toEqual([agentPrincipal("own"), agentPrincipal("own")]);
  const { seats, connected } = JSON.parse((await ask("GET", "/v1/roster")).text) as {
    seats: { sessionId: string }[];
    connected: string | null;
  };
  expect([seats.length, connected !== null]).toEqual([1, true]);
});

test("neither its own session nor a terminal is messaged, and its own is not stopped", async () => {
  const { ask, board } = await agentAt();
  for (const [id, what, body] of [
    ["own", "messages", { text: "hi" }],
    ["self", "messages", { text: "hi" }],
    ["own", "cancel", {}],
    ["shell", "messages", { text: "rm -rf /" }],
  ] as const)
    expect(outcome(await ask("POST", `/v1/sessions/${id}/${what}`, body))).toEqual({
      status: 403,
      code: "forbidden",
    });
  expect(board.submissions).toEqual([]);
});

test.each([
  ["nothing is permitted", ["deny"], "gemini", [403, 403, 403, 200]],
  ["one tool permits the calls that it makes", ["allow", "read_session"], "gemini", [200, 200, 403, 200]],
  ["one that would be asked has nobody to ask", ["ask"], "gemini", [403, 403, 403, 200]],
  // It does not work now: it cannot have asked.
  ["nor has one that asks, while it rests", ["ask"], "demo", [403, 403, 403, 200]],
])("the rules decide here, not in the client: %s", async (_what, rules, harness, statuses) => {
  const { ask } = await agentAt(rules, harness);
  const answers = [
    await ask("GET", "/v1/sessions"),
    await ask("GET", "/v1/sessions/mate/thread"),
    await ask("POST", "/v1/sessions/mate/messages", { text: "hi" }),
    await ask("GET", "/v1/sessions/self"),
  ];
  expect(answers.map(({ status }) => (status < 300 ? 200 : status))).toEqual(statuses);
});

test("so many programs of an agent are connected at once, and no more", async () => {
  const { path } = await agentAt();
  const sockets = Array.from({ length: 40 }, () => connect(path));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const closed = () => sockets.filter((socket) => socket.closed).length;
  for (const socket of sockets) socket.on("error", () => undefined).resume();
  await expect.poll(closed).toBe(8);
});

test("a project is found by what marks it, also in a folder that is open to everybody", () => {
  const folder = temporaryFolder();
  const inner = join(folder, "a/b/c");
  mkdirSync(inner, { recursive: true });
  expect(projectOf(inner, "/nowhere")).toBe(inner);
  mkdirSync(join(folder, "a/.signalbox"), { mode: 0o777 });
  expect(projectOf(inner, "/nowhere")).toBe(join(folder, "a"));
  expect(projectOf(inner, join(folder, "a"))).toBe(inner);
  writeFileSync(join(folder, "a/b/.git"), "gitdir: x\n");
  expect(projectOf(inner, "/nowhere")).toBe(join(folder, "a/b"));
});

test("of workspaces it sees its own, and changes of its project's sessions", async () => {
  const { ask, attempts } = await agentAt();
  for (const target of ["/v1/workspaces", "/v1/workspaces?id=mate", "/v1/workspaces?look=1"])
    expect([target, outcome(await ask("GET", target))]).toEqual([target, MAY_NOT]);
  expect(attempts.map(({ call: name }) => name)).toEqual(Array.from({ length: 3 }, () => "listWorkspaces"));
  for (const target of ["/v1/workspaces?id=self", "/v1/workspaces?id=own"])
    expect([target, (await ask("GET", target)).status]).toEqual([target, 200]);
  expect(outcome(await ask("GET", "/v1/sessions/other/changes"))).toEqual({
    status: 404,
    code: "session_not_found",
  });
});

test("the rules decide about workspaces and changes as about the rest", async () => {
  const { ask } = await agentAt(["deny", "read_*"]);
  for (const target of [
    "/v1/workspaces?id=self",
    "/v1/sessions/self/changes",
    "/v1/sessions/self/changes/file",
  ])
    expect([target, (await ask("GET", target)).status]).toEqual([target, 403]);
});
