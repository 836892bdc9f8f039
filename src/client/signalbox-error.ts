import type { FieldFlaw } from "../protocol/problem.js";

export interface ErrorFields {
  /** One of the API's codes; a newer daemon may have more of them. */
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldFlaw[];
}

/** The daemon answered, and the answer is no. */
export class SignalboxError extends Error {
  override readonly name = "SignalboxError";
  readonly code: string;
  /** Of the HTTP answer. */
  readonly status: number;
  readonly detail: string;
  /** What is wrong with which field of the input. */
  readonly errors: readonly FieldFlaw[];

  constructor({ code, status, detail, errors }: ErrorFields) {
    super(detail);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.errors = errors ?? [];
  }
}

/** There was no answer: nothing listens there, the connection broke, or it took too long. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly code = "unreachable";

  constructor(url: string, why: string, cause: unknown) {
    super(`cannot reach ${url}: ${why}`, { cause });
  }
}

/** The answer is not what this version of the API promises. */
export function protocolError(status: number, detail: string): SignalboxError {
  return new SignalboxError({ code: "protocol_error", status, detail });
}
