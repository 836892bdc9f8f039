/** The shape of a client, inferred from the API table: one method per call. */
import type { z } from "zod";
import type { API, CallName } from "../protocol/api.js";
import type { healthSchema } from "../protocol/api-schemas.js";
import type { EventItem, EventQuery } from "./event-item.js";
import type { FollowItem } from "./follow-session.js";

type Calls = typeof API;

/** The names after a colon, in the order of the path. */
type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? [Name, ...ParamNames<More>]
    : [Rest]
  : [];

type Params<Names extends readonly string[]> = { [K in keyof Names]: string };

type Input<Call> = Call extends { readonly body: infer Body extends z.ZodType }
  ? [z.output<Body>]
  : Call extends { readonly query: infer Query extends z.ZodType }
    ? [z.output<Query>]
    : [];

/** What can be left out entirely is an optional argument. */
type InputArguments<I extends readonly unknown[]> = I extends [infer Only]
  ? Partial<Only> extends Only
    ? [input?: Only]
    : [input: Only]
  : [];

type Output<Call> = Call extends { readonly response: infer Response extends z.ZodType }
  ? z.output<Response>
  : undefined;

/** First the parameters of the path, then the body or the query. */
export type CallArguments<N extends CallName> = [
  ...Params<ParamNames<Calls[N]["path"]>>,
  ...InputArguments<Input<Calls[N]>>,
];

export type CallResult<N extends CallName> = Output<Calls[N]>;

export type CallMethods = {
  readonly [N in CallName]: (...args: CallArguments<N>) => Promise<CallResult<N>>;
};

export type Health = z.output<typeof healthSchema>;

/** As much of `fetch` as is used here. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchAnswer>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  readonly redirect: "error";
  readonly cache: "no-store";
}

export interface FetchAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: Body | null;
  text(): Promise<string>;
}

interface Body {
  getReader(): BodyReader;
}

export interface BodyReader {
  /** Rejects when the connection broke. */
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Nobody reads on: a pending read ends. */
  cancel(): Promise<void>;
}

export interface ClientOptions {
  /** Where the daemon is: `http://127.0.0.1:4747`. Empty in a page that the daemon serves. */
  readonly url: string;
  /** A browser that was signed in has a cookie instead. */
  readonly token?: string;
  /** Whom the client acts for when that is no person: `mcp`, or `agent:ID`. It takes rights away. */
  readonly actingFor?: string;
  /** In place of the global one. */
  readonly fetch?: Fetch;
  /** How long an answer may take; 30 s when absent. */
  readonly timeoutMs?: number;
  /** How long the daemon may be away before `events` and `follow` give up with an `UnreachableError`; never, when absent. */
  readonly awayMaxMs?: number;
}

export interface Client extends CallMethods {
  /** The only call that needs no token. */
  health(): Promise<Health>;
  /**
   * What happens from now on, or after a position: each event once, in order, across lost connections. It ends when
   * `signal` is aborted, and throws a `SignalboxError` when the daemon refuses, or an `UnreachableError` after `awayMaxMs`.
   */
  events(query?: EventQuery): AsyncIterable<EventItem>;
  /** A session's summary, again whenever its status or asks change, and its events. A summary may be ahead of the events. */
  follow(sessionId: string, query?: Omit<EventQuery, "session">): AsyncIterable<FollowItem>;
}
