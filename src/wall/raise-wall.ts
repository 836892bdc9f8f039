/** From a session to the command that runs its agent inside: look, compile, prepare, say it in the backend's words. */
import type { Rule } from "../core/index.js";
import type { WallPlan } from "../protocol/wall.js";
import { bubblewrapCommand, wallEnvironment, type Bubblewrap } from "./bubblewrap.js";
import { compileWall, type CompiledWall } from "./compile.js";
import { lookAtMachine } from "./look-at-machine.js";
import { emptyFileIn, isAllThere, prepareWall } from "./prepare-wall.js";
import type { RecentMasks } from "./recent-masks.js";
import type { WallRefusal, WallSession } from "./wall-input.js";

/** What a harness wants to be run: see `LaunchSpec`. */
export interface InnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment that it would have without a wall. */
  readonly env: Readonly<Record<string, string>>;
}

export interface WallRequest {
  readonly rules: readonly Rule[];
  readonly session: WallSession;
  readonly inner: InnerCommand;
  /** The person's. */
  readonly home: string;
  readonly recent?: RecentMasks;
}

export interface RaisedWall {
  readonly ok: true;
  /** To be journaled with the run, and given to `releaseWall` when it has ended. */
  readonly plan: WallPlan;
  /** For the keeper, in the place of the inner ones; the folder to start in stays the session's. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The plan alone, to be shown: nothing is made and nothing is run. */
export async function planWall({ inner, ...request }: WallRequest): Promise<CompiledWall> {
  const { rules, session } = request;
  const looked = await lookAtMachine({ ...request, environment: inner.env });
  return looked.ok ? compileWall({ rules, session, machine: looked.machine }) : looked;
}

/** A plan that cannot be applied is a refusal, never a start without it. */
export async function raiseWall(
  request: WallRequest,
  backend: Bubblewrap,
): Promise<RaisedWall | WallRefusal> {
  const compiled = await planWall(request);
  if (!compiled.ok) return compiled;
  const { inner, session } = request;
  return applyWall(compiled.plan, inner, { backend, dataDir: session.dataDir });
}

/**
 * One more command behind the wall of a run, by the plan that the run has. Null: what the plan names is not all there any
 * more, so that it takes a new one.
 */
export async function raiseAgain(
  plan: WallPlan,
  inner: InnerCommand,
  where: { readonly backend: Bubblewrap; readonly dataDir: string },
): Promise<RaisedWall | WallRefusal | null> {
  return (await isAllThere(plan)) ? applyWall(plan, inner, where) : null;
}

async function applyWall(
  plan: WallPlan,
  inner: InnerCommand,
  { backend, dataDir }: { readonly backend: Bubblewrap; readonly dataDir: string },
): Promise<RaisedWall | WallRefusal> {
  try {
    const [emptyFile] = await Promise.all([emptyFileIn(dataDir), prepareWall(plan)]);
    const walled = bubblewrapCommand(plan, inner, { backend, emptyFile });
    return { ok: true, plan, ...walled, env: wallEnvironment(plan, inner.env) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, code: "not_applicable", reason: `The wall could not be prepared: ${why}` };
  }
}
