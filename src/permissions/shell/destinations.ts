/** The files that operands name, by what the program does with them. */
import { ANY_NAME, escapePath } from "../../core/permissions/path-glob.js";
import type { OperandFile } from "./file-operands.js";
import type { FileProgram } from "./file-programs.js";
import { ANY_FILE, output, read, written } from "./option-files.js";
import type { ShellWord } from "./shell-word.js";

/** `into`: the folder that `-t` names. */
export function byKind(
  kind: FileProgram["kind"],
  operands: readonly ShellWord[],
  into: readonly ShellWord[],
  keepsFolders: boolean,
): readonly OperandFile[] {
  switch (kind) {
    case "none":
      return [];
    case "read":
      return operands.map(read);
    case "write":
      return operands.map(written);
    case "copy":
      return into.length > 0
        ? [...operands.map(read), ...destinations([...operands, ...into], keepsFolders)]
        : [...operands.slice(0, -1).map(read), ...destinations(operands, keepsFolders)];
    case "filter":
      return [
        ...operands.slice(0, 1).map(read),
        ...operands.slice(1).map(output),
        // Without quotes it may be two words.
        ...(operands[0]?.unknown && !operands[0].isOneWord && !operands[0].isPattern
          ? [output(ANY_FILE)]
          : []),
      ];
    case "move":
      return [...operands.map(written), ...destinations([...operands, ...into], keepsFolders)];
  }
}

/** The last operand, which may be a folder that the others go into. */
function destinations(operands: readonly ShellWord[], keepsFolders: boolean): readonly OperandFile[] {
  const last = operands.at(-1);
  if (!last) return [];
  const inside = operands.slice(0, -1).flatMap((source) => {
    const { exact } = source;
    const whole = source.path.replace(/\/+$/, "").replace(/^[/~]+/, "");
    const name = whole.replace(/^.*\//s, "");
    // Of what is computed nothing is known but that it is a name.
    const paths = [name === "**" && !exact ? ANY_NAME : name, ...(keepsFolders ? [whole] : [])];
    return paths.map((path) => inFolder(last, { path, exact }));
  });
  return [last, ...inside].map(written);
}

/** A name, seen from a folder. When one of both is a pattern, both are. */
export function inFolder(folder: OperandFile["word"], name: OperandFile["word"]): OperandFile["word"] {
  if (/^[/~]/.test(name.path)) return name;
  if (folder.exact && name.exact) return { path: `${folder.path}/${name.path}`, exact: true };
  const above = folder.exact ? escapeFolder(folder.path) : folder.path;
  return { path: `${above}/${name.exact ? escapePath(name.path) : name.path}`, exact: false };
}

/** `~` stays the home folder. */
function escapeFolder(path: string): string {
  return path.startsWith("~") ? `~${escapePath(path.slice(1))}` : escapePath(path);
}
