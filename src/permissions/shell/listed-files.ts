/** Programs that are told in a list, or by what they read, which files they take: that may be any. */
import type { ShellWord } from "./shell-word.js";

const ZERO_ENDED = /^--files0-from/;

const LISTS: ReadonlyMap<string, RegExp> = new Map([
  ["7z", /^@/],
  ["7za", /^@/],
  ["aria2c", /^(?:-i|--input-file)/],
  ["bsdtar", /^(?:-[A-Za-z]*T|--files-from)/],
  ["cpio", /^(?:-[A-Za-z]*[op]|--create|--pass-through)/],
  ["du", ZERO_ENDED],
  ["file", /^(?:-[A-Za-z]*f|--files-from)/],
  ["find", /^-files0-from/],
  ["git", /^--pathspec-from-f/],
  ["rsync", /^--files-from/],
  ["sort", ZERO_ENDED],
  ["tar", /^(?:-[A-Za-z]*T|--files-from)/],
  ["wc", ZERO_ENDED],
  ["zip", /^-[A-Za-z]*@/],
]);

export function takesList(name: string, words: readonly ShellWord[]): boolean {
  const option = LISTS.get(name);
  if (!option) return false;
  const first = words[1]?.value ?? "";
  // `tar cTf` is how its options were written once.
  const isOldForm = name === "tar" && /^[A-Za-z]*T[A-Za-z]*$/.test(first);
  return isOldForm || words.slice(1).some(({ value }) => option.test(value));
}
