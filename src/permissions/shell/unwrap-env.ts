/** `env` and what may stand between it and the command. */
import { skipOptions } from "./option-words.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { glimpse, hides, type Inner, type Unwrapped } from "./unwrapped.js";
import { assignedName, assignmentRisk, variableRisk, type VariableRisk } from "./variable-risk.js";

const SPLITS = /^(?:-[A-Za-z0-9]*S|--split)/;
/** Another folder; on macOS another PATH, or another person's. */
const MOVES = /^(?:-[A-Za-z0-9]*[CPLU]|--c)/;

/** `env NAME=value command`: the assignments count as if they stood in front of the command. */
export function unwrapEnv(words: readonly ShellWord[]): Unwrapped | null {
  const split = words.findIndex((word) => SPLITS.test(word.value));
  if (split !== -1) return hides("env splits a text into a command", [splitText(words.slice(split))]);
  const { index, isSure } = skipOptions(words, 1, {
    letters: "uCaPLU",
    long: ["unset", "chdir", "argv0"],
  });
  const own = words.slice(1, index);
  if (own.some((word) => word.value.startsWith("--s")))
    return hides("env splits a text into a command", [glimpse(words.slice(1))]);
  // A single dash is an option of env.
  let start = words[index]?.value === "-" ? index + 1 : index;
  const first = start;
  while (words[start] && assignedName(words[start]?.value ?? "") !== null) start += 1;
  const assigned = words.slice(first, start);
  const command = words.slice(start);
  const inner: Inner = { type: "words", words: command };
  // A word that is computed may be the command.
  if (command.length === 0 && isSure) return null;
  if (!isSure) return hides("it cannot be seen which command env runs", [inner]);
  if (own.some((word) => MOVES.test(word.value)))
    return hides("env runs a command in another folder, or looks for it elsewhere", [inner]);
  const risky = assigned.find((word) => riskOf(word) === "risky");
  if (risky) return hides(`${risky.value} may change which program is run`, [inner]);
  const isTransparent = assigned.every((word) => riskOf(word) === "harmless");
  return { isTransparent, inner: [inner], opaque: null };
}

function riskOf(word: ShellWord): VariableRisk {
  return word.unknown ? variableRisk(assignedName(word.value) ?? "") : assignmentRisk(word.value);
}

/** `-S 'rm -rf' x` is `rm -rf x`. */
function splitText(words: readonly ShellWord[]): Inner {
  const [option = literalWord(""), ...rest] = words;
  const attached = option.value.replace(/^(?:-[A-Za-z0-9]*S|--split[a-z-]*=?)/, "");
  return { type: "script", text: [attached, ...rest.map((word) => word.value)].join(" ") };
}
