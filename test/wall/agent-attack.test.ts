/** The attacks on version 0.1 behind a wall: by a real ACP agent, and by a program in a terminal. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keeperSocketPath } from "../../src/keeper/paths.js";
import { AcpLab, type LabAgent } from "../e2e/acp-lab.js";
import { until } from "../reliability/until.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const PROWLER = new URL("../../dist/test/e2e/programs/prowler.js", import.meta.url).pathname;
const hasBubblewrap = spawnSync("bwrap", ["--version"]).status === 0 || process.env["CI"] !== undefined;

const all = (outcome: string) => ({ approve: outcome, rule: outcome, auto: outcome, link: outcome });
/** Whatever it is told, nothing of this is there. */
const NOTHING = {
  token: "ENOENT",
  secret: "ENOENT",
  journal: "ENOENT",
  seen: 0,
  inherited: 0,
  keeper: "ENOENT",
};
const SEEN_AT_PORT = {
  ...{ ...NOTHING, isFound: true, atPort: all("401 unauthorized") },
  ...{ withToken: all("403 agent_may_not"), atSocket: all("403 agent_may_not") },
};
const DEEDS = [
  "answer what it asks a person",
  "add a permission rule",
  "turn auto-approve on",
  "make a link that signs a browser in",
];

let lab: AcpLab;

beforeEach(async () => {
  mkdirSync(LABS, { recursive: true });
  lab = await AcpLab.open({ SIGNALBOX_WALL: "require" }, LABS);
  mkdirSync(join(lab.folder, "home"), { recursive: true });
  // Otherwise the daemon's port is not even there.
  writeFileSync(join(lab.folder, "config/signalbox/config.toml"), `[wall]\nnetwork = "open"\n`);
});

afterEach(async () => {
  await lab.close();
});

function prowling(sessionId: string, askId: string): readonly string[] {
  const { dataDir, ready } = lab.daemon;
  // Otherwise it would look for the keeper in the wrong place.
  expect(keeperSocketPath(dataDir)).toBe(join(dataDir, "keeper.sock"));
  return [PROWLER, dataDir, sessionId, askId, ready.token, new URL(ready.url).port];
}

/** The agent asks for something, and prowls while the question is open. */
async function prowl(agent: LabAgent, more: object = {}): Promise<unknown> {
  await agent.does(
    { begin: "terminal/create", params: { command: "touch", args: ["stolen"] } },
    { hang: true },
  );
  const { askId } = await agent.asks();
  const program = prowling(agent.id, askId);
  writeFileSync(join(agent.project, "run-this"), JSON.stringify({ program, ...more }));
  const found = () => agent.answers().find((answer) => answer["method"] === "program");
  await expect.poll(found, { timeout: 60_000 }).toBeDefined();
  return found()?.["result"];
}

/** Nothing was done; the person sees what was tried in that session, and finds it in the audit under its name. */
async function expectSeen(sessionId: string, deeds: readonly string[]): Promise<void> {
  const { client } = lab.daemon;
  const session = await client.getSession(sessionId);
  expect(session.autoApprove).toBe(false);
  expect(readFileSync(join(lab.folder, "config/signalbox/permissions.toml"), "utf8")).not.toContain(
    "Shell(*)",
  );
  expect((await client.listDevices()).items).toEqual([]);
  const thread = async () => JSON.stringify(await client.getThread(sessionId));
  for (const deed of deeds)
    await expect
      .poll(thread)
      .toContain(`the agent of session ${sessionId}, or a program that it started, tried to ${deed}`);
  const { items } = await client.listAudit();
  const refused = items.filter(({ operation }) => operation.startsWith("refused:"));
  expect(new Set(refused.map(({ principal }) => `${principal.kind}:${principal.id}`))).toEqual(
    new Set([`agent:${sessionId}`]),
  );
  expect(refused.map(({ operation }) => operation)).toEqual(
    expect.arrayContaining([
      "refused:answerAsk",
      "refused:addRule",
      "refused:patchSession",
      "refused:createLoginLink",
    ]),
  );
}

describe.runIf(hasBubblewrap)("behind a wall", () => {
  test("an ACP agent finds neither token nor keeper; at the port and at its socket it is refused, seen and named", async () => {
    const agent = await lab.startAgent();
    expect(await prowl(agent)).toEqual(SEEN_AT_PORT);
    await expectSeen(agent.id, [...DEEDS, "call the daemon without its token"]);
    expect((await lab.daemon.client.getSession(agent.id)).asks).toHaveLength(1);
    expect(existsSync(join(agent.project, "stolen"))).toBe(false);
  });

  test("it cannot leave its ancestors behind: everything in the wall is the run's", async () => {
    const agent = await lab.startAgent();
    expect(await prowl(agent, { escape: true })).toEqual(SEEN_AT_PORT);
    await expectSeen(agent.id, DEEDS);
  });

  test("a program in a terminal: the same", async () => {
    const project = join(lab.folder, "terminal");
    mkdirSync(project);
    const { client } = lab.daemon;
    const script =
      "until [ -e go ]; do sleep 0.05; done; node $(cat go) > out.part; mv out.part out; sleep 1000";
    const { id } = await client.createSession({
      harness: "terminal",
      cwd: project,
      args: ["bash", "-c", script],
    });
    // At once with all that is in it.
    writeFileSync(join(project, "go.new"), prowling(id, "a1").join(" "));
    renameSync(join(project, "go.new"), join(project, "go"));
    await until(() => existsSync(join(project, "out")));
    expect(JSON.parse(readFileSync(join(project, "out"), "utf8"))).toEqual(SEEN_AT_PORT);
    await expectSeen(id, [...DEEDS, "call the daemon without its token"]);
  });

  test("with a list of hosts, the default, there is no port, and its socket is still its own", async () => {
    rmSync(join(lab.folder, "config/signalbox/config.toml"));
    const agent = await lab.startAgent();
    expect(await prowl(agent)).toEqual({
      ...{ ...NOTHING, isFound: false, atPort: all("ECONNREFUSED"), withToken: all("ECONNREFUSED") },
      atSocket: all("403 agent_may_not"),
    });
    await expectSeen(agent.id, DEEDS);
  });
});
