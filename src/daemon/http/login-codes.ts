import { digestOf, newSecret } from "./secret.js";

/** Long enough to come back from another room. */
const CODE_LIFE_MS = 3_600_000;
const CODES_MAX = 20;

/** Codes of links that sign a browser in: each works once, and not for long. */
export class LoginCodes {
  /** When each one expires, oldest first. */
  readonly #expiries = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  create(): string {
    const code = newSecret();
    this.#expiries.set(digestOf(code), this.#nowMs() + CODE_LIFE_MS);
    for (const oldest of this.#expiries.keys()) {
      if (this.#expiries.size <= CODES_MAX) break;
      this.#expiries.delete(oldest);
    }
    return code;
  }

  /** Whether it was good; it is not any more. */
  take(code: string): boolean {
    const digest = digestOf(code);
    const expiresAtMs = this.#expiries.get(digest);
    this.#expiries.delete(digest);
    return expiresAtMs !== undefined && this.#nowMs() <= expiresAtMs;
  }
}
