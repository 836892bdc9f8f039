import type { Body, Conversation } from "./conversation.js";
import type { Reply } from "./reply.js";

/** One event of a stream, as it goes out. */
export interface Frame {
  readonly event?: string;
  /** A text goes out as it is, everything else as JSON. */
  readonly data: unknown;
  /** A piece of what the model says: the script may slow the stream, stop it or cut it here. */
  readonly piece?: "think" | "text";
}

export interface Failure {
  readonly status: number;
  readonly message: string;
  /** Of a rate limit: when to try again. */
  readonly retryAfterS: number;
}

/** One provider's API: how a request is read, and how an answer is written. */
export interface Wire {
  readonly name: string;
  /** Whether requests to this path are for it. */
  readonly matches: (path: string) => boolean;
  readonly read: (body: Body, path: string) => Conversation;
  readonly whole: (reply: Reply) => unknown;
  readonly frames: (reply: Reply) => Iterable<Frame>;
  readonly failure: (failure: Failure) => {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

/** What every answer is said to have cost. */
export const TOKENS = { input: 1_200, cached: 800, output: 25 } as const;

/** Seconds since 1970; always the same, so that answers can be compared whole. */
export const CREATED_S = 1_700_000_000;

export const RATE_LIMITED = 429;
