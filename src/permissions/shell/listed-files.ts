/** Programs that are told in a list, or by what they read, which files they take: that may be any. */
import type { ShellWord } from "./shell-word.js";

const ZERO_ENDED = /^--fil/;
/** Options in a file. */
const RESPONSE = /^@/;

/** Long names may be shortened. */
const LISTS: ReadonlyMap<string, RegExp> = new Map<string, RegExp>([
  ["7z", /^@/],
  ["7za", /^@/],
  ["aria2c", /^(?:-i|--input-file)/],
  ["cpio", /^(?:-[A-Za-z]*[op]|--cr|--pa)/],
  ["du", /^--f/],
  ["file", /^(?:-[A-Za-z]*f|--f)/],
  ["find", /^-files0-from/],
  ["git", /^--(?:pathspec-from-f|batch(?:$|=|-com)|stdin-p)/],
  ["rsync", /^--files-from/],
  ["sort", ZERO_ENDED],
  ["tar", /^(?:-[A-Za-z]*T|--files)/],
  ["wc", /^--f/],
  ...list(
    "b2sum cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum sum",
    /^(?:-[A-Za-z]*c|--c)/,
  ),
  ["xz", /^--files/],
  ["unxz", /^--files/],
  ["zip", /^-[A-Za-z]*@/],
  ["zstd", /^--filel/],
  ...list("msgcat xgettext", /^(?:-f|--fil)/),
  ...list("ar as cc clang clang++ g++ gcc ld nm objcopy objdump readelf size strings strip", RESPONSE),
]);

function list(names: string, option: RegExp): readonly (readonly [string, RegExp])[] {
  return names.split(" ").map((name) => [name, option]);
}

export function takesList(name: string, words: readonly ShellWord[]): boolean {
  const option = LISTS.get(name);
  if (!option) return false;
  const first = words[1]?.value ?? "";
  // `tar cTf` is how its options were written once.
  const isOldForm = name === "tar" && /^[A-Za-z]*T[A-Za-z]*$/.test(first);
  return isOldForm || words.slice(1).some(({ value }) => option.test(value));
}
