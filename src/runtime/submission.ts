/** What a person or a client can ask of the runtime, and how it answers. */
import type { Approve } from "../core/index.js";
import type { Scope } from "../core/session/effects.js";
import type { AgentCommand } from "../protocol/agent-wire.js";
import type { ControlWish } from "../protocol/controls.js";
import type { ErrorCode } from "../protocol/problem.js";
import type { MessageStatus } from "../protocol/state-event.js";
import type { SessionSettings } from "./session-record.js";

export interface MessageRequest {
  readonly type: "send_message";
  readonly text: string;
  /** Refused while a question waits for a person's answer. */
  readonly unlessAsked?: boolean;
  /** Refused unless it answers this question. */
  readonly askId?: string;
  /** Also into a screen that nobody understands. */
  readonly force?: boolean;
}

/** A message that came back goes, as a new one, to whoever is there now. */
export interface ResendRequest {
  readonly type: "resend_message";
  readonly messageId: string;
  readonly unlessAsked?: boolean;
  readonly askId?: string;
  readonly force?: boolean;
}

/** Requests to one session. Texts are given ids here; the machine sees only the ids. */
export type PersonRequest =
  | {
      readonly type: "start_session";
      readonly text?: string;
      readonly approve?: Approve;
      readonly idleAfterMs?: number;
      readonly checkpoints?: boolean;
    }
  | MessageRequest
  | ResendRequest
  /** A message that came back is not wanted any more. */
  | { readonly type: "drop_message"; readonly messageId: string }
  | { readonly type: "approve_action"; readonly askId?: string; readonly scope?: Scope }
  | { readonly type: "reject_action"; readonly askId?: string; readonly text?: string }
  | { readonly type: "interrupt" }
  | { readonly type: "cancel_session" }
  | { readonly type: "resume_session" }
  | { readonly type: "retry" }
  | { readonly type: "set_approve"; readonly approve: Approve };

export type Submission =
  /** A new session, started at once. */
  | {
      readonly type: "create";
      readonly settings: SessionSettings;
      readonly text: string | null;
      readonly approve: Approve;
      /** Absent: its agent is never ended for being idle. */
      readonly idleAfterMs?: number;
      /** Absent: its files are not kept. */
      readonly checkpoints?: boolean;
    }
  | { readonly type: "request"; readonly sessionId: string; readonly request: PersonRequest }
  /** Beside the conversation: what only an agent with commands understands. */
  | { readonly type: "command"; readonly sessionId: string; readonly command: AgentCommand }
  /** Its model, mode or effort is to be another. */
  | { readonly type: "control"; readonly sessionId: string; readonly wish: ControlWish }
  | { readonly type: "rename"; readonly sessionId: string; readonly title: string }
  /** Ends its agent and deletes all that is kept of it. */
  | { readonly type: "remove"; readonly sessionId: string }
  | { readonly type: "connect"; readonly sessionId: string }
  /** To the named session's agent, or to the connected one; `fallback`: to that one too when no agent runs in the named. */
  | {
      readonly type: "route";
      readonly sessionId: string | null;
      readonly text: string;
      readonly fallback?: boolean;
    };

/** Makes a submission idempotent: kept in the same transaction as what it did. */
export interface ReceiptDraft {
  readonly clientId: string;
  readonly fingerprint: string;
}

export interface Submitted {
  readonly sessionId: string;
  readonly messageId?: string;
  readonly messageStatus?: MessageStatus;
}

export interface Refused {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
  /** The journal cannot be written now; nothing was changed. */
  readonly unavailable?: true;
}

/** Plain JSON: a repeated request gets the first one's answer from its receipt. */
export type Answer = { readonly ok: true; readonly value: Submitted } | Refused;
