/** What the codec knows of one run: small and bounded, because it is kept with every commit. */
import type { Ending, Json } from "../../core/index.js";
import type { Usage } from "../../protocol/session.js";
import type { Offer } from "../kit/controls.js";

/** Bounds. Beyond them the oldest is forgotten, but for requests: those are answered no. */
export const REQUESTS_MAX = 128;
export const BLOCKS_MAX = 256;
export const SPEAKERS_MAX = 32;
/** Of all open requests together. An input that is more than that is not kept: Claude takes an approval without it. */
export const INPUTS_LENGTH_MAX = 256 * 1024;
/** What is said in a first turn; of more than that, the end is not kept. */
export const UNKEPT_LENGTH_MAX = 1024 * 1024;

/** How the turn ended, once Claude said so; it is told when the turn is over. */
export type Outcome =
  | { readonly type: "done"; readonly ending?: Ending }
  | { readonly type: "interrupted" }
  | {
      readonly type: "failed";
      readonly ask: "api_req_failed" | "invalid_model" | "payment_required_prompt";
      readonly text: string;
    }
  | { readonly type: "login_required"; readonly text: string };

/** A part of a message that is being written. */
export interface Block {
  readonly index: number;
  readonly type: "text" | "thinking" | "call";
  /** Of a call. */
  readonly callId: string | null;
}

/** The main conversation, or a subagent: each has its own stream, and writes one message at a time. */
export interface Speaker {
  /** The call that started the subagent; null: the main conversation. */
  readonly parent: string | null;
  /** Of a subagent; the main conversation has one for each turn. */
  readonly streamId: string | null;
  /** The message whose pieces came one by one: its whole text is not told again. */
  readonly messageId: string | null;
  /** What of it was told so far, while it is unfinished. */
  readonly blocks: readonly Block[];
}

/** What Claude waits for an answer to. The ask has the id of the request. */
export interface OpenRequest {
  readonly askId: string;
  readonly kind: "tool" | "question" | "elicitation";
  readonly callId: string | null;
  /** An approval gives it back; null: too long to keep. */
  readonly input: Json;
}

export interface ClaudeState {
  readonly run: number;
  readonly cwd: string;
  /** Which turn this is: names its stream. */
  readonly turn: number;
  readonly ready: boolean;
  /** It was started with nothing to do: being ready is being idle. */
  readonly idleWhenReady: boolean;
  readonly sessionId: string | null;
  /** What it was given before the end of its first turn: it may not have kept any of it. Null: it has kept all. */
  readonly unkept: readonly string[] | null;
  /** `awaiting`: it was given something and has not begun. */
  readonly activity: "idle" | "awaiting" | "running";
  /** It says by itself when it is idle. */
  readonly tellsStates: boolean;
  /** What was given to it last, and whether it said that this lies in its queue. */
  readonly delivery: { readonly uuid: string; readonly isQueued: boolean } | null;
  /** `again`: it came too early to stop what was just delivered. */
  readonly interrupt: "no" | "asked" | "again";
  readonly outcome: Outcome | null;
  /** The kind of error that its last message was, in Claude's words. */
  readonly failure: string | null;
  /** A request to the model was told and has not been answered. */
  readonly requesting: boolean;
  readonly background: number;
  readonly speakers: readonly Speaker[];
  /** How many subagents have spoken: names their streams. */
  readonly agents: number;
  readonly requests: readonly OpenRequest[];
  /** Asks that were answered, until their call goes on. */
  readonly answered: readonly {
    readonly askId: string;
    readonly callId: string;
    readonly rejected?: true;
  }[];
  /** Where calls run that do not run in the session's folder. */
  readonly elsewhere: readonly { readonly callId: string; readonly cwd: string }[];
  /** Of this process so far, as Claude counts it. */
  readonly used: Usage;
  /** How many requests of ours there were: names the next. */
  readonly sent: number;
  /** Absent: of a version that did not note it. */
  readonly offer?: Offer;
}

export function fromJson(json: Json): ClaudeState {
  // Only this codec writes it.
  return json as unknown as ClaudeState;
}

export function mainStreamId({ run, turn }: ClaudeState): string {
  return `run-${run}-turn-${turn}`;
}
