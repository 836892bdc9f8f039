/** The files that well-known programs read and write: one row each. */
import type { ValueOptions } from "./option-words.js";

/** `filter`: the second operand is written. */
type Kind = "read" | "write" | "copy" | "move" | "filter" | "none";

/** Options whose value is a file. */
export interface FileOptions {
  readonly letters?: string;
  /** Without dashes. Shortened names count as well, and longer ones: `data-binary` of `data`. */
  readonly long?: readonly string[];
}

export interface FileProgram extends ValueOptions {
  readonly kind: Kind;
  /** Operands in front that are no files: a pattern, a mode. */
  readonly skipped?: number;
  /** Options that say that there is no such operand. */
  readonly skippedBy?: RegExp;
  /** Options whose value is a file that is written. */
  readonly writes?: FileOptions;
  /** The same, of a program that only seems to read. */
  readonly outputs?: FileOptions;
  /** Options whose value is a file that is read. */
  readonly reads?: FileOptions;
  /** Options whose value is such a file when it begins with `@`, and a text when not. */
  readonly readsBehindAt?: FileOptions;
  /** Options whose value chooses files by their names. */
  readonly chooses?: FileOptions;
  /** Options with which it only reads what it writes otherwise. */
  readonly readsBy?: RegExp;
  /** `-name`: its options with one dash are names, and their values stand apart. */
  readonly hasLongNames?: boolean;
  /** Other options of it that are no shortened names of those. */
  readonly whole?: readonly string[];
  /** It has more options for files than are listed here. */
  readonly isManifold?: true;
  /** Behind its options stands a command, with options of its own. */
  readonly isBeforeCommand?: true;
  /** Without operands it looks at the folder that it runs in. */
  readonly looksAround?: true;
  /** Of a folder, it takes all that is below: always, or with these options. */
  readonly isDeep?: RegExp | true;
}

const READERS =
  "source . realpath readlink cat tac more nl od hexdump strings wc comm cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum base32 basenc file stat rev expand unexpand column bat zcat bzcat xzcat fold fmt pr paste look join";
const WRITERS = "rmdir unlink shred tee touch mkdir nano vi vim nvim emacs mkfifo sponge";
const NEITHER =
  "echo printf true false : test [ cd pushd pwd kill sleep whoami id uname hostname which type basename dirname seq expr exit return wait jobs umask ulimit set unset read export declare local readonly typeset let trap shift break continue sudo doas nohup nice timeout command builtin exec env eval";

export const SEARCH = {
  kind: "read",
  skipped: 1,
  skippedBy: /^(?:-[A-Za-z]*[ef]|--regexp|--file)/,
} as const;
const MODE = {
  kind: "write",
  skipped: 1,
  skippedBy: /^--reference/,
  isDeep: /^(?:-[A-Za-z]*R|--recursive)/,
} as const;
const INTO: FileOptions = { letters: "t", long: ["target-directory"] };
const ALL_BELOW = /^(?:-[A-Za-z]*[rRa]|--recursive|--archive)/;

const CURL: FileProgram = {
  kind: "none",
  letters: "AbBcCdDeEFhHKmoPQrtTuUwxXyYz",
  whole: ["head", "url", "netrc"],
  outputs: {
    letters: "oDc",
    long: [
      "output",
      "dump-header",
      "cookie-jar",
      "trace",
      "stderr",
      "libcurl",
      "etag-save",
      "hsts",
      "alt-svc",
    ],
  },
  reads: {
    letters: "TFbKEw",
    long: [
      "upload-file",
      "data-urlencode",
      "form",
      "cookie",
      "config",
      "cert",
      "key",
      "netrc-file",
      "cacert",
      "capath",
      "url-query",
      "unix-socket",
      "crlfile",
      "write-out",
      "variable",
    ],
  },
  readsBehindAt: { letters: "dH", long: ["data", "json", "header"] },
};

const WGET: FileProgram = {
  kind: "none",
  letters: "aABDeiIloOPQRtTUwX",
  writes: {
    letters: "OoaP",
    long: [
      "output",
      "directory-prefix",
      "append-output",
      "save-cookies",
      "warc-file",
      "rejected-log",
      "hsts-file",
    ],
  },
  reads: { letters: "i", long: ["input-file", "post-file", "body-file", "load-cookies"] },
};

