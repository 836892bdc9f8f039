/** What an agent cannot do, looked at again each time: should a newer version be able to, the cell fails and says so. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { stateOf } from "../lab-session.js";
import type { Stand } from "./capability.js";
import type { Cannot } from "./profiles.js";

const RECORDINGS = new URL("../recordings/", import.meta.url);
/** It would have woken by then. */
const SLEEP_MS = 5_000;

export async function showCannot(stand: Stand, { recording, shows }: Cannot): Promise<void> {
  const seen = shows === "never wakes" ? await sleeper(stand) : await offeredTools(stand, shows.lacks);
  const isOfTools = recording.endsWith("-tools.json");
  if (process.env["UPDATE"] === "1" && (isOfTools || shows === "never wakes")) await record(recording, seen);
  const kept: unknown = JSON.parse(await readFile(new URL(recording, RECORDINGS), "utf8"));
  if (isOfTools) expect(seen).toEqual(kept);
}

async function record(name: string, value: unknown): Promise<void> {
  await mkdir(RECORDINGS, { recursive: true });
  await writeFile(new URL(name, RECORDINGS), `${JSON.stringify(value, null, 2)}\n`);
}

/** By name, with the fields of their inputs. */
async function offeredTools(stand: Stand, lacks: readonly string[]): Promise<unknown> {
  await stand.started();
  const { tools = [] } = stand.lab.model.seen.findLast((request) => request.tools.length > 0) ?? {};
  const names = tools.map(({ name }) => name);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => lacks.includes(name))).toEqual([]);
  return Object.fromEntries(tools.map(({ name, schema }) => [name, Object.keys(schema.properties ?? {})]));
}

/** A command ends long after the turn, and neither the agent nor its model notices. */
async function sleeper(stand: Stand): Promise<unknown> {
  const id = stand.lab.nextId();
  const command = stand.profile.background(`sleep 3; touch ${stand.file("b")}`);
  const session = await stand.start(`In the background. [[id:${id}]] ${command} [[text:it goes on]]`);
  const { askId } = await session.asked();
  await session.approve(askId);
  await session.reaches("completed");
  await session.eventually("the end of the command", () => stand.has("b"));
  const endedAtMs = Date.now();
  await sleep(SLEEP_MS);
  const truth = stand.lab.model.truth.timeline(id);
  const startMs = truth[0]?.atMs ?? 0;
  expect(truth.filter(({ atMs }) => atMs > endedAtMs)).toEqual([]);
  expect((await session.read()).status).toBe("completed");
  const shown = session.told.flatMap((told) => {
    const change = stateOf(told);
    return change?.type === "state_changed" && change.from !== change.to
      ? [{ ms: told.atMs - startMs, status: change.to }]
      : [];
  });
  return {
    command: command.replaceAll(stand.lab.cwd, "."),
    model: truth.map(({ atMs, ...entry }) => ({ ms: atMs - startMs, ...entry })),
    shown,
    commandEndedMs: endedAtMs - startMs,
    lookedUntilMs: Date.now() - startMs,
  };
}
