/**
 * Programs that run a command of a package, or of an environment: `npx`, `uv run`, `bundle exec`. Who allows `npx eslint *`
 * has allowed that; denies, asks and the options of eslint that run others count as if it stood there alone.
 */
import { npmCommand } from "./npm-commands.js";
import { isOptionWord, optionValue } from "./option-words.js";
import { ownWords } from "./option-values.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Inner, type Unwrapped } from "./unwrapped.js";

interface Runner {
  /** Its command behind which another begins; without one, that begins at once. */
  readonly command?: RegExp;
  /** Commands of its own. Any other word is a command of a package. */
  readonly own?: ReadonlySet<string>;
}

const OWN_COMMANDS = new Set(
  [
    "add audit autoclean bin build c cache check ci config constraints create dedupe deploy doctor env explain fetch generate",
    "get global help i import info init install la licenses link list ll ln login logout ls node npm outdated owner pack patch",
    "patch-commit plugin pm policies prune publish rebuild remove repl restart rm root run run-script search server set setup",
    "show start stage stop store t tag team test tst un uninstall unlink unplug up update upgrade version versions view whoami",
    "why workspace workspaces x exec dlx",
  ]
    .join(" ")
    .split(" "),
);

const RUN: Runner = { command: /^run$/ };
const RUNNERS: Readonly<Record<string, Runner>> = {
  bundle: { command: /^exec$/ },
  bun: { command: /^(?:x|run)$/, own: OWN_COMMANDS },
  bunx: {},
  conda: RUN,
  corepack: {
    command: /^$/,
    own: new Set("enable disable prepare use up cache install hydrate pack".split(" ")),
  },
  hatch: RUN,
  mamba: RUN,
  micromamba: RUN,
  npm: { command: /^exec$/ },
  npx: {},
  pdm: RUN,
  pipenv: RUN,
  pipx: RUN,
  pnpm: { command: /^(?:exec|dlx)$/, own: OWN_COMMANDS },
  pnpx: {},
  poetry: RUN,
  rye: RUN,
  uv: RUN,
  uvx: {},
  yarn: { command: /^(?:exec|dlx|run)$/, own: OWN_COMMANDS },
};

/** Options that take no value, and options that always take one. */
const FLAG =
  /^(?:-[ysqvVh]|--(?:yes|no|no-install|silent|quiet|bun|frozen|locked|isolated|offline|verbose))$/;
const VALUED =
  /^(?:-p|-F|--(?:package|with|with-requirements|python|extra|group|filter|from|spec|loglevel))$/;

const STARTS_MAX = 8;

export function unwrapPackageRunner(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (!runner) return null;
  const seen = glimpse(ownWords(name, words));
  const starts = startsOf(words, 1);
  if (!starts) return hides(`it cannot be seen what ${name} runs`, [seen]);
  const inner: Inner[] = [];
  for (const start of starts) {
    const found = startsBehind(name, runner, words, start);
    if (!found) return hides(`it cannot be seen what ${name} runs`, [seen]);
    inner.push(...found.map((at) => commandAt(words, at)), ...npmInFull(name, words, start));
  }
  return runs([seen, ...inner, ...lineGiven(name, words)]);
}

/** `npx -c 'line'` */
function lineGiven(name: string, words: readonly ShellWord[]): readonly Inner[] {
  if (name !== "npx" && name !== "npm") return [];
  const end = ownOptionsEnd(name, words);
  const line = optionValue(words.slice(1, end === null ? words.length : end + 1), "c", "call");
  return line ? [{ type: "script", text: line.value }] : [];
}

/** Where its own options end, at the latest. */
export function ownOptionsEnd(name: string, words: readonly ShellWord[]): number | null {
  const runner = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  return runner && !runner.command ? (startsOf(words, 1)?.at(-1) ?? null) : null;
}

function startsBehind(
  name: string,
  runner: Runner,
  words: readonly ShellWord[],
  start: number,
): readonly number[] | null {
  const { command, own } = runner;
  const { value } = words[start] ?? {};
  if (value === undefined) return [];
  if (!command) return [start];
  if (name === "uv" && value === "tool") return startsBehind(name, runner, words, start + 1);
  if (name === "yarn" && value === "workspace") return startsBehind(name, runner, words, start + 2);
  if (name === "yarn" && value === "workspaces") {
    const run = words.findIndex((word, index) => index > start && command.test(word.value));
    return run === -1 ? [] : startsOf(words, run + 1);
  }
  // `uv pip install x` is what pip does.
  if (name === "uv" && value === "pip") return [start];
  if (command.test(name === "npm" ? (npmCommand(value) ?? "") : value)) return startsOf(words, start + 1);
  return own && !own.has(value) ? [start] : [];
}

/**
 * Where a command may begin. An option that is not known may take the next word as its value, or not: both are looked at.
 * Null when there are too many.
 */
function startsOf(words: readonly ShellWord[], from: number): readonly number[] | null {
  const starts: number[] = [];
  for (let index = from; index < words.length; index += 1) {
    const { value = "", unknown = false } = words[index] ?? {};
    if (value === "--") return index + 1 < words.length ? [...starts, index + 1] : starts;
    if (isOptionWord(value) && !unknown) continue;
    const before = index > from ? (words[index - 1]?.value ?? "") : "";
    if (VALUED.test(before)) continue;
    if (starts.length >= STARTS_MAX) return null;
    starts.push(index);
    if (!isOptionWord(before) || before.includes("=") || FLAG.test(before)) return starts;
  }
  return starts;
}

function commandAt(words: readonly ShellWord[], start: number): Inner {
  const [program, ...rest] = words.slice(start);
  const named = program ? [{ ...program, value: withoutVersion(program.value) }] : [];
  return { type: "words", words: [...named, ...rest], isSeen: true };
}

/** `eslint@9`, `@scope/tool@latest`, `black==24.1` */
function withoutVersion(value: string): string {
  return value.replace(/(?<=.)(?:@|[=<>~!]=).*$/s, "");
}

/** `npm pu` publishes as well. */
function npmInFull(name: string, words: readonly ShellWord[], start: number): readonly Inner[] {
  const command = words[start];
  const full = name === "npm" && command && !command.unknown ? npmCommand(command.value) : null;
  if (full === null || full === command?.value) return [];
  const inFull = [literalWord("npm"), literalWord(full), ...words.slice(start + 1)];
  return [{ type: "words", words: inFull, isSeen: true }];
}
