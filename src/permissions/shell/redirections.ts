/** The files that redirections open. */
import { posix } from "node:path";
import type { Redirect } from "unbash";
import { readWord, type ShellWord } from "./shell-word.js";

export type RedirectedFile =
  /** Nothing is opened that a rule could be about. */
  | { readonly type: "none" }
  | { readonly type: "hidden"; readonly reason: string }
  | { readonly type: "files"; readonly categories: readonly ("Read" | "Write")[]; readonly word: ShellWord };

/** Devices that keep and tell nothing. */
export const HARMLESS_DEVICE = /^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d+)$/;

/** Names under which a program finds what it reads. */
const INPUT = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|thread-self|\d+)(?:\/task\/\d+)?\/fd\/\d+)$/;

export function isInputName(path: string): boolean {
  return path.startsWith("/") && INPUT.test(posix.normalize(path));
}

const NONE: RedirectedFile = { type: "none" };

export function redirectedFile({ operator, target }: Redirect): RedirectedFile {
  if (!target) return { type: "hidden", reason: "a redirection names no file" };
  if (target.parts?.length === 1 && target.parts[0]?.type === "ProcessSubstitution") return NONE;
  const [word, ...more] = readWord(target);
  if (!word || more.length > 0) return { type: "hidden", reason: "a redirection names several files" };
  const isCopy = operator === ">&" || operator === "<&";
  if (isCopy && !word.unknown && /^(?:\d+-?|-)$/.test(word.value)) return NONE;
  if (!word.exact) return { type: "hidden", reason: `the file of a redirection is computed: ${word.value}` };
  if (HARMLESS_DEVICE.test(word.path)) return NONE;
  if (/^\/+dev\/+(?:tcp|udp)\//.test(word.path))
    return { type: "hidden", reason: `${word.value} opens a connection` };
  return { type: "files", categories: CATEGORIES[operator], word };
}

const CATEGORIES: Readonly<Record<Redirect["operator"], readonly ("Read" | "Write")[]>> = {
  ">": ["Write"],
  ">>": ["Write"],
  ">|": ["Write"],
  ">&": ["Write"],
  "&>": ["Write"],
  "&>>": ["Write"],
  "<": ["Read"],
  "<&": ["Read"],
  "<>": ["Read", "Write"],
};
