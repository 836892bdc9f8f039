/** Every call, and every role: who may make it. */
import { describe, expect, test } from "vitest";
import { leastRequirement, requirementFor, ROLES, type Access, type Role } from "../../protocol/access.js";
import { ACTING_FOR_HEADER } from "../../protocol/acting-for.js";
import { API, type Call, type CallName } from "../../protocol/api.js";
import { PLAIN_CALLS } from "../../protocol/plain-calls.js";
import { agentPrincipal, type Principal } from "../../protocol/principal.js";
import type { Attempt } from "./gatekeeper.js";
import { call, codeOf, openServer, post, startSession, TOKEN, type TestServer } from "./test-server.test.js";

/** Written out a second time on purpose: a row that changes is a decision. */
const LEAST: Readonly<Record<CallName, `${Role}${"" | " person"}`>> = {
  createSession: "operate",
  listSessions: "watch",
  getSession: "watch",
  patchSession: "operate",
  deleteSession: "operate person",
  sendMessage: "answer",
  dropMessage: "operate",
  answerAsk: "answer person",
  listAsks: "watch",
  answerAsks: "answer person",
  command: "operate person",
  getControls: "watch",
  setControls: "operate person",
  interrupt: "operate",
  cancel: "operate",
  resume: "operate",
  retry: "operate",
  start: "operate",
  typeKeys: "operate person",
  listEvents: "watch",
  getThread: "watch",
  explain: "watch",
  getChanges: "watch",
  getPatch: "watch",
  rewind: "operate person",
  listComments: "watch",
  addComment: "operate person",
  patchComment: "operate person",
  deleteComment: "operate person",
  sendReview: "operate person",
  getRoster: "watch",
  connect: "operate",
  routeMessage: "operate",
  listHarnesses: "watch",
  getPermissions: "watch",
  testPermission: "watch",
  listPorts: "operate",
  getWall: "watch",
  addRule: "own person",
  removeRule: "own person",
  initPermissions: "own person",
  trustFolder: "own person",
  listProjects: "watch",
  addProject: "operate person",
  patchProject: "operate person",
  listWorkspaces: "watch",
  cleanWorkspaces: "operate person",
  checkWorkspace: "operate person",
  finishWorkspace: "operate person",
  discardWorkspace: "operate person",
  updateWorkspace: "operate person",
  resolveWorkspace: "operate person",
  getPullRequest: "operate person",
  sendPullRequest: "operate person",
  retryWorkspace: "operate person",
  abortWorkspace: "operate person",
  createRace: "operate",
  listRaces: "watch",
  getRace: "watch",
  chooseInRace: "operate person",
  stopRace: "operate",
  createLoginLink: "own person",
  listDevices: "watch",
  patchDevice: "own person",
  deleteDevice: "own person",
  getHealth: "watch",
  listAudit: "own",
  backUp: "own person",
  shutdown: "operate person",
};
const CALLS = Object.keys(API) as CallName[];

/** A body that no call takes: what is refused for it was let through to there. */
const BODY = '{"none":1}';

async function signedIn(server: TestServer, role: Role): Promise<Readonly<Record<string, string>>> {
  const secret = await server.auth.devices.add(`a ${role}`, role);
  return { cookie: `signalbox=${secret}`, origin: `http://127.0.0.1:${server.port}` };
}

function ask(server: TestServer, name: CallName, headers: Readonly<Record<string, string>>, token?: string) {
  const { method, path, body }: Call = API[name];
  const target = path.replace(/:\w+/g, "none");
  const sent = body === undefined ? {} : { body: BODY };
  return call(server, method, target, { headers, token: token ?? null, ...sent });
}

