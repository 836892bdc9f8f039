/** Words by which programs that are hardly known surely only read a file. */
import { programName } from "./program-name.js";
import { literalWord, type ShellWord } from "./shell-word.js";

const RUNNERS = new Set(["npx", "pnpx", "bunx", "yarn", "pnpm", "npm"]);

/** Whether it is a tool that looks at files and says what is wrong, and was not told to mend it. */
export function onlyChecks(words: readonly ShellWord[]): boolean {
  if (words.some((word) => word.unknown && !word.exact)) return false;
  const values = words.map(({ value }) => value);
  const first = values[0] === undefined || !RUNNERS.has(programName(values[0])) ? 0 : 1;
  const start = first === 1 && values[1] === "exec" ? 2 : first;
  const rest = values.slice(values[start] === "--" ? start + 2 : start + 1);
  switch (values[values[start] === "--" ? start + 1 : start]) {
    case "prettier":
      return (
        rest.some((value) => /^(?:--check|-c|--list-different|-l)$/.test(value)) &&
        !rest.some((value) => /^(?:-[a-z]*w|--w)/.test(value))
      );
    case "eslint":
      return !rest.some((value) => /^(?:--fix|--init|-o|--output|--cache|--suppress|--prune)/.test(value));
    default:
      return false;
  }
}

const CODE = /^(?:python[\d.]*|node|nodejs|bun|tsx)$/;
/** Calls that read the file they name, and do nothing else to it. */
const READING_CALL =
  /(?<![\w.])(?:require|open|(?:fs\.)?readFileSync|(?:fs\.)?readFile)\(\s*(["'])([^"'\\\n]+)\1\s*(?=(?<!open\(\s*["'][^"']*["']\s*),|\))/g;

/** The files that code names only to read them, and the words without them. */
export function partCode(
  name: string,
  words: readonly ShellWord[],
): { readonly readers: readonly ShellWord[]; readonly others: readonly ShellWord[] } {
  if (!CODE.test(name)) return { readers: [], others: words };
  const readers = words.flatMap(({ value, exact }) =>
    exact ? [...value.matchAll(READING_CALL)].map((match) => literalWord(match[2] ?? "")) : [],
  );
  const others = words.map((word) =>
    word.exact && word.value === word.path ? literalWord(word.value.replace(READING_CALL, "")) : word,
  );
  return { readers, others };
}
