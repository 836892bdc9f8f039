/** Programs that run the command that follows their own options. One row each. */
import { skipOptions, type ValueOptions } from "./option-words.js";
import { UNKNOWN_WORD, type ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Inner, type Unwrapped } from "./unwrapped.js";
import { assignedName, variableRisk } from "./variable-risk.js";

interface Wrapper extends ValueOptions {
  /** Words of its own between its options and the command: the seconds of `timeout`. */
  readonly operands?: number;
  /** It changes neither what the command may do nor where: the command is all that needs to be allowed. */
  readonly isTransparent?: true;
  /** It adds words that come from elsewhere. */
  readonly isExtended?: true;
  /** Names of tools stand before the command, and two dashes behind them. */
  readonly endsWithDashes?: true;
  /** It takes assignments before the command. */
  readonly assigns?: true;
  /** Options of its own by which it runs another program. */
  readonly running?: RegExp;
  /** Options of its own by which it goes to another folder first. */
  readonly moving?: RegExp;
  /** Without a command, it starts a shell. */
  readonly startsShell?: true;
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  // They change nothing but when and how fast something runs.
  chrt: { letters: "TPD", operands: 1, isTransparent: true },
  ionice: { letters: "cnpPu", long: ["class", "classdata", "pid", "pgid", "uid"], isTransparent: true },
  nice: { letters: "n", long: ["adjustment"], isTransparent: true },
  nohup: { isTransparent: true },
  setsid: { isTransparent: true },
  stdbuf: { letters: "ioe", long: ["input", "output", "error"], isTransparent: true },
  taskset: { letters: "p", operands: 1, isTransparent: true },
  timeout: { letters: "ks", long: ["kill-after", "signal"], operands: 1, isTransparent: true },
  xargs: {
    letters: "adEIJLnPRSs",
    long: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
    attached: "eil",
    isTransparent: true,
    isExtended: true,
  },
  // Words of the shell itself.
  builtin: { isTransparent: true },
  command: { isTransparent: true },
  exec: { letters: "a", isTransparent: true },
  // They run as somebody else, or elsewhere.
  chroot: { long: ["userspec", "groups"], operands: 1, startsShell: true },
  doas: { letters: "Cu", assigns: true },
  nsenter: {
    letters: "tSGrw",
    long: ["target", "setuid", "setgid"],
    moving: /^(?:-[A-Za-z]*[rw]|--(?:wd|ro))/,
    startsShell: true,
  },
  setpriv: { long: ["reuid", "regid", "groups", "inh-caps", "ambient-caps", "bounding-set", "securebits"] },
  sudo: {
    letters: "CDghpRrTtUu",
    long: ["close-from", "chdir", "group", "host", "prompt", "chroot", "role", "type", "other-user", "user"],
    assigns: true,
    running: /^(?:-[A-Za-z]*[si]|--shell|--login)$/,
    moving: /^(?:-[A-Za-z]*[DR]|--ch)/,
  },
  unshare: {
    letters: "SGRw",
    long: ["setuid", "setgid", "root", "wd", "map-user", "map-group"],
    moving: /^(?:-[A-Za-z]*[Rw]|--(?:wd|ro))/,
    startsShell: true,
  },
  pkexec: { letters: "u", long: ["user"] },
  gosu: { operands: 1 },
  "su-exec": { operands: 1 },
  runcon: { operands: 1 },
  // They watch it, or change what is around it.
  arch: {},
  caffeinate: { letters: "tw" },
  catchsegv: {},
  choom: { letters: "np", long: ["adjust", "pid"] },
  chronic: {},
  cpulimit: { letters: "lpPe", long: ["limit", "pid", "path", "exe"] },
  "dbus-run-session": { long: ["config-file", "dbus-daemon"], running: /^--(?:config-file|dbus-daemon)/ },
  dotenv: { letters: "ef", long: ["file"] },
  eatmydata: {},
  entr: {},
  fakeroot: { letters: "lsi", long: ["lib", "faked"], running: /^--?(?:l|fa)/, startsShell: true },
  faketime: { letters: "f", operands: 1 },
  linux32: { startsShell: true },
  linux64: { startsShell: true },
  ltrace: { letters: "aeoFlnpsSuxX" },
  multitime: { letters: "nqIirsf" },
  perf: { letters: "eoFcCptIMGDmx", long: ["event", "output", "cpu", "pid"], operands: 1 },
  prlimit: { letters: "po", long: ["pid", "output"] },
  proxychains: { letters: "f" },
  proxychains4: { letters: "f" },
  rlwrap: { letters: "bcCDefghHlmMNopPqQsStwz", running: /^(?:-[A-Za-z]*z|--filter)/ },
  "sandbox-exec": { letters: "fnpD" },
  screen: { letters: "dDmSStTUehps" },
  "systemd-run": {
    letters: "pEtMHuPS",
    long: ["unit", "property", "setenv", "description", "slice", "uid", "gid"],
    running: /Exec|^(?:-[A-Za-z]*S|--shell)/,
  },
  setarch: { operands: 1, startsShell: true },
  strace: { letters: "abeEIopOPsSuUX", long: ["output", "trace", "expr", "attach"] },
  torify: {},
  torsocks: { letters: "aPuPp" },
  unbuffer: {},
  valgrind: { running: /^--db-command/ },
  winpty: {},
  wsl: { letters: "deu", long: ["exec", "distribution", "user", "cd"] },
  "xvfb-run": { letters: "efnpsw" },
  // They choose a version first.
  asdf: { operands: 1 },
  direnv: { operands: 2 },
  mise: { operands: 1, endsWithDashes: true },
  pyenv: { operands: 1 },
  rbenv: { operands: 1 },
  // It keeps its measurements in a file.
  time: { letters: "fo", long: ["format", "output"] },
  // Many programs in one.
  busybox: { isTransparent: true },
  toybox: { isTransparent: true },
};

