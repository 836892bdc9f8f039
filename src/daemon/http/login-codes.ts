import type { Role } from "../../protocol/access.js";
import { digestOf, newSecret } from "./secret.js";

/** Long enough to come back from another room. */
const CODE_LIFE_MS = 3_600_000;
const CODES_MAX = 20;

/** Codes of links that sign a browser in: each works once, and not for long. */
export class LoginCodes {
  /** When each one expires, and what it gives; oldest first. */
  readonly #codes = new Map<string, { readonly expiresAtMs: number; readonly role: Role }>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  create(role: Role): string {
    const code = newSecret();
    this.#codes.set(digestOf(code), { expiresAtMs: this.#nowMs() + CODE_LIFE_MS, role });
    for (const oldest of this.#codes.keys()) {
      if (this.#codes.size <= CODES_MAX) break;
      this.#codes.delete(oldest);
    }
    return code;
  }

  /** The role that it gives, or null when it is no good; it is not any more. */
  take(code: string): Role | null {
    const digest = digestOf(code);
    const found = this.#codes.get(digest);
    this.#codes.delete(digest);
    return found && this.#nowMs() <= found.expiresAtMs ? found.role : null;
  }
}
