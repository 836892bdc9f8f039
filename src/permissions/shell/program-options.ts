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

const RUNNING_OPTIONS: Readonly<Record<string, RunningOptions>> = {
  apt: { letters: "oc", long: ["option", "config-file"] },
  "apt-get": { letters: "oc", long: ["option", "config-file"] },
  curl: { letters: "K", long: ["config"] },
  emacs: { letters: "lf", long: ["eval", "execute", "funcall", "load", "script", "batch", "insert"] },
  fd: { letters: "xX", long: ["exec", "exec-batch"] },
  fdfind: { letters: "xX", long: ["exec", "exec-batch"] },
  less: PAGER,
  man: { letters: "PHC", long: ["pager", "html", "config-file"] },
  more: PAGER,
  nmap: { long: ["script", "interactive"] },
  nvim: EDITOR,
  pg: PAGER,
  rg: { long: ["pre", "hostname-bin"] },
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
  zip: { letters: "T", long: ["test", "unzip-command"] },
};

export function runningOption(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const known = Object.hasOwn(RUNNING_OPTIONS, name) ? RUNNING_OPTIONS[name] : undefined;
  if (!known) return null;
  const rest = words.slice(1);
  const isThere =
    hasOption(rest, known.letters ?? "", known.long ?? []) ||
    rest.some((word) => known.word?.test(word.value) === true);
  return isThere ? hides(`an option of ${name} can run another program`, [glimpse(rest)]) : null;
}