/** The program that loads all others. */
const LOADER = /^ld(?:-linux|-musl)?[\w.-]*\.so(?:\.\d+)?$/;

/** Null when the program is none of these, or runs nothing here. */
export function unwrapPrefix(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : LOADER.test(name) ? {} : undefined;
  if (!wrapper || isQuestion(name, words)) return null;
  const { index, isSure } = skipOptions(words, 1, wrapper);
  const dashes = wrapper.endsWithDashes ? words.findIndex((word) => word.value === "--") : -1;
  const start = dashes === -1 ? commandStart(words, index + (wrapper.operands ?? 0), wrapper) : dashes + 1;
  const inner = words.slice(start);
  const has = (option: RegExp | undefined) => words.slice(1, start).some(({ value }) => option?.test(value));
  if (has(wrapper.running))
    return hides(`an option of ${name} can run another program`, wholeOf(words, inner));
  if (has(wrapper.moving)) return hides(`${name} runs it in another folder`, wholeOf(words, inner));
  if (inner.length === 0 && wrapper.startsShell && !words.some(isHelp))
    return hides(`${name} starts a shell`);
  // A word that is computed may be the command.
  if (inner.length === 0) return isSure ? null : hides(`it cannot be seen which command ${name} runs`, []);
  const isClear = isSure && words.slice(index, start).every((word) => !word.unknown);
  const whole = wrapper.isExtended ? extended(words.slice(1, index), inner) : inner;
  const unwrapped = runs([{ type: "words", words: whole }]);
  const assigned = words.slice(1, start).find((word, at) => isRisky(name, word, words[at]?.value));
  if (assigned) return hides(`${assigned.value} may change which program is run`, unwrapped.inner);
  if (!isClear) return hides(`it cannot be seen which command ${name} runs`, unwrapped.inner);
  return { ...unwrapped, isTransparent: wrapper.isTransparent === true };
}

/** Its own words, and its command. */
function wholeOf(words: readonly ShellWord[], command: readonly ShellWord[]): readonly Inner[] {
  const all = [glimpse(words.slice(1))];
  return command.length === 0 ? all : [...all, { type: "words", words: command }];
}

function isHelp({ value }: ShellWord): boolean {
  return /^(?:--help|--version|-h|-V)$/.test(value);
}

/** What xargs reads comes behind the command, or into it, wherever the text stands that it was told to replace. */
function extended(options: readonly ShellWord[], command: readonly ShellWord[]): readonly ShellWord[] {
  const replaced = options.flatMap((word, at) => replacedText(word.value, options[at + 1]?.value ?? ""));
  if (replaced.length === 0) return [...command, UNKNOWN_WORD];
  const texts = [...replaced, "{}"].filter((text) => text !== "");
  const isHeld = (word: ShellWord) => texts.some((text) => word.value.includes(text));
  // `-J` puts in all that it read at once.
  if (options.some(({ value }) => /^-[a-zA-Z0-9]*J/.test(value)))
    return [...command.map((word) => (isHeld(word) ? UNKNOWN_WORD : word)), UNKNOWN_WORD];
  return command.map((word) => (isHeld(word) ? fill(word, texts) : word));
}

/** What stands before the text that is replaced is still known: `--pre={}`. */
function fill({ value }: ShellWord, texts: readonly string[]): ShellWord {
  return {
    ...UNKNOWN_WORD,
    value: texts.reduce((all, text) => all.replaceAll(text, UNKNOWN_WORD.value), value),
  };
}

/** The text that an option of xargs says is to be replaced. */
function replacedText(option: string, next: string): readonly string[] {
  if (option.startsWith("--")) {
    const [, name = "", text = "{}"] = /^--([a-z-]+)(?:=(.*))?$/s.exec(option) ?? [];
    return name !== "" && "replace".startsWith(name) ? [text] : [];
  }
  const [, letter, text = ""] = /^-[^adEeLlnPRSsiIJ]*([iIJ])(.*)$/s.exec(option) ?? [];
  if (letter === undefined) return [];
  return [text !== "" ? text : letter === "i" ? "{}" : next];
}

function commandStart(words: readonly ShellWord[], start: number, { assigns }: Wrapper): number {
  const index = words.findIndex((word, at) => at >= start && assignedName(word.value) === null);
  return assigns && index !== -1 ? index : start;
}

/** `PATH=x`, `-E PATH=x`, `--setenv=PATH=x`. */
function isRisky(program: string, { value, unknown }: ShellWord, before = ""): boolean {
  const held = value.replace(/^(?:-[A-Za-z]+|--[a-z-]+=)/, "");
  const name = assignedName(value) ?? assignedName(held) ?? assignedName(value.replace(/^-[A-Za-z]/, ""));
  if (name !== null) return variableRisk(name) === "risky";
  // It gives what it sees to a program.
  if (program === "strace") return /^[|!]/.test(held);
  // It sets a variable of that name.
  const isSlot = program === "xargs" && (value.includes("=") ? value : before).startsWith("--pr");
  return isSlot && (unknown || variableRisk(held) === "risky");
}

/** `command -v ls` runs nothing. */
function isQuestion(name: string, words: readonly ShellWord[]): boolean {
  return name === "command" && /^-[pvV]*[vV]/.test(words[1]?.value ?? "");
}
