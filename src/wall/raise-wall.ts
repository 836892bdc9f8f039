/** From a session to the command that runs its agent inside: look, compile, prepare, say it in the backend's words. */
import type { Rule } from "../core/index.js";
import type { WallPlan } from "../protocol/wall.js";
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
  /** Real home folder of the person. */
  readonly home: string;
}

export interface RaisedWall {
  readonly ok: true;
  /** To be journaled with the run. */
  readonly plan: WallPlan;
  /** For the keeper, in the place of the inner ones; the folder to start in stays the session's. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A plan that cannot be applied is a refusal, never a start without it. */
export function raiseWall(_request: WallRequest): Promise<RaisedWall | WallRefusal> {
  return Promise.resolve({ ok: false, code: "no_backend", reason: "Not built yet." });
}
