/** The attack on version 0.1, replayed: an agent that reads the token, and one that talks to the keeper. No wall stands. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSignalbox } from "../cli/signalbox.js";
import { AcpLab, type LabAgent } from "./acp-lab.js";

const THIEF = new URL("../../dist/test/e2e/programs/thief.js", import.meta.url).pathname;

let lab: AcpLab;
beforeAll(async () => {
  lab = await AcpLab.open();
});
afterAll(() => lab.close());

/** The agent asks for something, and does this while the question is open. */
async function robbing(agent: LabAgent, more: object = {}) {
  await agent.does(
    { begin: "terminal/create", params: { command: "touch", args: ["stolen"] } },
    { hang: true },
  );
  const { askId } = await agent.asks();
  const program = [THIEF, lab.daemon.dataDir, agent.id, askId];
  writeFileSync(join(agent.project, "run-this"), JSON.stringify({ program, ...more }));
  const robbed = () => agent.answers().find((answer) => answer["method"] === "program");
  await expect.poll(robbed, { timeout: 30_000 }).toBeDefined();
  return robbed()?.["result"] as Readonly<Record<string, string>>;
}

test("an agent with the token cannot act as the person, and is seen", async () => {
  const agent = await lab.startAgent();
  const { client, dataDir } = lab.daemon;
  const results = await robbing(agent);
  expect(results).toEqual({
    approve: "403 agent_may_not",
    rule: "403 agent_may_not",
    auto: "403 agent_may_not",
    link: "403 agent_may_not",
    keeper: "failed invalid",
    rename: "200 done",
  });
  // Nothing of it was done.
  const session = await client.getSession(agent.id);
  expect([session.asks.length, session.autoApprove]).toEqual([1, false]);
  const rules = readFileSync(join(lab.folder, "config/signalbox/permissions.toml"), "utf8");
  expect(rules).not.toContain("Shell(*)");
  expect((await client.listDevices()).items).toEqual([]);
  // The person sees it in the session, and finds it in the audit under the agent's name.
  const thread = JSON.stringify(await client.getThread(agent.id));
  for (const deed of [
    "answer what it asks a person",
    "add a permission rule",
    "turn auto-approve on",
    "make a link that signs a browser in",
  ])
    expect(thread).toContain(`tried to ${deed}`);
  await expect
    .poll(async () => JSON.stringify(await client.getThread(agent.id)))
    .toContain("tried to talk to the keeper without its secret");
  const { items } = await client.listAudit();
  const own = items.filter(({ principal }) => principal.kind === "agent");
  expect(own.map(({ principal, operation }) => [principal.id, operation])).toEqual([
    [agent.id, "refused:answerAsk"],
    [agent.id, "refused:addRule"],
    [agent.id, "refused:patchSession"],
    [agent.id, "refused:createLoginLink"],
    expect.arrayContaining([agent.id]),
    expect.arrayContaining([agent.id]),
  ]);
  expect(own.map(({ operation }) => operation)).toEqual(expect.arrayContaining(["refused:keeper", "rename"]));
  const verified = await runSignalbox(["audit", "verify", "--data-dir", dataDir]);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^\d+ entries, none changed/)]);
  // The person may, all the same.
  await client.answerAsk(agent.id, session.asks[0]?.askId ?? "", { decision: "reject" });
  await client.interrupt(agent.id);
});

test("the keeper's command line does not tell the data folder", () => {
  const pid = readFileSync(join(lab.daemon.dataDir, "keeper.pid"), "utf8").trim();
  const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
  expect(line).toContain("keeper/main.js");
  expect(line).not.toContain(lab.daemon.dataDir);
});

test("it is a trip wire: what leaves its ancestors and their variables behind is not known again", async () => {
  const agent = await lab.startAgent();
  const results = await robbing(agent, { escape: true });
  expect([results["link"], results["keeper"]]).toEqual(["201 done", "failed invalid"]);
});
