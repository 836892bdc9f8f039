/**
 * Programs that run code of a language of theirs. That code is not read: a rule is about the line as it is written, and who
 * allows `python *` allows all of Python. Denies and asks look at what the code seems to run.
 */
import { isOptionWord, skipOptions, type ValueOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Unwrapped } from "./unwrapped.js";

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
const EVAL: Interpreter = { letters: "eErIMlCr", long: ["eval"], code: /^(?:-[A-Za-z]*[eEr]|--eval)/ };

const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  bun: NODE,
  deno: EVAL,
  expect: { letters: "cf", code: /^-[a-z]*c/ },
  julia: EVAL,
  lua: EVAL,
  luajit: EVAL,
  mysql: { letters: "eDuhP", long: ["execute", "database", "user", "host"], code: /^(?:-[a-z]*e|--execute)/ },
  node: NODE,
  nodejs: NODE,
  osascript: EVAL,
  perl: EVAL,
  php: { letters: "rBRFEdc", code: /^-[A-Za-z]*[rBRE]/ },
  psql: { letters: "cdfhopUv", long: ["command", "dbname", "file"], code: /^(?:-[A-Za-z]*c|--command)/ },
  pypy: PYTHON,
  python: PYTHON,
  Rscript: EVAL,
  ruby: EVAL,
  sqlite3: { letters: "", long: ["cmd"], code: /^-cmd/ },
  tclsh: EVAL,
};

/** Programs that run a command among their words, where only they know. */
const RUNNERS = new Set(
  [
    "npx pnpx bunx npm pnpm yarn uvx uv pipx poetry pipenv bundle conda docker podman nerdctl kubectl oc lxc vagrant",
    "strace ltrace gdb lldb perf valgrind systemd-run tmux screen dbus-run-session xvfb-run firejail bwrap",
    "proot fakeroot faketime entr nodemon watchexec hyperfine ip mosh make just",
  ]
    .join(" ")
    .split(" "),
);

/** Options with which nothing is read from elsewhere. */
const READS_NOTHING = /^(?:-[vVh]|--version|--help|--test\b.*|--run=.*)$/;

export function unwrapInterpreter(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const rest = words.slice(1);
  if (RUNNERS.has(name)) return runs([glimpse(rest)]);
  const family = name.replace(/^(python|pypy|perl|ruby|php|lua)[\d.]+$/, "$1");
  const interpreter = Object.hasOwn(INTERPRETERS, family) ? INTERPRETERS[family] : undefined;
  if (!interpreter) return null;
  const { index } = skipOptions(words, 1, interpreter);
  const options = words.slice(1, index).filter((word) => isOptionWord(word.value));
  if (options.some((word) => interpreter.code.test(word.value))) return runs([glimpse(rest)]);
  const program = words.slice(index);
  if (program.length > 0 && program[0]?.value !== "-")
    return runs([{ type: "words", words: program, isSeen: true }]);
  if (options.length > 0 && options.every((word) => READS_NOTHING.test(word.value))) return null;
  return hides(`${name} runs what it reads`);
}
