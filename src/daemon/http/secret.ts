/** Secrets of 256 bits, and their digests, which are all that is kept of most of them. */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 43 characters that may stand in a header, a cookie or a URL. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function isSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Takes as long whatever the difference is. */
export function isSameDigest(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
