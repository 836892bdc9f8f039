/** Agents at a terminal, as a person starts and watches them there. */
import { expect } from "vitest";
import { TerminalPeer } from "../../e2e/terminal-peer.js";
import type { LabSession } from "../lab-session.js";
import type { Lab } from "../lab.js";
import { chosenAgents } from "../matrix/chosen-agents.js";
import type { AgentName } from "../packages.js";

/** Those of them that this run of the tests is for. */
export function chosenOf(wanted: readonly AgentName[]): readonly AgentName[] {
  const chosen = chosenAgents(process.env["SIGNALBOX_AGENTS"]);
  return wanted.filter((name) => chosen.includes(name));
}

export async function attach(lab: Lab, session: LabSession): Promise<TerminalPeer> {
  const { url, token } = lab.daemon.ready;
  const peer = await TerminalPeer.open(`${url}/v1/sessions/${session.id}/terminal`, {
    authorization: `Bearer ${token}`,
  });
  if (!(peer instanceof TerminalPeer)) throw new Error(peer.body);
  await peer.until(({ frames }) => frames.length === 2);
  return peer;
}

/** Which agent has the session's seat. */
export async function seatOf(lab: Lab, { id }: LabSession): Promise<string | null | undefined> {
  const { seats } = await lab.client.getRoster();
  return seats.find(({ sessionId }) => sessionId === id)?.agent;
}

/** Until it waits for a message. Codex asks, at first, how a folder that it does not trust is to be opened. */
export async function waits(agent: AgentName, session: LabSession): Promise<void> {
  if (agent === "codex") {
    await session.reaches("waiting_input");
    await session.send("Open restricted");
  }
  await session.reaches("completed");
}

/** A shell, and the agent that a person starts in it, until that waits for a message. */
export async function startByHand(
  lab: Lab,
  agent: AgentName,
  shell: readonly string[],
): Promise<{ readonly session: LabSession; readonly peer: TerminalPeer }> {
  const session = await lab.openSession("terminal", { args: [...shell] });
  await session.reaches("idle");
  expect(await seatOf(lab, session)).toBe(null);
  const peer = await attach(lab, session);
  peer.type(`${agent}\r`);
  await session.eventually(`${agent} in the seat`, async () => (await seatOf(lab, session)) === agent);
  await session.reaches("streaming");
  await waits(agent, session);
  return { session, peer };
}

/** Nobody may be left but the server that Codex leaves behind on purpose. */
export async function closeLab(lab: Lab): Promise<void> {
  expect((await lab.close()).filter((command) => !command.includes("app-server"))).toEqual([]);
}
