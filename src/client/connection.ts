/** One request and its answer. */
import { ACTING_FOR_HEADER } from "../protocol/acting-for.js";
import type { FieldFlaw } from "../protocol/problem.js";
import type { ClientOptions, Fetch, FetchAnswer } from "./client.js";
import { protocolError, SignalboxError, UnreachableError } from "./signalbox-error.js";

const TIMEOUT_MS = 30_000;
const JSON_HEADERS = { "content-type": "application/json" };

export class Connection {
  private readonly url: string;
  private readonly fetch: Fetch;
  private readonly timeoutMs: number;

  constructor(private readonly options: ClientOptions) {
    if (!/^(https?:\/\/|\/|$)/.test(options.url))
      throw new TypeError(`not a URL of a daemon: ${options.url}`);
    this.url = options.url.replace(/\/+$/, "");
    // Called as a plain function: a browser's `fetch` wants no other `this`.
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /** Throws when the daemon has been away for longer than whoever reads its events wants to wait. */
  checkAway(awayMs: number): void {
    const { awayMaxMs } = this.options;
    if (awayMaxMs === undefined || awayMs < awayMaxMs) return;
    throw new UnreachableError(this.url, `it went away and was not back within ${awayMaxMs / 1_000} s`, null);
  }

  /** The answer's JSON, or undefined when there is none. */
  async call(method: string, path: string, input: object | undefined): Promise<unknown> {
    const asQuery = method === "GET" || method === "DELETE";
    const signal = AbortSignal.timeout(this.timeoutMs);
    const response = asQuery
      ? await this.open(method, `${path}${queryString(input)}`, {}, signal)
      : await this.open(method, path, JSON_HEADERS, signal, JSON.stringify(input ?? {}));
    const text = await this.reading(response.text());
    if (!response.ok) throw refusal(response.status, text);
    return text === "" ? undefined : parseJson(response.status, text);
  }

  /** The answer as soon as it begins; its body may still be coming. */
  open(
    method: string,
    path: string,
    extraHeaders: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body?: string,
  ): Promise<FetchAnswer> {
    const { token, actingFor } = this.options;
    const headers = {
      ...(actingFor === undefined ? {} : { [ACTING_FOR_HEADER]: actingFor }),
      ...extraHeaders,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    // A redirect would carry the token to a place that nobody named.
    const init = { method, headers, signal, redirect: "error", cache: "no-store" } as const;
    return this.reading(this.fetch(`${this.url}${path}`, body === undefined ? init : { ...init, body }));
  }

  private async reading<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw new UnreachableError(this.url, this.describe(error), error);
    }
  }

  private describe(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    if (error.name === "TimeoutError") return `no answer within ${this.timeoutMs} ms`;
    // Node's `fetch` says only that it failed, and why in the cause.
    const reason = error.cause instanceof Error ? error.cause : error;
    return "code" in reason && typeof reason.code === "string" ? reason.code : reason.message;
  }
}

/** The error that an answer's body describes: a problem document, if it is one of ours. */
export function refusal(status: number, text: string): SignalboxError {
  const problem = parseProblem(text);
  return new SignalboxError({
    status,
    code: typeof problem["code"] === "string" ? problem["code"] : "protocol_error",
    detail: typeof problem["detail"] === "string" ? problem["detail"] : `HTTP status ${status}`,
    errors: Array.isArray(problem["errors"]) ? problem["errors"].filter(isFlaw) : [],
  });
}

function parseProblem(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A proxy's page, perhaps: the status says enough.
    return {};
  }
}

function isFlaw(value: unknown): value is FieldFlaw {
  return (
    typeof value === "object" &&
    value !== null &&
    "path" in value &&
    typeof value.path === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}

function parseJson(status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw protocolError(status, "the answer is not JSON");
  }
}

/** With its question mark; empty when nothing is asked. */
export function queryString(fields: object | undefined): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}
