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
  /** Options with which it writes all of its operands. */
  readonly writesBy?: RegExp;
  /** Its options that take a value, where they are no letters in a group and no names that may be shortened. */
  readonly valued?: RegExp;
  /** Options with which a copy keeps the folders of its name. */
  readonly keepsFolders?: RegExp;
  /** A single operand goes into the folder that it runs in. */
  readonly intoHere?: true;
  /** `-name`: its options with one dash are names, and their values stand apart. */
  readonly hasLongNames?: boolean;
  /** Other options of it that are no shortened names of those. */
  readonly whole?: readonly string[];
  /** It has more options for files than are listed here. */
  readonly isManifold?: true;
  /** Behind its options stands a command, with options of its own. */
  readonly isBeforeCommand?: true;
  /** Without operands it looks at the folder that it runs in: always, or when it takes all that is below. */
  readonly looksAround?: true | "deep";
  /** Of a folder, it takes all that is below: always, or with these options. */
  readonly isDeep?: RegExp | true;
}

const READERS = [
  "source . realpath readlink cat tac more nl od strings wc comm cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
  "b2sum cksum base32 basenc stat rev expand unexpand column bat zcat bzcat xzcat zstdcat fold fmt pr paste look join",
  "zless zmore bzless bzmore xzless xzmore zcmp bzcmp xzcmp zdiff bzdiff xzdiff shasum sum tsort",
].join(" ");
const WRITERS = "rmdir unlink tee touch mkdir nano vim emacs mkfifo sponge";
const NEITHER =
  "echo printf true false : test [ cd pushd pwd kill sleep whoami id uname hostname which type basename dirname seq expr exit return wait jobs umask ulimit set unset read export declare local readonly typeset let trap shift break continue sudo doas nohup nice timeout command builtin exec env eval";

