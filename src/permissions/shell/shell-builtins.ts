/** Words of the shell that change how the rest of a line is read. */
import { takesNext } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";
import { assignedName, assignmentRisk, holdsSubstitution, variableRisk } from "./variable-risk.js";

const ALWAYS: Readonly<Record<string, string>> = {
  ".": "it runs what another file holds",
  alias: "it gives a command another meaning",
  bind: "it binds a command to a key",
  compgen: "it can run a command to complete a word",
  complete: "it can run a command to complete a word",
  enable: "it changes the commands of the shell",
  fc: "it runs earlier commands again",
  history: "it reads and writes the history of commands",
  popd: "it cannot be seen in which folder the rest runs",
  source: "it runs what another file holds",
  unalias: "it gives a command another meaning",
};

/** Words of theirs with which they do not. */
const UNLESS: Readonly<Record<string, { readonly isFine: RegExp; readonly reason: string }>> = {
  hash: { isFine: /^(?:-[rt]+|[\w.+][\w.+-]*)$/, reason: "it changes which program a name means" },
  mapfile: { isFine: /^(?:-[nOstud]|\w+|)$/, reason: "it can run a command for each line" },
  readarray: { isFine: /^(?:-[nOstud]|\w+|)$/, reason: "it can run a command for each line" },
  set: { isFine: /^(?!-[A-Za-z]*k|keyword$)/, reason: "words behind a command are assignments" },
  shopt: { isFine: /^(?:-[squp]+|globstar|failglob)$/, reason: "it changes how the shell reads a line" },
};

/** They set variables, or count with what they are given; an index in a name is run as a line. */
const VARIABLES = new Set(
  "declare export getopts let local mapfile printf read readarray readonly test typeset unset wait [".split(
    " ",
  ),
);

export function unwrapBuiltin(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const rest = words.slice(1);
  const reason = Object.hasOwn(ALWAYS, name)
    ? ALWAYS[name]
    : (whyUnless(name, rest) ?? whyVariable(name, rest));
  return reason === null || reason === undefined ? null : hides(reason, [glimpse(rest)]);
}

function whyUnless(name: string, rest: readonly ShellWord[]): string | null {
  const unless = Object.hasOwn(UNLESS, name) ? UNLESS[name] : undefined;
  const isFine = ({ value, unknown }: ShellWord) =>
    (!unknown || name === "set") && unless?.isFine.test(value);
  return unless && !rest.every(isFine) ? unless.reason : null;
}

function whyVariable(name: string, rest: readonly ShellWord[]): string | null {
  if (!VARIABLES.has(name)) return null;
  const hidden = rest.find(
    ({ value, isList }) => (isList ? /\[/ : /\[|=\s*\(/).test(value) && holdsSubstitution(value),
  );
  if (hidden) return `${name} runs what is in ${hidden.value}`;
  const isTest = name === "test" || name === "[";
  if (isTest) {
    const asked = rest.find((word, at) => word.unknown && /^-[vR]$/.test(rest[at - 1]?.value ?? ""));
    return asked ? `it counts with what is in ${asked.value}` : null;
  }
  const names = namesIn(name, rest);
  const options = rest.filter(({ value }) => /^[-+][A-Za-z]+$/.test(value)).map(({ value }) => value);
  const isDeclared = /^(?:declare|export|local|readonly|typeset)$/.test(name);
  if (isDeclared && name !== "export" && options.some((option) => option.includes("n")))
    return "it gives a variable another name, by which it can be changed";
  const list = isDeclared && rest.find(({ unknown, isList }) => unknown && !isList);
  if (list && options.some((option) => /[aA]/.test(option)))
    return `${list.value} may be read as a list, and run`;
  const computed = names.find(isComputedName);
  if (computed) return `the name of a variable is computed: ${computed.value}`;
  const risky = names.find(({ value }) => isRisky(value));
  return risky ? `${risky.value} may change which program is run` : null;
}

/** A variable whose name is computed may be any: PATH as well. */
function isComputedName({ unknown, value }: ShellWord): boolean {
  return unknown && assignedName(value.replace(/^-v/, "")) === null;
}

/** Words that are names of variables, or may be. */
function namesIn(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  const [first] = rest;
  switch (name) {
    case "wait":
      return rest.some(({ value }) => /^-[a-z]*p/.test(value)) ? rest : [];
    case "printf":
      if (first?.value.startsWith("-v")) return rest.slice(0, 2);
      // A first word is `-v` only where it may begin so: no text with spaces or signs of a format.
      return first && /^[-$`]/.test(first.value) && !/[\s%\\]/.test(withoutParts(first.value)) ? [first] : [];
    case "getopts":
      return rest.slice(1, 2);
    case "read":
      return rest.filter((_, at) => !takesNext(rest[at - 1]?.value ?? "", { letters: "dinNptu" }));
    default:
      return rest;
  }
}

function withoutParts(value: string): string {
  return value.replace(/\$\{[^}]*\}|\$\([^)]*\)/g, "");
}

function isRisky(word: string): boolean {
  if (assignedName(word) !== null && assignmentRisk(word) === "harmless") return false;
  const name = assignedName(word) ?? word.replace(/^-v/, "").replace(/\[.*$/s, "");
  return /^[A-Za-z_]\w*$/.test(name) && variableRisk(name) === "risky";
}
