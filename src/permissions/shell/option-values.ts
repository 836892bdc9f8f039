/** Options whose value is a text: a message, a pattern of names. It is no option, no file and no command. */
import { takesNext, type ValueOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

const MESSAGE: ValueOptions = { letters: "m", long: ["message"] };
/** Names of tests, or patterns of them. */
const TEST_NAMES: ValueOptions = { letters: "tgkm", long: ["testNamePattern", "grep", "fgrep", "name"] };

/** By the command of git behind its own options. */
const GIT: Readonly<Record<string, ValueOptions>> = {
  commit: { letters: "mFCct", long: ["message", "file", "author", "date", "trailer"] },
  merge: { letters: "mF", long: ["message", "file"] },
  notes: MESSAGE,
  stash: MESSAGE,
  tag: { letters: "mF", long: ["message", "file"] },
};
/** Their values name files. */
const FILE_OPTION = /^(?:-[A-Za-z]*[Ft]|--f(?:ile?|i)?)$/;

const TESTERS = new Set(
  "jest vitest mocha ava tap playwright cypress karma pytest py.test jasmine rspec phpunit".split(" "),
);
const RUNNERS = new Set("npx pnpx bunx npm pnpm yarn bun".split(" "));
const MODULE_RUNNERS = /^(?:python|pypy)[\d.]*$/;

function isOption({ value, unknown }: ShellWord): boolean {
  return !unknown && value.startsWith("-");
}

/** Which of the words are surely the value of the option before them. Only whole words are: not what may be several. */
export function valuePlaces(program: string, words: readonly ShellWord[]): readonly number[] {
  const options = program === "git" ? gitOptions(words) : null;
  if (!options) return [];
  return words.flatMap((word, index) => {
    const before = words[index - 1];
    const isOne = !word.unknown || word.isOneWord === true;
    const isValue = index > 1 && isOne && before && isOption(before) && takesNext(before.value, options);
    return isValue ? [index] : [];
  });
}

function gitOptions(words: readonly ShellWord[]): ValueOptions | null {
  const command = words[1]?.value ?? "";
  return words[1]?.unknown === false && Object.hasOwn(GIT, command) ? (GIT[command] ?? null) : null;
}

/** The words of git without its messages. */
export function withoutMessages(words: readonly ShellWord[]): readonly ShellWord[] {
  const places = valuePlaces("git", words);
  return words.filter(
    (_, index) => !places.includes(index) || FILE_OPTION.test(words[index - 1]?.value ?? ""),
  );
}

/** The words of what runs tests, without the names of the tests: `jest -t 'rm -rf'` runs no `rm`. */
export function withoutTestNames(program: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (!runsTests(program, words)) return words;
  return words.filter((_, index) => {
    const before = words[index - 1];
    return !before || index < 2 || !isOption(before) || !takesNext(before.value, TEST_NAMES);
  });
}

function runsTests(program: string, words: readonly ShellWord[]): boolean {
  if (TESTERS.has(program)) return true;
  const [first, second] = words.slice(1).filter((word) => !isOption(word) && !word.unknown);
  if (MODULE_RUNNERS.test(program)) return words[1]?.value === "-m" && TESTERS.has(first?.value ?? "");
  if (!RUNNERS.has(program) || !first) return false;
  if (isTester(first.value) || (takesScripts(program) && /^(?:test|t|tst)$/.test(first.value))) return true;
  const isHanded = takesScripts(program) && /^(?:run|run-script|exec|x|dlx)$/.test(first.value);
  return (
    isHanded && second !== undefined && (isTester(second.value) || isTestScript(first.value, second.value))
  );
}

/** Their own words name scripts of the project; those of the others are programs. */
function takesScripts(program: string): boolean {
  return /^(?:npm|pnpm|yarn|bun)$/.test(program);
}

function isTester(name: string): boolean {
  return TESTERS.has(name.replace(/(?<=.)@[\w.^~-]+$/, ""));
}

function isTestScript(command: string, script: string): boolean {
  return command.startsWith("run") && /^test(?::|$)/.test(script);
}

/** What a package manager hands to a script of the project: from its name on. */
function scriptWords(program: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (!takesScripts(program)) return [];
  const at = words.findIndex((word, index) => index > 0 && !isOption(word));
  const command = words[at]?.value ?? "";
  const end = words.findIndex((word) => word.value === "--");
  if (at === -1 || words[at]?.unknown || end < at) return [];
  return /^(?:test|t|tst|run|run-script|start|stop|restart)$/.test(command) ? words.slice(end + 1) : [];
}

/** What a runner may run itself; not what it hands to a script of the project, and no names of tests. */
export function ownWords(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  const handed = scriptWords(name, words);
  return withoutTestNames(name, words.slice(0, words.length - handed.length)).slice(1);
}