export const SEARCH = {
  kind: "read",
  skipped: 1,
  skippedBy: /^(?:-[A-Za-z0-9]*[ef]|--(?:reg[exp]*|files?)(?:=|$))/,
} as const;
/** `chmod -w` takes a right away: that is the mode. */
const MODE = {
  kind: "write",
  skipped: 1,
  skippedBy: /^(?:-[rwxXstugo0-7]|--ref)/,
  isDeep: /^(?:-[A-Za-z]*R|--rec)/,
} as const;
const INTO: FileOptions = { letters: "t", long: ["target-directory"] };
/** Long names may be shortened: `--recur`. */
const ALL_BELOW = /^(?:-[A-Za-z]*[rRa]|--(?:re?$|rec|ar))/;
const COPIES = {
  kind: "copy",
  letters: "tS",
  long: ["suffix", "target-directory", "sparse", "no-preserve"],
  writes: INTO,
} as const;
const GREP: FileProgram = {
  ...SEARCH,
  letters: "efABCmdD",
  whole: ["exclude", "ignore"],
  reads: { letters: "f", long: ["file", "exclude-from"] },
  chooses: { long: ["include"] },
  looksAround: "deep",
  isDeep: /^(?:-[A-Za-z0-9]*[rR]|--(?:rec|der)|(?:--di[a-z]*=)?recurse$)/,
};
const PACKS: FileProgram = {
  kind: "write",
  letters: "S",
  readsBy: /^(?:-[A-Za-z0-9]*[clt]|--(?:stdout|to-stdout|list|test))/,
  isDeep: /^(?:-[A-Za-z0-9]*r|--rec)/,
};

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
      "etag-compare",
      "write-out",
      "variable",
    ],
  },
  readsBehindAt: { letters: "dH", long: ["data", "json", "header", "proxy-header"] },
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
  ["ls", { kind: "read", looksAround: true }],
  [
    "du",
    {
      kind: "read",
      letters: "BdtX",
      reads: { letters: "X", long: ["files0-from", "exclude-from"] },
      looksAround: true,
    },
  ],
  ["shred", { kind: "write", letters: "ns", reads: { long: ["random-source"] } }],
  ...listed("bash sh dash ash", { kind: "read", letters: "oO", long: ["rcfile", "init-file"] }),
  ...listed("diff", {
    kind: "read",
    letters: "CDFILSUWXx",
    outputs: { long: ["output"] },
    reads: { letters: "X", long: ["from-file", "to-file", "exclude-from"] },
    isDeep: /^(?:-[A-Za-z0-9]*r|--rec)/,
  }),
  ...listed("diff3 sdiff", { kind: "read", outputs: { letters: "o", long: ["output"] } }),
  [
    "file",
    {
      kind: "read",
      letters: "eFfmP",
      reads: { letters: "fm", long: ["files-from", "magic-file"] },
      // It sets the times of the file.
      writesBy: /^(?:-[A-Za-z]*p|--pr)/,
    },
  ],
  ...listed("hexdump hd", { kind: "read", letters: "efns", reads: { letters: "f", long: ["format-file"] } }),
  [
    "base64",
    { kind: "read", letters: "bwio", outputs: { letters: "o", long: ["output"] }, reads: { letters: "i" } },
  ],
  ...listed("grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep", GREP),
  ["rgrep", { ...GREP, looksAround: true, isDeep: true }],
  // Without operands they look at what they are given, if there is any.
  ...listed("rg ag ack", {
    ...SEARCH,
    letters: "efABCmdDgtT",
    whole: ["exclude", "ignore"],
    reads: { letters: "f", long: ["file", "ignore-file", "exclude-from"] },
    chooses: { letters: "g", long: ["include", "glob", "iglob"] },
    isDeep: true,
  }),
  ...listed("awk mawk nawk", {
    ...SEARCH,
    letters: "Fvf",
    reads: { letters: "f", long: ["file"] },
  }),
  ...listed("jq yq", {
    ...SEARCH,
    skippedBy: /^(?:-[A-Za-z0-9]*[ef]|--(?:ex|fr))/,
    valued: /^--(?:arg|argjson|slurpfile|rawfile)$/,
  }),
  ...listed("chmod chown chgrp", MODE),
  ["rm", { kind: "write", isDeep: ALL_BELOW }],
  ...listed("gzip gunzip bzip2 bunzip2 xz unxz lz4", PACKS),
  [
    "zstd",
    {
      ...PACKS,
      letters: "oD",
      writes: { letters: "o", long: ["output-dir-flat", "output-dir-mirror", "trace"] },
      reads: { letters: "D", long: ["filelist", "patch-from"] },
    },
  ],
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
      reads: { long: ["files0-from", "random-source"] },
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
  [
    "ptx",
    {
      kind: "filter",
      letters: "FMSWbgiow",
      reads: { letters: "bio", long: ["break-file", "ignore-file", "only-file"] },
    },
  ],
  ["uniq", { kind: "filter", letters: "fsw", long: ["skip-fields", "skip-chars", "check-chars"] }],
  [
    "xxd",
    {
      kind: "filter",
      valued: /^--?(?:c(?:o.*)?|g(?:r.*)?|l(?:en.*)?|n(?:a.*)?|o(?:ff.*)?|s(?:kip.*|eek.*)?|R)$/,
    },
  ],
  ["csplit", { kind: "read", letters: "fbn", outputs: { letters: "f", long: ["prefix"] } }],
  [
    "truncate",
    {
      kind: "write",
      letters: "sr",
      long: ["size", "reference"],
      reads: { letters: "r", long: ["reference"] },
    },
  ],
  ["xargs", { kind: "none", letters: "adEeIiJLlnPRSs", reads: { letters: "a", long: ["arg-file"] } }],
  ["cp", { ...COPIES, isDeep: ALL_BELOW, keepsFolders: /^--par/ }],
  ["ln", { ...COPIES, intoHere: true }],
  [
    "install",
    {
      ...COPIES,
      letters: "mogtS",
      long: [...COPIES.long, "mode", "owner", "group"],
      writesBy: /^(?:-[A-Za-z]*d|--di)/,
    },
  ],
  [
    "rsync",
    {
      kind: "copy",
      letters: "efT",
      whole: ["exclude", "include"],
      reads: { long: ["files-from", "exclude-from", "include-from"] },
      isDeep: ALL_BELOW,
      keepsFolders: /^(?:-[A-Za-z]*R|--rel)/,
      isManifold: true,
    },
  ],
  ["scp", { kind: "copy", letters: "cFiJloPS", isDeep: ALL_BELOW }],
  ["mv", { ...COPIES, kind: "move", isDeep: true }],
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
