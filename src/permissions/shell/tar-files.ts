/** The files that tar packs, and the archive that it makes. */
import { inFolder } from "./destinations.js";
import type { OperandFile } from "./file-operands.js";
import type { FileProgram } from "./file-programs.js";
import { optionFiles, read } from "./option-files.js";
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

type FileWord = OperandFile["word"];

export function tarFiles(words: readonly ShellWord[]): readonly OperandFile[] {
  return [...archives(words), ...packedNames(words).map((word) => ({ ...read(word), isDeep: true }))];
}

/** The archive that tar makes. Its first letters may stand without a dash. */
function archives([first, ...more]: readonly ShellWord[]): readonly OperandFile[] {
  if (!first) return [];
  const isBundle = !first.unknown && !isOptionWord(first.value);
  const bundle = { ...first, value: `-${first.value}`, path: `-${first.path}` };
  const words = isBundle ? [bundle, ...more] : [first, ...more];
  const isMaking = words.some(({ value }) => /^-[A-Za-z]*[cruA]|^--(?:cr|ap|up|ca|con|de)/.test(value));
  const archive: FileProgram = {
    kind: "none",
    letters: "bCgHKLNTVX",
    writes: { letters: "f", long: ["file"] },
  };
  return isMaking ? optionFiles(words, { ...archive, whole: ["files-from"] }) : [];
}

/** Letters of tar that take a value. */
const TAR_VALUED = /[bfgCFHIKLNTVX]/;

/** The operands of a tar that packs: `tar czf x.tgz a b`, `tar -c -f x.tgz a`. Behind `-C` they are in that folder. */
function packedNames(words: readonly ShellWord[]): readonly FileWord[] {
  const [first] = words;
  const isOld = first !== undefined && !first.unknown && /^[A-Za-z]+$/.test(first.value);
  const groups = words.filter(({ value }, index) => (isOld && index === 0) || /^-[A-Za-z]/.test(value));
  const isPacking =
    groups.some(({ value }) => /^-?[A-Za-z]*[cru]/.test(value)) ||
    words.some(({ value }) => /^--(?:cr|ap|up)/.test(value));
  if (!isPacking) return [];
  const names: FileWord[] = [];
  let folder: FileWord | null = null;
  let skipped = isOld ? valuesOf(first.value) : "";
  for (const word of words.slice(isOld ? 1 : 0)) {
    const { value } = word;
    const attached = /^(?:-[A-Za-z]*C|--directory=)(.+)$/s.exec(value)?.[1];
    if (skipped !== "") {
      if (skipped.startsWith("C")) folder = folder ? inFolder(folder, word) : word;
      skipped = skipped.slice(1);
    } else if (!isOptionWord(value) || word.unknown) names.push(folder ? inFolder(folder, word) : word);
    else if (value === "--directory") skipped = "C";
    else if (attached !== undefined) folder = { path: attached, exact: word.exact };
    else if (/^-[A-Za-z]+$/.test(value)) skipped = valuesOf(value.slice(-1));
  }
  return names;
}

/** The letters of a group whose values follow. */
function valuesOf(letters: string): string {
  return Array.from(letters)
    .filter((letter) => TAR_VALUED.test(letter))
    .join("");
}
