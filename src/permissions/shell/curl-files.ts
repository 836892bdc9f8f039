/** Files in the words of curl, which has ways of its own to name them. */
import { expandBraces } from "../../core/permissions/expand-braces.js";
import { escapePath } from "../../core/permissions/path-glob.js";
import { inFolder } from "./destinations.js";
import type { OperandFile } from "./file-operands.js";
import type { FileOptions, FileProgram } from "./file-programs.js";
import { ANY_FILE, optionValues, output, read } from "./option-files.js";
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

type FileWord = OperandFile["word"];

const EXPANDED_MAX = 64;

/** `@name`, `field=<name`, `field=@"a",b;type=text/plain`, `variable@name`; without a sign, the word itself. */
export function markedFiles(word: FileWord): readonly FileWord[] {
  const marked = /^(?:[^=@<]*=)?[^=@<]*[@<](.+)$/s.exec(word.path)?.[1];
  if (marked === undefined) return [word];
  const pieces = [marked, ...marked.split(/[,;]/)].map((piece) =>
    piece.replace(/^headers=[@<]/, "").replace(/^\s*"|"\s*$/g, ""),
  );
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
export function localAddress({ value, path: address, exact }: ShellWord): readonly FileWord[] {
  if (!exact && /^(?:--[a-z-]+=)?file:/i.test(value)) return [ANY_FILE];
  const path = /^(?:--[a-z-]+=)?file:(?:\/\/(?:[^/~.][^/]*)?)?([/~.].+)$/is.exec(address)?.[1];
  if (path === undefined) return [];
  const plain = path.replace(/%([2-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return listedFiles({ path: plain, exact });
}

/** Beside the values of options that name a file. */
export function curlFiles(
  rest: readonly ShellWord[],
  operands: readonly ShellWord[],
): readonly OperandFile[] {
  const sent = valuesOf(rest, { letters: "T", long: ["upload-file"] });
  const local = [...rest.flatMap(localAddress), ...(readsLocally(rest) ? operands : [])];
  return [
    // `-T '{a,b}'` sends both.
    ...sent.flatMap(listedFiles).map(read),
    ...local.map(read),
    ...(sent.length > 0 ? local.map(output) : []),
    ...savedFiles(rest).map(output),
  ];
}

function valuesOf(rest: readonly ShellWord[], options: FileOptions): readonly ShellWord[] {
  const program: FileProgram = { kind: "none" };
  return rest.flatMap((word, index) => optionValues(word, rest[index + 1], options, program));
}

/** Addresses without a scheme are files. */
function readsLocally(rest: readonly ShellWord[]): boolean {
  return valuesOf(rest, { long: ["proto-default"] }).some(({ value }) => /^file$/i.test(value));
}

/** With `-O`, curl names the file after the address. With `--output-dir`, all that it saves goes there. */
function savedFiles(rest: readonly ShellWord[]): readonly FileWord[] {
  const isNamed = rest.some(({ value }) =>
    /^(?:-[a-zA-Z0-9#:]*O[a-zA-Z0-9#:]*|--remote-name(?:-all)?)$/.test(value),
  );
  const names = isNamed ? rest.flatMap(nameInAddress) : [];
  const folders = valuesOf(rest, { long: ["output-dir"] });
  const saved = [...names, ...(folders.length > 0 ? valuesOf(rest, { letters: "o", long: ["output"] }) : [])];
  return [...names, ...folders.flatMap((folder) => saved.map((name) => inFolder(folder, name)))];
}

function nameInAddress({ value, unknown }: ShellWord): readonly FileWord[] {
  const name = isOptionWord(value) ? undefined : /\/([^/?#]+)(?:[?#].*)?$/s.exec(value)?.[1];
  return name === undefined ? [] : listedFiles({ path: name, exact: !unknown });
}
