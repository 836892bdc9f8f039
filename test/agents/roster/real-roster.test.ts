/** Who gets the message (004), with a real Claude Code and a real Codex that start, end and crash. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Lab } from "../lab.js";
import type { LabSession } from "../lab-session.js";
import { chosenAgents } from "../matrix/chosen-agents.js";

const chosen = chosenAgents(process.env["SIGNALBOX_AGENTS"]);
const isWanted = chosen.includes("claude") && chosen.includes("codex");

let lab: Lab;
beforeAll(async () => {
  if (isWanted) lab = await Lab.open(["claude", "codex"]);
}, 300_000);
afterAll(async () => {
  if (isWanted) expect(await lab.close()).toEqual([]);
});

async function begun(agent: "claude" | "codex"): Promise<LabSession> {
  const session = await lab.start(agent, `Say hello. [[text:${agent} is here]]`);
  await session.reaches("completed");
  return session;
}

/** Each session's place. */
async function places(...sessions: readonly LabSession[]): Promise<readonly (string | undefined)[]> {
  const { seats } = await lab.client.getRoster();
  return sessions.map(({ id }) => seats.find(({ sessionId }) => sessionId === id)?.status);
}

const EVENTUALLY = { timeout: 60_000 };

test.skipIf(!isWanted)(
  "messages follow Claude and Codex as they start, end and crash",
  async () => {
    const claude = await begun("claude");
    const codex = await begun("codex");
    expect(await places(claude, codex)).toEqual(["disconnected", "connected"]);

    // A person chooses; files become references, and the model of that agent hears them.
    await lab.client.connect({ sessionId: claude.id });
    expect(await places(claude, codex)).toEqual(["connected", "disconnected"]);
    const files = [{ path: "src/a.ts", startLine: 1, endLine: 5 }];
    const routed = await lab.client.routeMessage({ text: "Look. [[text:claude has looked]]", files });
    expect(routed.sessionId).toBe(claude.id);
    await claude.reaches("completed");
    expect(claude.text()).toContain("claude has looked");
    expect(JSON.stringify(lab.model.seen.at(-1)?.body)).toContain("@src/a.ts#L1-L5");

    // A named agent gets it without being connected.
    const named = await lab.client.routeMessage({ text: "You. [[text:codex it is]]", sessionId: codex.id });
    expect(named.sessionId).toBe(codex.id);
    await codex.reaches("completed");
    expect(codex.text()).toContain("codex it is");
    expect(await places(claude, codex)).toEqual(["connected", "disconnected"]);

    // It crashes: the other one is promoted and gets what comes next.
    process.kill(-(await claude.pid()), "SIGKILL");
    await claude.reaches("error");
    await expect.poll(() => places(claude, codex), EVENTUALLY).toEqual(["none", "connected"]);
    expect((await lab.client.routeMessage({ text: "Next. [[text:codex is next]]" })).sessionId).toBe(
      codex.id,
    );
    await codex.reaches("completed");
    await expect(lab.client.connect({ sessionId: claude.id })).rejects.toMatchObject({ status: 409 });

    // The last one ends in its own way: nobody is left, and a message says so.
    process.kill(-(await codex.pid()), "SIGTERM");
    await expect.poll(() => places(claude, codex), EVENTUALLY).toEqual(["none", "none"]);
    await expect(lab.client.routeMessage({ text: "anybody" })).rejects.toMatchObject({
      status: 409,
      code: "no_active_agent",
    });

    // Resumed is started again, and connected.
    await claude.send("Again. [[text:claude is back]]");
    await expect.poll(() => places(claude, codex), EVENTUALLY).toEqual(["connected", "none"]);
    await claude.reaches("completed");
    expect(claude.text()).toContain("claude is back");
  },
  240_000,
);
