/** What the session machine wants done, as data. Drivers do it, at least once, and report facts. */
import type { Ending, Phase, SessionError, Status } from "./state.js";

export type RefusalCode =
  "state_transition_invalid" | "ask_stale" | "ask_ambiguous" | "queue_full" | "no_agent";

export type Scope = "once" | "session" | "project" | "always";

/** Why a person is to look. */
export type NotifyReason = "approval" | "question" | "agent_gone" | "unknown_screen";

export interface StateChanged {
  readonly type: "emit_state_changed";
  readonly from: Status;
  readonly to: Status;
  readonly fromPhase: Phase | null;
  readonly toPhase: Phase | null;
  /** The event's type, `interrupted_by_user` or `shell_exited`. */
  readonly reason: string;
  /** At the end of a turn: how it ended, and how much goes on in the background. */
  readonly ending?: Ending;
  readonly background?: number;
  readonly streamId?: string;
}

export interface SessionErrorEmitted {
  readonly type: "emit_session_error";
  readonly code: SessionError["code"] | RefusalCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly source: SessionError["source"];
  readonly streamId?: string;
}

export interface AnswerAsk {
  readonly type: "answer_ask";
  readonly run: number;
  readonly askId: string;
  readonly decision: "approve" | "reject" | "reply";
  readonly by: "user" | "rule" | "wall" | "auto";
  readonly scope?: Scope;
  readonly messageId?: string;
}

/** To the driver of the proxy that holds the connections; the agent is told nothing. */
export interface AnswerWall {
  readonly type: "answer_wall";
  readonly run: number;
  readonly askId: string;
  readonly decision: "approve" | "reject";
  /** `rule`: there were too many. */
  readonly by: "user" | "rule";
  readonly scope?: Scope;
  readonly messageId?: string;
}

/** What acts on the world; always after what is emitted in the same step. */
export type SessionAct =
  | {
      readonly type: "spawn_harness";
      readonly run: number;
      readonly resume: boolean;
      readonly messageId?: string;
    }
  | { readonly type: "stop_harness"; readonly run: number }
  | { readonly type: "interrupt_run"; readonly run: number }
  | {
      readonly type: "deliver_message";
      readonly run: number;
      readonly messageId: string;
      readonly force?: true;
    }
  | {
      readonly type: "return_messages";
      readonly messageIds: readonly string[];
      readonly reason: "agent_gone";
    }
  | AnswerAsk
  | AnswerWall
  | { readonly type: "continue_run"; readonly run: number; readonly why: "resume" | "retry" }
  | { readonly type: "check_permission"; readonly askId: string }
  | { readonly type: "void_asks"; readonly askIds: readonly string[]; readonly reason: string }
  | {
      readonly type: "start_timer";
      readonly timerId: string;
      readonly timer: "ready" | "settle" | "interrupt" | "idle" | "checkpoint";
      readonly delayMs: number;
    }
  | { readonly type: "cancel_timer"; readonly timerId: string }
  /** Answered with `rest_checked`. */
  | { readonly type: "check_rest"; readonly run: number; readonly timerId: string }
  /** Answered with `say:checkpoint_saved` or `checkpoint_failed` of the same turn. */
  | { readonly type: "checkpoint"; readonly turn: number }
  | { readonly type: "notify"; readonly reason: NotifyReason };

export type SessionEffect = SessionErrorEmitted | StateChanged | SessionAct;
