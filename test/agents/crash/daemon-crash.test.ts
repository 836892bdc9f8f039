/** The daemon is killed while real agents wait for an approval; the next daemon finds them, and the approval works. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isAlive } from "../../reliability/is-alive.js";
import { Lab } from "../lab.js";
import { chosenAgents } from "../matrix/chosen-agents.js";
import type { AgentName } from "../packages.js";

const WANTED: readonly AgentName[] = ["claude", "codex", "opencode"];
const agents = WANTED.filter((name) => chosenAgents(process.env["SIGNALBOX_AGENTS"]).includes(name));

let lab: Lab;
beforeAll(async () => {
  lab = await Lab.open(agents);
}, 300_000);
afterAll(async () => {
  expect(await lab.close()).toEqual([]);
});

async function waiting(agent: AgentName) {
  const file = join(lab.cwd, `${agent}-approved`);
  const session = await lab.start(agent, `Run it. [[shell:touch ${file}]] [[text:it ran]]`);
  const ask = await session.asked();
  const { run } = await session.read();
  return { file, session, ask, run, pid: await session.pid() };
}

test.skipIf(agents.length === 0)(
  "kill -9 while they wait, and the approvals still work",
  async () => {
    const all = [];
    for (const agent of agents) all.push(await waiting(agent));
    await lab.crashAndRestart();
    for (const { session, ask, pid, run } of all) {
      const shown = await session.read();
      expect({ ...shown, asks: shown.asks.map(({ askId }) => askId) }).toMatchObject({
        status: "waiting_approval",
        asks: [ask.askId],
        run,
      });
      expect(await session.pid()).toBe(pid);
      expect(isAlive(pid)).toBe(true);
    }
    for (const { session, ask } of all) await session.approve(ask.askId);
    for (const { session, file, run } of all) {
      await session.reaches("completed");
      expect(session.text()).toContain("it ran");
      await access(file);
      expect((await session.read()).run).toBe(run);
    }
  },
  300_000,
);
