/**
 * Does what the workspace machine wants, one effect at a time, on the disk.
 *
 * Each may be done again after a crash, and then acts as if once. A failure that can be expected is a report, never an
 * exception; what a test throws at a crash point goes through.
 */
import type { WorkspaceEffect } from "../core/workspace/effects.js";
import type { WorkspaceEvent } from "../core/workspace/events.js";
import type { WorkspaceState } from "../core/workspace/state.js";
import { addWorkspace, adoptWorkspace } from "./add.js";
import { commitAll, integrate, undo } from "./integrate.js";
import { observe } from "./observe.js";
import { openRequest } from "./open-request.js";
import { advance, importCommits, publish } from "./original.js";
import { Hands, isThere, type Tools, type WorkspacePlace } from "./place.js";
import { release, removePartial, removeWorkspace } from "./remove.js";
import { runSetup } from "./setup.js";
import { StepError, stepErrorOf } from "./step-error.js";

/** Thrown by a crash point: nothing of ours catches it. */
export class Crash extends Error {
  override readonly name = "Crash";
}

/** What came of it; null: nothing is to be told. */
export async function perform(
  effect: WorkspaceEffect,
  state: WorkspaceState,
  place: WorkspacePlace,
  tools: Tools,
  stop: AbortSignal,
): Promise<WorkspaceEvent | null> {
  const hands = new Hands(place, tools);
  try {
    return await attempt(effect, state, hands, stop);
  } catch (error) {
    if (error instanceof Crash) throw error;
    const { code, message } = stepErrorOf(error);
    if ("op" in effect) return { type: "step_failed", op: effect.op, code, message };
    // Only a look has no number: it is taken again when somebody asks.
    if (effect.type === "observe") throw error;
    return null;
  }
}

async function attempt(
  effect: WorkspaceEffect,
  state: WorkspaceState,
  hands: Hands,
  stop: AbortSignal,
): Promise<WorkspaceEvent | null> {
  const { branch, base } = state;
  if (branch === null || base === null) throw new Error("a workspace without a place");
  switch (effect.type) {
    case "add_workspace":
      await addWorkspace(hands, effect);
      return { type: "added", op: effect.op };
    case "adopt_workspace":
      await adoptWorkspace(hands, effect);
      return { type: "added", op: effect.op };
    case "run_setup":
      return { type: "setup_ended", op: effect.op, code: await runSetup(hands, stop) };
    case "observe": {
      const observation = await observe(hands, base);
      return observation === null ? { type: "lost" } : { type: "observed", observation };
    }
    case "commit":
      return {
        type: "step_done",
        op: effect.op,
        head: await commitAll(needed(await isThere(hands), hands), branch, effect.message),
      };
    case "integrate": {
      const done = await integrate(needed(await isThere(hands), hands), branch, effect);
      return "head" in done
        ? { type: "step_done", op: effect.op, head: done.head }
        : { type: "conflict", op: effect.op, files: [...done.conflicts] };
    }
    case "import":
      await importCommits(needed(await isThere(hands), hands), branch, effect.head);
      return { type: "step_done", op: effect.op };
    case "advance":
      await advance(hands, effect);
      return { type: "step_done", op: effect.op };
    case "publish":
      await publish(hands, effect);
      return { type: "step_done", op: effect.op };
    case "open":
      return { type: "step_done", op: effect.op, url: await openRequest(hands, effect, base.branch) };
    case "undo":
      return {
        type: "step_done",
        op: effect.op,
        head: await undo(needed(await isThere(hands), hands), branch, effect),
      };
    case "remove_workspace":
      await removeWorkspace(hands, effect, base);
      return { type: "removed", op: effect.op };
    case "remove_partial":
      await removePartial(hands, effect, state.origin === "made");
      return { type: "removed", op: effect.op };
    case "release_workspace":
      await release(hands);
      return { type: "removed", op: effect.op };
    case "stop_setup":
    case "emit_workspace_changed":
      return null;
  }
}

/** Whatever lies there by now is not to be changed. */
function needed(there: boolean, hands: Hands): Hands {
  if (!there) throw new StepError("git_failed", `${hands.place.path} is not there any more.`);
  return hands;
}