const PROGRAMS: ReadonlyMap<string, FileProgram> = new Map<string, FileProgram>([
  ...listed(READERS, { kind: "read", reads: { long: ["files0-from", "from-file", "to-file"] } }),
  ...listed(WRITERS, { kind: "write" }),
  ...listed(NEITHER, { kind: "none" }),
  ...listed("ls du", { kind: "read", reads: { long: ["files0-from"] }, looksAround: true }),
  ...listed("bash sh dash ash", { kind: "read", letters: "oO", long: ["rcfile", "init-file"] }),
  ...listed("diff", {
    kind: "read",
    outputs: { long: ["output"] },
    reads: { long: ["from-file", "to-file"] },
    isDeep: /^(?:-[A-Za-z]*r|--recursive)/,
  }),
  [
    "base64",
    { kind: "read", letters: "bwio", outputs: { letters: "o", long: ["output"] }, reads: { letters: "i" } },
  ],
  ...listed("grep egrep fgrep rg ag ack zgrep", {
    ...SEARCH,
    letters: "efABCmdDgtT",
    whole: ["exclude", "ignore"],
    reads: { letters: "f", long: ["file", "ignore-file", "exclude-from"] },
    chooses: { letters: "g", long: ["include", "glob", "iglob"] },
    isDeep: /^(?:-[A-Za-z]*[rR]|--recursive|--dereference-recursive)/,
  }),
  ...listed("awk gawk mawk nawk", {
    ...SEARCH,
    letters: "Fvf",
    reads: { letters: "f", long: ["file"] },
  }),
  ...listed("jq yq", { ...SEARCH, long: ["arg", "argjson", "slurpfile", "rawfile"] }),
  ...listed("chmod chown chgrp", MODE),
  ["rm", { kind: "write", isDeep: ALL_BELOW }],
  ...listed("gzip gunzip bzip2 bunzip2 xz unxz zstd", {
    kind: "write",
    letters: "S",
    readsBy: /^(?:-[A-Za-z0-9]*[clt]|--(?:stdout|to-stdout|list|test))/,
    isDeep: /^(?:-[A-Za-z0-9]*r|--recursive)/,
  }),
  ["head", { kind: "read", letters: "nc", long: ["lines", "bytes"] }],
  ["tail", { kind: "read", letters: "ncs", long: ["lines", "bytes", "sleep-interval", "pid"] }],
  ["cut", { kind: "read", letters: "bcdf" }],
  ["date", { kind: "none", reads: { letters: "fr", long: ["file", "reference"] } }],
  [
    "sort",
    {
      kind: "read",
      letters: "ktSTo",
      outputs: { letters: "o", long: ["output"] },
      reads: { long: ["files0-from"] },
    },
  ],
  [
    "shuf",
    {
      kind: "read",
      letters: "ion",
      outputs: { letters: "o", long: ["output"] },
      reads: { long: ["random-source"] },
    },
  ],
  ["iconv", { kind: "read", letters: "fto", outputs: { letters: "o", long: ["output"] } }],
  [
    "find",
    {
      kind: "none",
      outputs: { long: ["fprint", "fprint0", "fprintf", "fls"] },
      reads: { long: ["files0-from"] },
      hasLongNames: true,
    },
  ],
  ["tree", { kind: "read", letters: "oLPI", outputs: { letters: "o" }, looksAround: true }],
  ["less", { kind: "read", outputs: { letters: "oO", long: ["log-file", "LOG-FILE"] } }],
  ["split", { kind: "filter", letters: "ablnCt" }],
  ["csplit", { kind: "read", letters: "fbn", outputs: { letters: "f", long: ["prefix"] } }],
  ["truncate", { kind: "write", letters: "sro" }],
  ["xargs", { kind: "none", letters: "adEeIiJLlnPRSs", reads: { letters: "a", long: ["arg-file"] } }],
  ["cp", { kind: "copy", letters: "tS", writes: INTO, isDeep: ALL_BELOW }],
  ["ln", { kind: "copy", letters: "tS", writes: INTO }],
  ["install", { kind: "copy", letters: "mogtS", writes: INTO }],
  [
    "rsync",
    {
      kind: "copy",
      letters: "efT",
      whole: ["exclude", "include"],
      reads: { long: ["files-from", "exclude-from", "include-from"] },
      isDeep: ALL_BELOW,
      isManifold: true,
    },
  ],
  ["scp", { kind: "copy", letters: "cFiJloPS", isDeep: ALL_BELOW }],
  ["mv", { kind: "move", letters: "tS", writes: INTO, isDeep: true }],
  [
    "time",
    { kind: "none", letters: "fo", outputs: { letters: "o", long: ["output"] }, isBeforeCommand: true },
  ],
  ["curl", CURL],
  ["wget", WGET],
]);

function listed(names: string, program: FileProgram): readonly (readonly [string, FileProgram])[] {
  return names.split(" ").map((name) => [name, program]);
}

export function fileProgram(name: string): FileProgram | undefined {
  return PROGRAMS.get(name);
}
