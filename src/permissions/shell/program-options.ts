/**
 * Programs that only seem to read or show something, and can run another, by options that few people know. Lines that use
 * them are never allowed: who allowed `sort *` did not mean `sort --compress-program`. Most are in GTFOBins.
 */
import { hasOption } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";

interface RunningOptions {
  readonly letters?: string;
  /** Shortened names count as well. */
  readonly long?: readonly string[];
  /** Words that are no options, such as `+!id` of less. */
  readonly word?: RegExp;
  /** What stands behind `--` is for another program. */
  readonly isForItself?: true;
}

const EDITOR: RunningOptions = { letters: "cSsuU", long: ["cmd"], word: /^\+/ };
const PAGER: RunningOptions = { letters: "kP", long: ["lesskey-file", "lesskey-src"], word: /^\+/ };

const COMPILER: RunningOptions = { word: /^-(?:wrapper|fplugin|specs)/ };
const LINKER: RunningOptions = { long: ["plugin"] };
/** Only before `--`: what is behind it is for the script. */
const SCRIPTS: RunningOptions = {
  letters: "C",
  long: [
    "script-shell",
    "prefix",
    "node-options",
    "userconfig",
    "globalconfig",
    "shell",
    "editor",
    "viewer",
    "cwd",
    "dir",
  ],
  isForItself: true,
};
const CONNECTION: RunningOptions = { letters: "ce", long: ["exec", "sh-exec", "lua-exec"] };

const RUNNING_OPTIONS: Readonly<Record<string, RunningOptions>> = {
  apt: { letters: "oc", long: ["option", "config-file"] },
  "apt-get": { letters: "oc", long: ["option", "config-file"] },
  ar: LINKER,
  aria2c: { word: /^--on-/ },
  bat: { long: ["pager"] },
  batcat: { long: ["pager"] },
  cargo: { long: ["config"], isForItself: true },
  cc: COMPILER,
  clang: COMPILER,
  csvtool: { word: /^call$/ },
  curl: { letters: "K", long: ["config"] },
  dc: { letters: "ef", long: ["expression", "file"] },
  enscript: { letters: "I", long: ["filter"] },
  emacs: { letters: "lf", long: ["eval", "execute", "funcall", "load", "script", "batch", "insert"] },
  eslint: { letters: "c", long: ["config", "rulesdir", "resolve-plugins-relative-to"] },
  ex: EDITOR,
  fd: { letters: "xX", long: ["exec", "exec-batch"] },
  fdfind: { letters: "xX", long: ["exec", "exec-batch"] },
  fzf: { long: ["bind", "preview", "listen", "listen-unsafe", "become"] },
  gcc: COMPILER,
  "g++": COMPILER,
  gh: { word: /^(?:alias|extensions?|ext)$/ },
  go: { word: /^--?(?:toolexec|vettool|exec|overlay)(?:=|$)/ },
  gradle: { letters: "I", long: ["init-script"] },
  hg: { long: ["config"] },
  ip: { word: /^(?:-b|-ba|-bat|-batch|--batch|exec)$/ },
  // It may run a program to see what it needs; of those of the system that is known.
  ldd: { word: /^(?!-|\/(?:usr|bin|sbin|lib|lib64|opt)\/)/ },
  kubectl: { long: ["kubeconfig"], isForItself: true },
  less: PAGER,
  lftp: { letters: "ce" },
  mail: { long: ["exec"] },
  make: { long: ["eval"], word: /^(?:SHELL|MAKEFLAGS)=/ },
  man: { letters: "PHC", long: ["pager", "html", "config-file"] },
  more: PAGER,
  mysql: { word: /\\!|\bsystem\b/i },
  nc: CONNECTION,
  ncat: CONNECTION,
  netcat: CONNECTION,
  nm: LINKER,
  nmap: { long: ["script", "interactive"] },
  npm: SCRIPTS,
  nvim: EDITOR,
  objdump: LINKER,
  pg: PAGER,
  pidstat: { letters: "e" },
  pip: { long: ["editor"] },
  pnpm: SCRIPTS,
  prettier: { long: ["plugin"] },
  psql: { letters: "f", long: ["file"], word: /\\[!a-z]|\bprogram\b/i },
  restic: { long: ["password-command"] },
  rg: { long: ["pre", "hostname-bin"] },
  rpm: { letters: "E", long: ["eval", "pipe", "define"] },
  rsync: { letters: "e", long: ["rsh", "rsync-path"] },
  scp: { letters: "oSFJ" },
  sftp: { letters: "oSFJb" },
  sort: { long: ["compress-program"] },
  sqlite3: {
    word: /(?:^|\n)\s*\.(?!(?:tables|schema|mode|headers?|databases|indexes|indices|dump|help)\b)\w|\b(?:load_extension|writefile|edit|readfile)\s*\(|^-{1,2}(?:cmd|init)$/i,
  },
  split: { long: ["filter"] },
  tar: {
    letters: "IF",
    long: [
      "checkpoint-action",
      "info-script",
      "new-volume-script",
      "rmt-command",
      "rsh-command",
      "to-command",
      "use-compress-program",
    ],
  },
  tcpdump: { letters: "z", long: ["postrotate-command"] },
  vi: EDITOR,
  view: EDITOR,
  vim: EDITOR,
  wget: { letters: "e", long: ["execute", "use-askpass", "config"] },
  yarn: SCRIPTS,
  "yt-dlp": { long: ["exec", "exec-before-download"] },
  zip: { letters: "T", long: ["test", "unzip-command"] },
};

export function runningOption(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const known = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name] : undefined;
  if (!known) return null;
  const end = known.isForItself ? words.findIndex((word) => word.value === "--") : -1;
  const rest = words.slice(1, end === -1 ? words.length : end);
  const [first] = rest;
  // `tar xIf` is how its options were written once.
  const options =
    name === "tar" && first && !first.unknown ? [{ ...first, value: `-${first.value}` }, ...rest] : rest;
  const isThere =
    hasOption(options, known.letters ?? "", known.long ?? []) ||
    rest.some((word) => known.word?.test(word.value) === true);
  return isThere ? hides(`an option of ${name} can run another program`, [glimpse(rest)]) : null;
}
