/** What a turn wants done. The driver does it and reports what became of it. */
import type { Json } from "../schema.js";

/** A new line of the conversation; the driver keeps them in this order. */
export type Entry =
  /** `content` is absent only when the machine was started with a queued id: the driver knows the message by it. */
  | { readonly type: "user_message"; readonly messageId: string; readonly content?: string }
  | { readonly type: "text"; readonly content: string }
  | { readonly type: "tool_call"; readonly id: string; readonly name: string; readonly input: Json }
  | {
      readonly type: "tool_result";
      readonly toolUseId: string;
      readonly content: string;
      readonly isError: boolean;
      readonly remote: boolean;
      readonly contentLength?: number;
    }
  /** For the person, not for the model. */
  | {
      readonly type: "out_of_band";
      readonly name: "System";
      readonly command: string;
      readonly content: string;
    }
  /** For the model, not for the person. */
  | { readonly type: "system_context"; readonly content: string }
  | {
      readonly type: "skill_invocation";
      readonly name: string;
      readonly arguments?: string;
      readonly content: string;
    };

export type ExitAction =
  | { readonly type: "execute"; readonly command: string }
  | { readonly type: "insert"; readonly command: string }
  | { readonly type: "cancel" };

export type TurnEffect =
  | { readonly type: "start_stream"; readonly streamId: number; readonly sessionId: string | null }
  | { readonly type: "abort_stream"; readonly streamId: number }
  | {
      readonly type: "check_permission";
      readonly toolId: string;
      readonly name: string;
      readonly input: Json;
    }
  | { readonly type: "execute_tool"; readonly toolId: string; readonly name: string; readonly input: Json }
  /** Always followed by a `tool_execution_done`, which a resolved tool ignores. */
  | { readonly type: "abort_tool"; readonly toolId: string }
  | { readonly type: "append"; readonly entry: Entry }
  | { readonly type: "persist" }
  | {
      readonly type: "write_permission_rule";
      readonly target: "project" | "global";
      readonly toolId: string;
      readonly disposition: "allow";
    }
  | { readonly type: "cache_session_grant"; readonly toolId: string }
  | { readonly type: "archive_session" }
  | {
      readonly type: "schedule_timeout";
      readonly timeoutId: number;
      readonly delayMs: number;
      readonly kind: "confirmation";
    }
  | {
      readonly type: "schedule_timeout";
      readonly timeoutId: number;
      readonly delayMs: number;
      readonly kind: "tool_execution";
      readonly toolId: string;
    }
  | { readonly type: "load_skill"; readonly name: string; readonly arguments?: string }
  | { readonly type: "return_queued"; readonly messageIds: readonly string[] }
  | { readonly type: "turn_ended" }
  | { readonly type: "exit_app"; readonly action: ExitAction };

export type TurnRefusalCode = "state_transition_invalid" | "queue_full";
