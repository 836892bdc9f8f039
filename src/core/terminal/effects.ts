/** What the terminal machine wants done: facts for the session, words for its asks, who has its seat, what is typed. */
import type { EVIDENCE } from "../roster/events.js";
import type { Json } from "../schema.js";
import type { Asked } from "./asked-prompt.js";
import type { Addressee } from "./program.js";
import type { ASK_FACTS } from "./state.js";

type Evidence = (typeof EVIDENCE)[number];

/** A fact for the session. */
export type TerminalFact =
  | { readonly type: "session_created"; readonly sessionId?: string }
  | { readonly type: "shell_ready" }
  | {
      readonly type: "agent_started";
      readonly name: string;
      readonly start: string;
      readonly sinceMs: number;
    }
  | { readonly type: "agent_ended"; readonly start: string }
  | {
      readonly type: "certainty_changed";
      readonly certainty: "known" | "unknown";
      readonly sinceMs: number;
    }
  | { readonly type: "screen_still"; readonly sinceMs: number }
  | { readonly type: "api_req_started" }
  | { readonly type: (typeof ASK_FACTS)[number]; readonly askId: string }
  | { readonly type: "ask:completion_result"; readonly askId: string }
  | { readonly type: "ask:api_req_failed"; readonly askId: string; readonly text?: string }
  | { readonly type: "ask_closed"; readonly askId: string }
  | { readonly type: "turn_interrupted" }
  | { readonly type: "retry_scheduled"; readonly attempt: number; readonly atMs: number }
  | { readonly type: "background_changed"; readonly count: number }
  | { readonly type: "tool_started"; readonly callId: string; readonly toolName: string }
  | { readonly type: "tool_finished"; readonly callId: string; readonly ok: boolean }
  | {
      readonly type: "delivery_failed";
      readonly run: number;
      readonly messageId: string;
      readonly error: string;
    };

export type TerminalEffect =
  | { readonly type: "tell"; readonly fact: TerminalFact }
  | {
      readonly type: "describe_ask";
      readonly askId: string;
      readonly title: string;
      readonly detail: string;
      readonly tool: Json;
    }
  /** Who has the session's seat; null: nobody, and what shows it. */
  | { readonly type: "seat"; readonly agent: string | null; readonly evidence: Evidence }
  | {
      readonly type: "type_message";
      /** Null: not a person's words, but the request to go on. */
      readonly messageId: string | null;
      readonly force: boolean;
      readonly addressee: Addressee;
    }
  /** Only while a prompt with this fingerprint is shown; null: while one is shown that asks what was `asked`. */
  | {
      readonly type: "type_choice";
      readonly askId: string;
      readonly decision: "approve" | "reject" | "reply";
      readonly fingerprint: string | null;
      readonly asked: Asked | null;
      readonly addressee: Addressee;
    }
  | { readonly type: "press_keys"; readonly keys: readonly string[] };

export type TerminalRefusalCode = "no_agent" | "prompt_open";
