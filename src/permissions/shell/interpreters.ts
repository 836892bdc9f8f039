/**
 * Programs that run code of a language of theirs. That code is not read: a rule is about the line as it is written, and who
 * allows `python *` allows all of Python. Denies and asks look at what the code seems to run.
 */
import { isOptionWord, skipOptions, type ValueOptions } from "./option-words.js";
import { ownWords } from "./option-values.js";
import { isInputName } from "./redirections.js";
import { literalWord, type ShellWord } from "./shell-word.js";
import { unwrapContainer } from "./unwrap-container.js";
import { unwrapPackageRunner } from "./unwrap-package-runner.js";
import { glimpse, hides, runs, together, type Unwrapped } from "./unwrapped.js";

interface Interpreter extends ValueOptions {
  /** Options whose value is code. */
  readonly code: RegExp;
}

const PYTHON: Interpreter = { letters: "cmWX", long: ["check-hash-based-pycs"], code: /^-[A-Za-z]*[cm]/ };
const NODE: Interpreter = {
  letters: "epr",
  long: ["eval", "print", "require", "import", "loader"],
  code: /^(?:-[a-z]*[ep]|--eval|--print)/,
};
/** Signs that code runs other programs, or code that nobody can see. */
const SPAWNS =
  /\b(?:system|open[23]|popen\w*|spawn\w*|exec\w*|fork|subprocess|child_process|pty|ctypes|cdll|dlopen|fiddle|shell_exec|passthru|proc_open|pcntl\w*|qx|eval\w*|compile|importlib|__import__|getattr|binding|Runtime|ProcessBuilder|run-shell-command|callCommand|Deno\.Command|Deno\.run)\b/i;
