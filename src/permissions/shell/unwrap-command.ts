/** What a command runs in turn, by the name of its program. */
import { isOptionWord } from "./option-words.js";
import { programName } from "./program-name.js";
import { unwrapBuiltin } from "./shell-builtins.js";
import type { ShellWord } from "./shell-word.js";
import { unwrapFind } from "./unwrap-find.js";
import { unwrapGit } from "./unwrap-git.js";
import { unwrapHandedShell, unwrapShell } from "./unwrap-shell.js";
import { runs, type Unwrapped } from "./unwrapped.js";
import { unwrapPrefix } from "./wrappers.js";

/** Folders that hold the system's own programs. */
const SYSTEM_FOLDER = /^(?:(?:\/usr(?:\/local)?)?\/s?bin\/|\/opt\/homebrew\/bin\/)?[^/]*$/;

/** Null when it runs nothing else. */
export function unwrapCommand(words: readonly ShellWord[]): Unwrapped | null {
  const path = words[0]?.value ?? "";
  const name = programName(path);
  const unwrapped =
    unwrapPrefix(name, words) ??
    unwrapShell(name, words) ??
    unwrapBuiltin(name, words) ??
    (name === "find" ? unwrapFind(words) : null) ??
    (/^git(?:-|$)/.test(name) ? unwrapGit(words) : null) ??
    unwrapPackageRunner(name, words) ??
    unwrapInterpreter(name, words) ??
    unwrapHandedShell(words);
  // A program elsewhere may have that name and do something else.
  return unwrapped && !SYSTEM_FOLDER.test(path) ? { ...unwrapped, isTransparent: false } : unwrapped;
}

/** The script that an interpreter runs is seen, and by its whole name. Code on the line is a text like any other. */
function unwrapInterpreter(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (!/^(?:node|nodejs|bun|deno|tsx|ts-node|python[\d.]*|perl|ruby|php)$/.test(name)) return null;
  if (words.some(({ value }) => /^(?:-[a-z]*[cemp]$|--(?:eval|print)\b)/.test(value))) return null;
  const script = words.findIndex(({ value }, at) => at > 0 && !isOptionWord(value) && value !== "run");
  if (script === -1) return null;
  return runs([{ type: "words", words: words.slice(script), isSeen: true, isScript: true }]);
}

/** Programs that run a command of a package, or of an environment, and the word behind which that stands. */
const RUNNERS: readonly (readonly [programs: RegExp, word: RegExp | null])[] = [
  [/^(?:npx|pnpx|bunx|uvx)$/, null],
  [/^(?:conda|hatch|pdm|pipenv|pipx|poetry|rye|uv)$/, /^run$/],
  [/^(?:bun|bundle|npm|pnpm|yarn)$/, /^(?:exec|dlx|x)$/],
];

/**
 * Who allows `npx eslint *` has allowed that; denies and asks count as if what is run stood there alone. An option may take
 * the next word, or not: both are looked at.
 */
function unwrapPackageRunner(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const [, word] = RUNNERS.find(([programs]) => programs.test(name)) ?? [];
  if (word === undefined || (word && !word.test(words[1]?.value ?? ""))) return null;
  const from = word ? 2 : 1;
  const first = words.findIndex(({ value }, at) => at >= from && !isOptionWord(value));
  if (first === -1) return null;
  const starts = isOptionWord(words[first - 1]?.value ?? "") ? [first, first + 1] : [first];
  return runs(
    starts.flatMap((start) => {
      const [program, ...rest] = words.slice(start);
      if (!program) return [];
      const plain = { ...program, value: program.value.replace(/(?<=.)(?:@|==).*$/s, "") };
      return [{ type: "words", words: [plain, ...rest], isSeen: true } as const];
    }),
  );
}
