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
}

const EDITOR: RunningOptions = { letters: "cSsuU", long: ["cmd"], word: /^\+/ };
const PAGER: RunningOptions = { letters: "kP", long: ["lesskey-file", "lesskey-src"], word: /^\+/ };

const COMPILER: RunningOptions = { word: /^-(?:wrapper|fplugin|specs)/ };
const CONNECTION: RunningOptions = { letters: "ce", long: ["exec", "sh-exec", "lua-exec"] };

const RUNNING_OPTIONS: Readonly<Record<string, RunningOptions>> = {
  apt: { letters: "oc", long: ["option", "config-file"] },
  "apt-get": { letters: "oc", long: ["option", "config-file"] },
  aria2c: { word: /^--on-/ },
  cc: COMPILER,
  clang: COMPILER,
  csvtool: { word: /^call$/ },
  curl: { letters: "K", long: ["config"] },
  dc: { letters: "ef", long: ["expression", "file"] },
  enscript: { letters: "I", long: ["filter"] },
  emacs: { letters: "lf", long: ["eval", "execute", "funcall", "load", "script", "batch", "insert"] },
  ex: EDITOR,
  fd: { letters: "xX", long: ["exec", "exec-batch"] },
  fdfind: { letters: "xX", long: ["exec", "exec-batch"] },
  fzf: { long: ["bind", "preview", "listen", "listen-unsafe", "become"] },
  gcc: COMPILER,
  "g++": COMPILER,
  hg: { long: ["config"] },
  less: PAGER,
  lftp: { letters: "ce" },
  mail: { long: ["exec"] },
  make: { long: ["eval"], word: /^(?:SHELL|MAKEFLAGS)=/ },
  man: { letters: "PHC", long: ["pager", "html", "config-file"] },
  more: PAGER,
  nc: CONNECTION,
  ncat: CONNECTION,
  netcat: CONNECTION,
  nmap: { long: ["script", "interactive"] },
  nvim: EDITOR,
  pg: PAGER,
  pidstat: { letters: "e" },
  pip: { long: ["editor"] },
  restic: { long: ["password-command"] },
  rg: { long: ["pre", "hostname-bin"] },
  rpm: { letters: "E", long: ["eval", "pipe", "define"] },
  rsync: { letters: "e", long: ["rsh", "rsync-path"] },
  scp: { letters: "oSFJ" },
  sftp: { letters: "oSFJb" },
  sort: { long: ["compress-program"] },
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
  "yt-dlp": { long: ["exec", "exec-before-download"] },
  zip: { letters: "T", long: ["test", "unzip-command"] },
};

export function runningOption(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const known = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name] : undefined;
  if (!known) return null;
  const rest = words.slice(1);
  const [first] = rest;
  // `tar xIf` is how its options were written once.
  const options =
    name === "tar" && first && !first.unknown ? [{ ...first, value: `-${first.value}` }, ...rest] : rest;
  const isThere =
    hasOption(options, known.letters ?? "", known.long ?? []) ||
    rest.some((word) => known.word?.test(word.value) === true);
  return isThere ? hides(`an option of ${name} can run another program`, [glimpse(rest)]) : null;
}