describe("every call and every role", () => {
  test("the table is as it was decided", () => {
    const told = CALLS.map((name) => {
      const { role, person } = leastRequirement(API[name].access);
      return [name, `${role}${person ? " person" : ""}`];
    });
    expect(Object.fromEntries(told)).toEqual(LEAST);
  });

  test.each(ROLES)("a device with the role %s may make its calls, and no others", async (role) => {
    const server = await openServer();
    const headers = await signedIn(server, role);
    for (const name of CALLS) {
      const answer = await ask(server, name, headers);
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(leastRequirement(API[name].access).role);
      const isRefused = answer.status === 403 && codeOf(answer) === "forbidden";
      expect([name, isRefused]).toEqual([name, !isAllowed]);
    }
  });

  test.each(["mcp", "agent:s1", "made up"])("%s never does what only a person may", async (actingFor) => {
    const attempts: Attempt[] = [];
    const server = await openServer({ onAttempt: (attempt) => void attempts.push(attempt) });
    const headers = { [ACTING_FOR_HEADER]: actingFor };
    for (const name of CALLS) {
      const answer = await ask(server, name, headers, TOKEN);
      const code = answer.status === 403 ? codeOf(answer) : null;
      // No agent has more than the role operate.
      const beyond = LEAST[name] === "own" ? "forbidden" : null;
      expect([name, code]).toEqual([name, LEAST[name].endsWith("person") ? "agent_may_not" : beyond]);
    }
    const personal = CALLS.filter((name) => LEAST[name].endsWith("person"));
    expect(attempts.map((attempt) => attempt.call)).toEqual(personal);
    expect(attempts[0]?.sessionId).toBe("none");
  });

  test("who is traced to an agent is that agent, whatever is shown", async () => {
    const attempts: Attempt[] = [];
    const agent = agentPrincipal("s9");
    const trace = (): Promise<Principal> => Promise.resolve(agent);
    const server = await openServer({ trace, onAttempt: (attempt) => void attempts.push(attempt) });
    const rule = { rule: "Shell(*)", effect: "allow", scope: "always", cwd: process.cwd() };
    const answer = await post(server, "/v1/permissions/rules", rule);
    expect([answer.status, codeOf(answer)]).toEqual([403, "agent_may_not"]);
    expect(answer.text).toContain("in a terminal that Signalbox does not run");
    const own = await signedIn(server, "own");
    expect((await ask(server, "createLoginLink", own)).status).toBe(403);
    expect(attempts).toEqual([
      { by: agent, call: "addRule", sessionId: null },
      { by: agent, call: "createLoginLink", sessionId: null },
    ]);
    // What an agent may do is done in its name.
    await startSession(server);
    expect(server.board.principals).toEqual([agent]);
    expect((await call(server, "GET", "/v1/sessions")).status).toBe(200);
  });

  test("the plain calls need a token, but for two, and let everybody look who has one", () => {
    const told = Object.entries(PLAIN_CALLS).map(([name, { access }]) => [name, access?.role ?? null]);
    expect(told).toEqual([
      ["health", null],
      ["events", "watch"],
      ["terminal", "watch"],
      ["metrics", "watch"],
      ["openapi", "watch"],
      ["login", null],
    ]);
  });
});

test.each<readonly [CallName, unknown, Role, boolean]>([
  ["createSession", { harness: "demo" }, "operate", false],
  ["createSession", { harness: "demo", autoApprove: false }, "operate", false],
  ["createSession", { harness: "demo", autoApprove: true }, "operate", true],
  ["createSession", { harness: "demo", approve: "contained" }, "operate", false],
  ["createSession", { harness: "demo", approve: "auto" }, "operate", true],
  ["createSession", { harness: "claude", args: ["--dangerously-skip-permissions"] }, "operate", true],
  ["createSession", { harness: "claude", env: {} }, "operate", true],
  ["createSession", { harness: "terminal" }, "operate", true],
  ["createSession", { wall: "off" }, "operate", true],
  ["createSession", { network: "open" }, "operate", true],
  ["patchSession", { title: "t" }, "operate", false],
  ["patchSession", { autoApprove: false }, "operate", false],
  ["patchSession", { title: "t", autoApprove: true }, "operate", true],
  ["patchSession", { approve: "ask" }, "operate", false],
  ["patchSession", { approve: "contained" }, "operate", true],
  ["patchSession", { approve: "auto" }, "operate", true],
  ["sendMessage", { text: "t" }, "operate", false],
  ["sendMessage", { text: "t", force: true }, "operate", true],
  ["sendMessage", { text: "t", askId: "q" }, "answer", true],
  ["answerAsk", { decision: "approve" }, "answer", true],
  ["answerAsk", { decision: "approve", scope: "session" }, "answer", true],
  ["answerAsk", { decision: "approve", scope: "project" }, "own", true],
  ["answerAsk", { decision: "approve", scope: "always" }, "own", true],
  ["answerAsks", { answers: [{ scope: "once" }] }, "answer", true],
  ["answerAsks", { answers: [{ scope: "once" }, { scope: "always" }] }, "own", true],
  ["connect", { sessionId: "s" }, "operate", false],
  ["connect", { sessionId: "s", as: "claude" }, "operate", true],
])("%s with %j needs %s, and a person: %s", (name, body, role, person) => {
  const access: Access = API[name].access;
  expect(requirementFor(access, body)).toEqual({ role, person });
});

test("what a device may do can be changed, at once", async () => {
  const server = await openServer();
  const headers = await signedIn(server, "watch");
  const [device] = server.auth.devices.list();
  expect((await ask(server, "cancel", headers)).status).toBe(403);
  const changed = await post(server, `/v1/devices/${device?.id ?? ""}`, { role: "operate" }, "PATCH");
  expect(JSON.parse(changed.text)).toMatchObject({ name: "a watch", role: "operate", current: false });
  expect((await ask(server, "cancel", headers)).status).not.toBe(403);
  expect((await post(server, "/v1/devices/none", { role: "own" }, "PATCH")).status).toBe(404);
});

test("a link gives the role that was asked for, and otherwise little", async () => {
  const server = await openServer();
  for (const body of [{}, { role: "own" }, { role: "watch" }]) {
    const { url } = JSON.parse((await post(server, "/v1/login-links", body)).text) as { url: string };
    await call(server, "GET", url.slice(url.indexOf("/login")), { token: null });
  }
  expect(new Set(server.auth.devices.list().map(({ role }) => role))).toEqual(
    new Set(["answer", "own", "watch"]),
  );
});