/** The same, of languages that have no words for it, or others. */
const SPAWNS_IN: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:node|nodejs|bun|tsx|ts-node|deno)$/, /\$`|\$\s*\(\s*["'`]/],
  [/^(?:python|pypy)[\d.]*$/, /subprocess|posix_spawn|sys\.modules|\brunpy\b/],
  // Its `open` runs what it is told, unless a sign says that it is to be read or written.
  [
    /^perl$/,
    /`|%x|\/e\b|\brun\(|\bopen\b(?!\s*\(?\s*(?:my\s+)?[\w$]+\s*,\s*["']\s*\+?[<>])|\bARGV\b[^]*(?:\w\s*\|\s*["']|["']\s*\|\s*\w)/i,
  ],
  [/^ruby$/, /`|%x|\/e\b|\brun\(|["']\|\s*[\w./-]/i],
  [/^(?:R|Rscript)$/, /`|%x|\brun\(|\bpipe\s*\(/],
  [/^/, /`|%x|\/e\b|\brun\(/i],
];
/** Of a name that begins or ends so, perl reads what a program prints. */
const PIPED = /^\s*\|\s*[^\s|]|[^\s|]\s*\|\s*$/;
/** What looks like it and is not: patterns that are compiled and matched. No slash of a division stands there. */
const MATCHES = /\bre\.compile\(|(?<![*])\/\.exec\(/g;

const EVAL: Interpreter = { letters: "eErIMlCr", long: ["eval"], code: /^(?:-[A-Za-z]*[eEr]|--eval)/ };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  bun: NODE,
  clisp: { letters: "xi", code: /^-x/ },
  deno: EVAL,
  elixir: EVAL,
  expect: { letters: "cf", code: /^-[a-z]*c/ },
  ghc: EVAL,
  gnuplot: EVAL,
  groovy: EVAL,
  guile: { letters: "cle", code: /^-[a-z]*c/ },
  irb: EVAL,
  jrunscript: EVAL,
  julia: EVAL,
  lua: EVAL,
  luajit: EVAL,
  mysql: { letters: "eDuhP", long: ["execute", "database", "user", "host"], code: /^(?:-[a-z]*e|--execute)/ },
  node: NODE,
  nodejs: NODE,
  octave: { letters: "", long: ["eval"], code: /^--eval/ },
  "octave-cli": { letters: "", long: ["eval"], code: /^--eval/ },
  osascript: EVAL,
  perl: EVAL,
  php: { letters: "rBRFEdc", code: /^-[A-Za-z]*[rBRE]/ },
  psql: { letters: "cdfhopUv", long: ["command", "dbname", "file"], code: /^(?:-[A-Za-z]*c|--command)/ },
  pypy: PYTHON,
  python: PYTHON,
  R: EVAL,
  Rscript: EVAL,
  ruby: EVAL,
  sqlite3: { letters: "", long: ["cmd"], code: /^-cmd/ },
  slsh: EVAL,
  swift: EVAL,
  tclsh: EVAL,
  "ts-node": NODE,
  tsx: NODE,
};

/** Programs that run a command among their words, where only they know. */
const RUNNERS = new Set(
  [
    "kubectl oc lxc vagrant",
    "gdb lldb tmux firejail bwrap proot nodemon watchexec ip mosh make just",
    "op aws-vault nix nix-shell guix distrobox toolbox flatpak-spawn incus foreman honcho pm2 tox lerna nx turbo",
    "concurrently chokidar ansible salt fab pdsh capsh sg machinectl cmd socat certbot cmake",
  ]
    .join(" ")
    .split(" "),
);

/** Options with which nothing is read from elsewhere. */
const READS_NOTHING = /^(?:-[vVh]|--version|--help|--test\b.*|--run=.*)$/;

export function unwrapInterpreter(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const runner = unwrapContainer(name, words) ?? unwrapPackageRunner(name, words);
  return together(unwrapLanguage(name, words), runner);
}

function unwrapLanguage(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const rest = words.slice(1);
  if (RUNNERS.has(name)) return runs([glimpse(ownWords(name, words))]);
  const family = name.replace(/^(python|pypy|perl|ruby|php|lua)[\d.]+$/, "$1");
  const interpreter = Object.hasOwn(INTERPRETERS, family) ? INTERPRETERS[family] : undefined;
  if (!interpreter) return null;
  const { index, isSure } = skipOptions(words, 1, interpreter);
  const options = words.slice(1, index).filter((word) => isOptionWord(word.value));
  const isCode = ({ value }: ShellWord) => isOptionWord(value) && interpreter.code.test(value);
  if (family === "perl" && rest.some(({ value }) => !isOptionWord(value) && PIPED.test(value)))
    return hides("perl runs what stands before a bar, or behind one", [glimpse(rest)]);
  if (options.some(isCode)) {
    const isComputed = words
      .slice(1, index)
      .some((word, at) => isCode(word) && isUnknown(word, rest[at + 1]));
    if (isComputed) return computedCode(name, rest);
    return together(unwrapCode(name, rest), interpreter === PYTHON ? unwrapModule(words.slice(1)) : null);
  }
  const program = words.slice(index);
  if (name === "deno" && program[0]?.value === "eval")
    return program.some((word) => word.unknown) ? computedCode(name, rest) : unwrapCode(name, program);
  if (program.length > 0 && !readsScript(name, program))
    // Of a script whose name is computed, and of what runs packages, the words are looked through.
    return runs([
      { type: "words", words: program, isSeen: true, isScript: true },
      ...(isSure && isPlain(name, program) ? [] : [glimpse(rest)]),
    ]);
  if (options.length > 0 && options.every((word) => READS_NOTHING.test(word.value))) return null;
  return hides(`${name} runs what it reads`);
}

/** `deno run -` */
function readsScript(name: string, program: readonly ShellWord[]): boolean {
  const script = takesCommand(name) && program[0]?.value === "run" ? program[1] : program[0];
  return script !== undefined && (script.value === "-" || isInputName(script.path));
}

function takesCommand(name: string): boolean {
  return name === "bun" || name === "deno";
}

function isPlain(name: string, program: readonly ShellWord[]): boolean {
  return !takesCommand(name) && program[0]?.unknown === false;
}

/** `python -m pytest` is pytest. */
function unwrapModule(rest: readonly ShellWord[]): Unwrapped | null {
  const index = rest.findIndex(({ value }) => /^-[A-Za-bd-z]*m/.test(value));
  const option = rest[index];
  if (!option || rest.slice(0, index).some(({ value }) => /^-[A-Za-z]*c/.test(value))) return null;
  const attached = option.value.replace(/^-[A-Za-ln-z]*m/, "");
  const words = attached === "" ? [] : [literalWord(attached)];
  return runs([{ type: "words", words: [...words, ...rest.slice(index + 1)], isSeen: true }]);
}

/** Code that an interpreter reads from its input; null when it does not. */
export function unwrapInputCode(name: string, words: readonly ShellWord[], code: string): Unwrapped | null {
  const isReading =
    /^(?:python[\d.]*|node)$/.test(name) && words.slice(1).every(({ value }) => value === "-");
  return isReading ? unwrapCode(name, [literalWord(code)]) : null;
}

function isUnknown(option: ShellWord, value: ShellWord | undefined): boolean {
  return option.unknown || value?.unknown === true;
}

/** `python3 -c "$(curl …)"` runs what comes from elsewhere, as `curl … | python3` does. */
function computedCode(name: string, words: readonly ShellWord[]): Unwrapped {
  return hides(`it cannot be seen which code ${name} runs`, [glimpse(words)]);
}

/** Who allows a language allows its code; not what the code hands to the system. */
function unwrapCode(name: string, words: readonly ShellWord[]): Unwrapped {
  const [, ofLanguage] = SPAWNS_IN.find(([names]) => names.test(name)) ?? [];
  const isSpawning = words.some(({ value }) => {
    const code = value.replace(MATCHES, "(");
    return SPAWNS.test(code) || ofLanguage?.test(code) === true;
  });
  return isSpawning ? hides(`code of ${name} can run other programs`, [glimpse(words)]) : runs([]);
}
