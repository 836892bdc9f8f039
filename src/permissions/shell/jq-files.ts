/** Files that jq and yq read beside their operands, and those that yq writes. */
import type { OperandFile } from "./file-operands.js";
import { read, written } from "./option-files.js";
import type { ShellWord } from "./shell-word.js";

/** `--rawfile NAME FILE`, and modules. */
export function jqFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  const named = words.flatMap(({ value }, index) => {
    const place = /^--(?:rawfile|slurpfile|argfile)$/.test(value)
      ? 2
      : /^(?:-f|--from-file|-L)$/.test(value)
        ? 1
        : 0;
    const folder = /^-L(.+)$/s.exec(value)?.[1];
    const file = folder === undefined ? words[index + place] : { path: folder, exact: true };
    return file && (place > 0 || folder !== undefined) ? [{ ...read(file), isDeep: true }] : [];
  });
  return [...named, ...words.flatMap(modulesIn)];
}

const MODULE = /\b(?:import|include)\s*"([^"]+)"[^;]*/g;

/** `import "a" as $a {search: "b"}` reads `b/a.json` or `b/a.jq`. */
function modulesIn({ value }: ShellWord): readonly OperandFile[] {
  return [...value.matchAll(MODULE)].flatMap(([text, name = ""]) => {
    const search = /search"?\s*:(.*)/s.exec(text)?.[1] ?? "";
    const folders = [...search.matchAll(/"([^"]+)"/g)].map(([, folder = ""]) => `${folder}/`);
    return ["", ...folders].flatMap((folder) =>
      ["", ".json", ".jq"].map((end) => read({ path: `${folder}${name}${end}`, exact: true })),
    );
  });
}

/** With `-i` it writes them, and its own language can load others. */
export function yqFiles(words: readonly ShellWord[], files: readonly OperandFile[]): readonly OperandFile[] {
  const isInPlace = words.some(({ value }) => /^(?:-[A-Za-z]*i|--in-?pl)/.test(value));
  const loaded = words.flatMap(({ value, exact }) =>
    [...value.matchAll(/load\w*\(\s*"([^"]+)"/g)].map((match) => read({ path: match[1] ?? "", exact })),
  );
  return [...files, ...loaded, ...(isInPlace ? files.map(({ word }) => written(word)) : [])];
}
