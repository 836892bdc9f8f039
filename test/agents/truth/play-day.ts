/** Plays scenes with one agent, and judges what was shown, and what the simple rules would have shown. */
import { setTimeout as sleep } from "node:timers/promises";
import { NotTold } from "../lab-session.js";
import { Lab } from "../lab.js";
import { Actor, type Role } from "./actor.js";
import { judge, RIGHT, type Shown, type Verdict } from "./judge.js";
import type { Scene } from "./scenes.js";
import { restsWhenShown, segmentsOf, type Mark, type Segment, type Truth } from "./segments.js";
import { quietRule, spinnerRule } from "./simple-rules.js";

/**
 * For so long after the truth has changed, the state before may still be shown: the agent itself must notice what its
 * model said and tell it, and that must reach us over the keeper, the journal and the event stream.
 */
export const GRACE_MS = 500;

/** Between two prompts: longer than it takes to be thought idle. */
const REST_MS = 3_000;
const SCENE_MAX_MS = 60_000;

/** In a terminal a failed turn is over like any other; only its text says more. */
const RIGHT_IN_TERMINAL: Readonly<Record<Truth, readonly string[]>> = {
  ...RIGHT,
  failed: [...RIGHT.failed, ...RIGHT.idle],
};

export interface DayResult {
  readonly role: Role;
  readonly shown: Verdict;
  readonly quiet: Verdict;
  /** Of what is in a terminal. */
  readonly spinner: Verdict | null;
  /** Scenes that could not be played to their end, and those that would have come after. */
  readonly unplayed: readonly string[];
}

/** A scene did not come to its end: nothing is known of what was true in it, nor of what would follow. */
class SceneError extends Error {
  override readonly name = "SceneError";
}

export async function playDay(role: Role, scenes: readonly Scene[]): Promise<DayResult> {
  const lab = await Lab.open([role.agent]);
  try {
    const actor = await entered(role, lab);
    if (!actor) return neverPlayed(role, scenes);
    const segments: Segment[] = [];
    const unplayed = await playScenes(scenes, actor, lab, segments);
    const right = role.terminal ? RIGHT_IN_TERMINAL : RIGHT;
    const verdict = (shown: readonly Shown[]) => judge(segments, shown, GRACE_MS, right);
    const result = {
      role,
      shown: verdict(actor.shown()),
      quiet: verdict(quietRule(actor.outputsAtMs())),
      spinner: role.terminal ? verdict(spinnerRule(actor.screens())) : null,
      unplayed,
    };
    await actor.leave();
    return result;
  } finally {
    const left = await lab.close();
    if (left.length > 0) console.error(`left behind: ${left}`);
  }
}

/** Null: it did not become ready. */
async function entered(role: Role, lab: Lab): Promise<Actor | null> {
  try {
    return await Actor.enter(role, lab);
  } catch (error) {
    if (!(error instanceof NotTold)) throw error;
    console.error(error);
    return null;
  }
}

function neverPlayed(role: Role, scenes: readonly Scene[]): DayResult {
  const nothing = judge([], [], GRACE_MS);
  const unplayed = scenes.map(({ name }) => name);
  return { role, shown: nothing, quiet: nothing, spinner: role.terminal ? nothing : null, unplayed };
}

/** What was true is added to `segments`; gives the names of those that were not played. */
async function playScenes(
  scenes: readonly Scene[],
  actor: Actor,
  lab: Lab,
  segments: Segment[],
): Promise<readonly string[]> {
  for (const [index, scene] of scenes.entries()) {
    try {
      segments.push(...(await playScene(scene, actor, lab)));
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      console.error(error);
      return scenes.slice(index).map(({ name }) => name);
    }
  }
  return [];
}

async function playScene(scene: Scene, actor: Actor, lab: Lab): Promise<readonly Segment[]> {
  const id = lab.nextId();
  const marks: Mark[] = [{ atMs: Date.now(), deed: "sent" }];
  try {
    await actor.send(`${scene.name}. [[id:${id}]] ${scene.prompt}`);
    await scene.act({
      actor,
      id,
      model: lab.model.truth,
      signal: AbortSignal.timeout(SCENE_MAX_MS),
      mark: (deed) => marks.push({ atMs: Date.now(), deed }),
    });
  } catch (error) {
    const { name } = actor.role;
    const words = `${name}: the scene "${scene.name}" went wrong.\n${await actor.session.describe()}`;
    throw new SceneError(words, { cause: error });
  }
  await sleep(REST_MS);
  const timeline = lab.model.truth.timeline(id);
  const { asks } = scene.expectation;
  const calledAtMs = timeline.find(({ what }) => what === "tool_call_sent")?.atMs;
  const askedAtMs = asks && calledAtMs !== undefined ? actor.askedAtMs(asks, calledAtMs) : null;
  if (askedAtMs !== null) marks.push({ atMs: askedAtMs, deed: "asked" });
  const segments = segmentsOf(marks, timeline, scene.expectation, Date.now());
  const shown = restsWhenShown(segments, (fromMs) => actor.restedAtMs(fromMs));
  return shown.map((segment) => ({ ...segment, scene: scene.name }));
}
