/** Files in the words of curl, which has ways of its own to name them. */
import { expandBraces } from "../../core/permissions/expand-braces.js";
import { escapePath } from "../../core/permissions/path-glob.js";
import type { ShellWord } from "./shell-word.js";

type FileWord = Pick<ShellWord, "path" | "exact">;

const EXPANDED_MAX = 64;

/** `@name`, `field=<name`, `field=@"a",b;type=text/plain`, `variable@name`; without a sign, the word itself. */
export function markedFiles(word: FileWord): readonly FileWord[] {
  const marked = /^(?:[^=@<]*=)?[^=@<]*[@<](.+)$/s.exec(word.path)?.[1];
  if (marked === undefined) return [word];
  const pieces = [marked, ...marked.split(/[,;]/)].map((piece) => piece.replace(/^\s*"|"\s*$/g, ""));
  const files = [...new Set(pieces)]
    .filter((path) => path !== "")
    .map((path) => ({ path, exact: word.exact }));
  // To other programs such a sign is a letter like any other.
  return [word, ...files];
}

/** `{a,b}` is each of them, and `[a-z]` one of many. */
export function listedFiles({ path, exact }: FileWord): readonly FileWord[] {
  if (!exact || !/[{[]/.test(path)) return [{ path, exact }];
  const plain = path.replace(/\{([^{},]*)\}/g, "$1");
  const paths = expandBraces(plain, EXPANDED_MAX) ?? [plain];
  return paths.map((each) => {
    const pieces = each.split(/\[[^\]]*\]/);
    return pieces.length === 1
      ? { path: each, exact }
      : { path: pieces.map(escapePath).join("*"), exact: false };
  });
}

/** `file:///etc/passwd`, alone or as the value of an option. Signs may be written as numbers. */
export function localAddress({ path: address, exact }: ShellWord): readonly FileWord[] {
  const path = /^(?:--[a-z-]+=)?file:(?:\/\/(?:[^/~.][^/]*)?)?([/~.].+)$/is.exec(address)?.[1];
  if (path === undefined) return [];
  const plain = path.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return listedFiles({ path: plain, exact });
}
