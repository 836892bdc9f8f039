import { randomBytes } from "node:crypto";

/** Without letters that look alike (Crockford's base 32), so that a person can read an id to another. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 12;

/** 60 bits: as good as unique, and short enough to type the beginning of. */
export function newId(): string {
  return [...randomBytes(LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
}
