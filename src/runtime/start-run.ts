import type { SessionEffect } from "../core/index.js";
import type { Call } from "./call.js";
import { spawnCalls } from "./effect-words.js";
import type { Harness } from "./harness.js";
import { LineFramer } from "./line-framer.js";
import type { LiveSession } from "./live-session.js";

export type SpawnEffect = Extract<SessionEffect, { readonly type: "spawn_harness" }>;

/** What starts a run, and what is known of it before its first byte. A new conversation has no grants. */
export function startRun(
  effect: SpawnEffect,
  harness: Harness,
  { state, settings, grants, codec }: LiveSession,
  texts: ReadonlyMap<string, string>,
): { readonly calls: readonly Call[]; readonly live: Partial<LiveSession> } {
  const { run, messageId } = effect;
  const prompt = messageId === undefined ? null : { messageId, text: texts.get(messageId) ?? "" };
  const resume = effect.resume ? state.harnessSessionId : null;
  const continues = state.onReady !== null;
  const before = resume === null ? {} : { before: codec };
  const started = harness.start({ run, settings, resume, prompt, continues, ...before });
  return {
    calls: spawnCalls(run, resume, prompt, started.input),
    live: {
      run,
      codec: started.state,
      outOffset: 0,
      hooksOffset: 0,
      framer: new LineFramer(0, false),
      grants: effect.resume ? grants : [],
    },
  };
}
