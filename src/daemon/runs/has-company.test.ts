import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { listProcesses, type ProcessEntry } from "../../keeper/process-table.js";
import { hasCompany } from "./has-company.js";

const AGENT: ProcessEntry = {
  pid: 100,
  name: "agent",
  parent: 50,
  zombie: false,
  stopped: false,
  group: 100,
  session: 100,
  terminalDevice: 0,
  foregroundGroup: -1,
  startTicks: 1_000,
};
const KEEPER: ProcessEntry = { ...AGENT, pid: 50, parent: 1, group: 50, session: 50, startTicks: 10 };
const SERVER: ProcessEntry = { ...AGENT, pid: 200, parent: 100, startTicks: 9_000 };

test("who began with the agent is a part of it; who began later is not", () => {
  expect(hasCompany(100, [KEEPER, AGENT])).toBe(false);
  expect(hasCompany(100, [KEEPER, AGENT, { ...SERVER, startTicks: 1_050 }])).toBe(false);
  expect(hasCompany(100, [KEEPER, AGENT, SERVER])).toBe(true);
});

test("it is found by its group, by its session and by its parents, and only while it lives", () => {
  const left = { ...SERVER, parent: 1, session: 7 };
  expect(hasCompany(100, [KEEPER, AGENT, left])).toBe(true);
  expect(hasCompany(100, [KEEPER, AGENT, { ...left, group: 7, session: 100 }])).toBe(true);
  const shell = { ...SERVER, pid: 150, group: 150, session: 150, startTicks: 1_001 };
  const child = { ...SERVER, parent: 150, group: 150, session: 150 };
  expect(hasCompany(100, [KEEPER, AGENT, shell, child])).toBe(true);
  expect(hasCompany(100, [KEEPER, AGENT, { ...SERVER, zombie: true }])).toBe(false);
  expect(hasCompany(100, [KEEPER, AGENT, { ...SERVER, parent: 50, group: 7, session: 7 }])).toBe(false);
});

test("the wall's way to the network is a part of it, with all its connections", () => {
  const forwarder = { ...SERVER, name: "socat", pid: 150, parent: 120, group: 150, session: 150 };
  const begun = { ...forwarder, startTicks: 1_001 };
  const init = { ...SERVER, pid: 120, startTicks: 1_000 };
  const connection = { ...forwarder, pid: 151, parent: 150 };
  expect(hasCompany(100, [KEEPER, AGENT, init, begun, connection])).toBe(false);
  expect(hasCompany(100, [KEEPER, AGENT, init, forwarder])).toBe(true);
});

test("where nobody can tell, it is not said to be alone", () => {
  expect([hasCompany(null, [AGENT]), hasCompany(100, []), hasCompany(100, [KEEPER])]).toEqual([
    true,
    true,
    true,
  ]);
});

test.runIf(process.platform === "linux")("a real agent, and what it leaves running", async () => {
  const agent = spawn("sh", ["-c", "echo up; sleep 2.5; sleep 60 & echo more; wait"], { detached: true });
  try {
    const lines = createInterface({ input: agent.stdout });
    await once(lines, "line");
    expect(hasCompany(agent.pid ?? null, listProcesses())).toBe(false);
    await once(lines, "line");
    expect(hasCompany(agent.pid ?? null, listProcesses())).toBe(true);
  } finally {
    process.kill(-(agent.pid ?? 0), "SIGKILL");
  }
});
