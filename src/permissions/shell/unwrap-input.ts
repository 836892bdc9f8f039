/** Programs that are given their program on the line itself, as a here-document in which nothing is computed. */
import type { Redirection } from "unbash";
import { plainQueries } from "./input-commands.js";
import { unwrapInputCode } from "./interpreters.js";
import { programName } from "./program-name.js";
import type { ShellWord } from "./shell-word.js";
import { runs, type Inner, type Unwrapped } from "./unwrapped.js";

export interface InputProgram {
  /** Code of another language than that of the shell. */
  readonly code: readonly string[];
  readonly unwrapped: Unwrapped;
}

/** Null when it reads none, or it cannot be seen which. */
export function unwrapInput(
  words: readonly ShellWord[],
  redirects: readonly Redirection[],
): InputProgram | null {
  const name = programName(words[0]?.value ?? "");
  const queries = plainQueries(name, words, redirects);
  if (queries) return { code: queries, unwrapped: runs([]) };
  const text = literalInput(redirects);
  if (text === null || words.some((word) => word.unknown)) return null;
  const code = unwrapInputCode(name, words, text);
  if (code) return { code: [text], unwrapped: code };
  const lines = unwrapInputLines(name, words, text);
  return lines ? { code: [], unwrapped: lines } : null;
}

/** Lines whose commands read nothing. What another command reads would be missing from the lines behind it. */
const READS_NOTHING = new RegExp(
  [
    "#.*",
    "set -[eux]+(?:o pipefail)?",
    "(?:echo|printf|cd|pwd|ls|mkdir|touch|true|test|date)",
    "git (?:status|add|diff|log|checkout|switch|branch|show|push|fetch|commit -a?m)",
    "npm (?:test|run|ci|install)",
  ]
    .map((line) => String.raw`^\s*${line}(?:\s[^|&;<>\x60$(){}\\]*)?$`)
    .join("|"),
);
const MAY_READ = /\s(?:-|-[a-z]*[ipe][a-z]*|--(?:interactive|patch|edit)|\S*(?:stdin|=-))(?:\s|$)/;

function unwrapInputLines(name: string, words: readonly ShellWord[], text: string): Unwrapped | null {
  const isReading =
    /^(?:bash|sh)$/.test(name) && words.slice(1).every(({ value }) => /^-[euxs]+$/.test(value));
  const lines = text.trimEnd().split("\n");
  const isWhole = lines.every((line) => line.split("'").length % 2 === 1 && line.split('"').length % 2 === 1);
  const isPlain = lines
    .slice(0, -1)
    .every(
      (line) =>
        line.trim() === "" || (READS_NOTHING.test(line) && (/^\s*set /.test(line) || !MAY_READ.test(line))),
    );
  if (!isReading || !isWhole || !isPlain) return null;
  const inner: Inner = { type: "script", text, ...(name === "bash" ? {} : { isPosix: true }) };
  return { isTransparent: true, inner: [inner], opaque: null };
}

/** Null when it is not the only input, or the shell computes something in it. */
function literalInput(redirects: readonly Redirection[]): string | null {
  const inputs = redirects.filter(
    (redirect) => redirect.type !== "Redirect" || redirect.operator.startsWith("<"),
  );
  const [input] = inputs;
  if (inputs.length !== 1 || input?.type !== "HereDoc" || input.descriptor !== undefined) return null;
  return input.delimiter?.quoted && input.closing ? input.body.text : null;
}
