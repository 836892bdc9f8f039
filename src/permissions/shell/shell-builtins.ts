/** Words of the shell that change how the rest of a line is read. */
import { hasOption, takesNext } from "./option-words.js";
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

/** Words of theirs with which they do so; with others they do not. */
const UNLESS: Readonly<Record<string, { readonly isFine: RegExp; readonly reason: string }>> = {
  hash: { isFine: /^(?:-[rt]+|[\w.+][\w.+-]*)$/, reason: "it changes which program a name means" },
  mapfile: { isFine: /^(?:-[nOstu]|-[dt]|\w+|)$/, reason: "it can run a command for each line" },
  readarray: { isFine: /^(?:-[nOstu]|-[dt]|\w+|)$/, reason: "it can run a command for each line" },
  shopt: { isFine: /^(?:-[squp]+|globstar|failglob)$/, reason: "it changes how the shell reads a line" },
};

/** They set variables, or count with what they are given; an index in a name is run as a line. */
export const VARIABLES = new Set(
  "declare export getopts let local mapfile printf read readarray readonly test typeset unset wait [".split(
    " ",
  ),
);

/** With `-n`, what is assigned to one name changes another. */
const NAMES_OTHERS = new Set(["declare", "local", "typeset"]);

/** With `-k`, `npm test NODE_OPTIONS=…` sets a variable. */
export function takesAssignments([name, ...rest]: readonly ShellWord[]): boolean {
  if (!/^(?:set|(?:.*\/)?(?:ba|da|a)?sh)$/.test(name?.value ?? "")) return false;
  return rest.some(({ value }) => /^-[A-Za-z]*k/.test(value) || value === "keyword");
}

export function unwrapBuiltin(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const rest = words.slice(1);
  if (Object.hasOwn(ALWAYS, name)) return hides(ALWAYS[name] ?? "", [glimpse(rest)]);
  const unless = Object.hasOwn(UNLESS, name) ? UNLESS[name] : undefined;
  if (unless && !rest.every(({ value, unknown }) => !unknown && unless.isFine.test(value)))
    return hides(unless.reason, [glimpse(rest)]);
  if (!VARIABLES.has(name)) return null;
  const hidden = rest.find(
    ({ value, isList }) => (isList ? /\[/ : /\[|=\s*\(/).test(value) && holdsSubstitution(value),
  );
  if (hidden) return hides(`${name} runs what is in ${hidden.value}`, [glimpse(rest)]);
  if (NAMES_OTHERS.has(name) && hasOption(rest, "n", []))
    return hides("it gives a variable another name, by which it can be changed", [glimpse(rest)]);
  const computed = computedName(name, rest);
  if (computed) return hides(`the name of a variable is computed: ${computed.value}`, [glimpse(rest)]);
  const risky = setsVariables(name, rest) && rest.find((word) => isRisky(word.value));
  return risky ? hides(`${risky.value} may change which program is run`, [glimpse(rest)]) : null;
}

function setsVariables(name: string, rest: readonly ShellWord[]): boolean {
  if (name === "test" || name === "[") return false;
  return name !== "printf" || rest[0]?.value.startsWith("-v") === true;
}

function isRisky(word: string): boolean {
  if (assignedName(word) !== null && assignmentRisk(word) === "harmless") return false;
  const name = assignedName(word) ?? word.replace(/^-v/, "").replace(/\[.*$/s, "");
  return /^[A-Za-z_]\w*$/.test(name) && variableRisk(name) === "risky";
}

/** Options of `read` whose value is no name. */
const READ_VALUES = { letters: "dinNptu" };

/** A variable whose name is computed may be any: PATH as well. */
function computedName(name: string, rest: readonly ShellWord[]): ShellWord | undefined {
  const isComputed = (word: ShellWord | undefined) =>
    word?.unknown === true && assignedName(word.value.replace(/^-v/, "")) === null;
  switch (name) {
    case "test":
    case "[":
      return undefined;
    case "wait":
      return hasOption(rest, "p", []) ? rest.find(isComputed) : undefined;
    case "printf":
      return rest[0]?.value === "-v"
        ? rest.slice(1, 2).find(isComputed)
        : rest.slice(0, 1).find((word) => isComputed(word) && mayName(word));
    case "getopts":
      return rest.slice(1, 2).find(isComputed);
    case "read":
      return rest.find((word, at) => isComputed(word) && !takesNext(rest[at - 1]?.value ?? "", READ_VALUES));
    default:
      return rest.find(isComputed);
  }
}

/** The first word of `printf` is a name only behind `-v`: no text with spaces, and none that begins in another way. */
function mayName({ value }: ShellWord): boolean {
  const isText = /[\s%\\]/.test(value.replace(/\$\{[^}]*\}|\$\([^)]*\)/g, "")) && !value.endsWith("]");
  return /^[-$`]/.test(value) && !isText;
}
