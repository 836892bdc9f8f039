/** Effects in their final form, as the outbox keeps them: what a driver can do without knowing the agent's language. */

import type { Json, NotifyReason } from "../core/index.js";
import type { Query } from "./query.js";
import type { Typing } from "./terminal-observation.js";

/** What becomes of an effect that could not be done: the fact that says so. */
export type FailureNote =
  | { readonly type: "delivery_failed"; readonly run: number; readonly messageId: string }
  | {
      readonly type: "effect_failed";
      readonly run: number;
      readonly effect: {
        readonly type: string;
        readonly run?: number;
        readonly askId?: string;
        readonly messageId?: string;
      };
      /** What it was, for a person. */
      readonly what?: string;
    }
  /** Nobody waits for it. */
  | { readonly type: "none" };

export type Call =
  | {
      readonly type: "spawn";
      readonly run: number;
      readonly resume: string | null;
      readonly prompt: string | null;
    }
  | { readonly type: "stop"; readonly run: number }
  /** Final bytes for the agent's stdin. */
  | { readonly type: "write"; readonly run: number; readonly data: string; readonly onFailure: FailureNote }
  /** Into its terminal, step by step, with the screen watched. */
  | {
      readonly type: "typing";
      readonly run: number;
      readonly typing: Typing;
      readonly onFailure: FailureNote;
    }
  | { readonly type: "query"; readonly run: number; readonly queryId: string; readonly query: Query }
  | { readonly type: "signal"; readonly run: number; readonly signal: "SIGINT" | "SIGTERM" }
  | { readonly type: "check_permission"; readonly run: number; readonly askId: string }
  /** Whether anything but the agent lives in its run. */
  | { readonly type: "check_rest"; readonly run: number; readonly timerId: string }
  /** The files as they are now are kept: at the end of a turn, which waits for it, or before one begins. */
  | { readonly type: "checkpoint"; readonly turn: number; readonly at: "start" | "end" }
  /** A person's answer holds for more than once: for calls like this one, as far as `scope` goes. */
  | {
      readonly type: "grant";
      readonly scope: "session" | "project" | "always";
      readonly tool: Json;
      /** Absent: the agent asked. */
      readonly source?: "wall";
    }
  /** To whoever holds connections of the run to a host. `because`: for the agent to read, when it is refused. */
  | {
      readonly type: "answer_wall";
      readonly run: number;
      readonly askId: string;
      readonly allow: boolean;
      readonly because: string;
    }
  | { readonly type: "notify"; readonly reason: NotifyReason };
