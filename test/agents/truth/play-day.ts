/** Plays scenes with one agent, and judges what was shown, and what the simple rules would have shown. */
import { setTimeout as sleep } from "node:timers/promises";
import { NotTold } from "../lab-session.js";
import { Lab } from "../lab.js";
import { Actor, type Role } from "./actor.js";
import { judge, RIGHT, together, type Shown, type Verdict } from "./judge.js";
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
/** How often an agent is started anew after a scene that went wrong. */
const ENTRIES_MAX = 4;

/** In a terminal a failed turn is over like any other; only its text says more. */
const RIGHT_IN_TERMINAL: Readonly<Record<Truth, readonly string[]>> = {
  ...RIGHT,
  failed: [...RIGHT.failed, ...RIGHT.idle],
};

/** A scene of which nothing can be said, and why: that is no good day. */
export interface FailedScene {
  readonly scene: string;
  readonly why: string;
}

export interface DayResult {
  readonly role: Role;
  readonly shown: Verdict;
  readonly quiet: Verdict;
  /** Of what is in a terminal. */
  readonly spinner: Verdict | null;
  /** Which were played to their end, and for how long. */
  readonly played: Readonly<Record<string, number>>;
  readonly failed: readonly FailedScene[];
  /** What must never happen, and did. */
  readonly broken: readonly string[];
  /** Messages of the agent that its codec did not know: how often, by kind. */
  readonly unknownKinds: Readonly<Record<string, number>>;
  /** Its hooks that told something, with the fields of each. */
  readonly hooks: Readonly<Record<string, readonly string[]>>;
}

/** A scene did not come to its end: nothing is known of what was true in it. */
class SceneError extends Error {
  override readonly name = "SceneError";
}

interface Judged {
  readonly shown: Verdict;
  readonly quiet: Verdict;
  readonly spinner: Verdict;
}

export async function playDay(role: Role, scenes: readonly Scene[]): Promise<DayResult> {
  const lab = await Lab.open(role.agent ? [role.agent] : [], {
    ...(role.package ? { packages: [role.package] } : {}),
    ...(role.files ? { files: role.files } : {}),
  });
  try {
    return await new Day(role, lab).play(scenes);
  } finally {
    const left = await lab.close();
    if (left.length > 0) console.error(`left behind: ${left}`);
  }
}

class Day {
  private readonly failed: FailedScene[] = [];
  private readonly broken: string[] = [];
  private readonly played: Record<string, number> = {};
  private readonly hooks: Record<string, readonly string[]> = {};
  private judged: Judged;

  constructor(
    private readonly role: Role,
    private readonly lab: Lab,
  ) {
    const nothing = judge([], [], GRACE_MS);
    this.judged = { shown: nothing, quiet: nothing, spinner: nothing };
  }

  async play(scenes: readonly Scene[]): Promise<DayResult> {
    let rest = scenes;
    for (let entries = 0; rest.length > 0; entries += 1) {
      const why = entries === ENTRIES_MAX ? "too many before it went wrong" : await this.enterAndPlay(rest);
      if (typeof why === "string") {
        this.failed.push(...rest.map(({ name }) => ({ scene: name, why })));
        break;
      }
      rest = rest.slice(why);
    }
    const { role, failed, broken, played, hooks } = this;
    const { shown, quiet, spinner } = this.judged;
    const unknownKinds = this.lab.unknownKinds();
    const rules = { shown, quiet, spinner: role.terminal ? spinner : null };
    return { role, ...rules, played, failed, broken, unknownKinds, hooks };
  }

  /** How many scenes are done with, the last of them perhaps badly; or why the agent could not be played with at all. */
  private async enterAndPlay(scenes: readonly Scene[]): Promise<number | string> {
    let actor: Actor;
    try {
      actor = await Actor.enter(this.role, this.lab);
    } catch (error) {
      if (!(error instanceof NotTold)) throw error;
      console.error(error.message);
      return "it did not become ready";
    }
    const segments: Segment[] = [];
    let count = 0;
    try {
      for (const scene of scenes) {
        count += 1;
        if (!(await this.playOne(scene, actor, segments))) break;
      }
    } finally {
      this.judge(actor, segments);
      for (const [name, fields] of actor.hooks) this.hooks[name] = [...fields].sort();
      await actor.leave();
    }
    return count;
  }

  /** False: the agent is in no state to go on. */
  private async playOne(scene: Scene, actor: Actor, segments: Segment[]): Promise<boolean> {
    try {
      const played = await this.playScene(scene, actor);
      await actor.noteHooks();
      segments.push(...played);
      const tookMs = played.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
      if (tookMs > 0) this.played[scene.name] = tookMs;
      else this.failed.push({ scene: scene.name, why: "0 seconds measured" });
      return true;
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      console.error(error.message);
      this.failed.push({ scene: scene.name, why: firstLine(error.cause) });
      return false;
    }
  }

  private async playScene(scene: Scene, actor: Actor): Promise<readonly Segment[]> {
    const stage = {
      actor,
      model: this.lab.model.truth,
      signal: AbortSignal.timeout(SCENE_MAX_MS),
      cwd: this.lab.cwd,
      broken: (what: string) => this.broken.push(`${scene.name}: ${what}`),
    };
    try {
      const segments =
        scene.type === "terminal"
          ? await scene.play(stage)
          : await playPrompted(scene, { ...stage, id: this.lab.nextId() });
      return segments.map((segment) => ({ ...segment, scene: scene.name }));
    } catch (error) {
      const words = `${this.role.name}: the scene "${scene.name}" went wrong.\n${await actor.session.describe()}`;
      throw new SceneError(words, { cause: error });
    }
  }

  private judge(actor: Actor, segments: readonly Segment[]): void {
    const right = this.role.terminal ? RIGHT_IN_TERMINAL : RIGHT;
    const verdict = (shown: readonly Shown[]) => judge(segments, shown, GRACE_MS, right);
    const { shown, quiet, spinner } = this.judged;
    this.judged = {
      shown: together(shown, verdict(actor.shown())),
      quiet: together(quiet, verdict(quietRule(actor.outputsAtMs()))),
      spinner: together(spinner, verdict(spinnerRule(actor.screens()))),
    };
  }
}

type PromptedStage = Omit<Parameters<Extract<Scene, { type: "prompted" }>["act"]>[0], "mark">;

async function playPrompted(
  scene: Extract<Scene, { type: "prompted" }>,
  stage: PromptedStage,
): Promise<readonly Segment[]> {
  const { actor, model, id } = stage;
  const marks: Mark[] = [{ atMs: Date.now(), deed: "sent" }];
  actor.session.catchUp();
  await actor.send(`${scene.name}. [[id:${id}]] ${scene.prompt}`);
  await scene.act({ ...stage, mark: (deed) => marks.push({ atMs: Date.now(), deed }) });
  await sleep(REST_MS);
  const timeline = model.timeline(id);
  const { asks } = scene.expectation;
  const calledAtMs = timeline.find(({ what }) => what === "tool_call_sent")?.atMs;
  const askedAtMs = asks && calledAtMs !== undefined ? actor.askedAtMs(asks, calledAtMs) : null;
  if (askedAtMs !== null) marks.push({ atMs: askedAtMs, deed: "asked" });
  const segments = segmentsOf(marks, timeline, scene.expectation, Date.now());
  return restsWhenShown(segments, (fromMs) => actor.restedAtMs(fromMs));
}

function firstLine(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.split("\n")[0] ?? "";
}
