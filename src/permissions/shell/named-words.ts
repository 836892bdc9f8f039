/**
 * The files and hosts that stand in a line. What a program does with its words nobody can know; but a name that a person
 * has denied can be seen. What is computed, and what a program opens by itself, only a wall holds.
 */
import { isOptionWord } from "./option-words.js";
import { programName } from "./program-name.js";
import type { ShellWord } from "./shell-word.js";
import { onlyReadsFiles } from "./unwrap-git.js";

/** Programs that neither change nor run what their words name. */
const ONLY_READS = new Set(
  "cat cd cmp cut diff du fd file find head less ls md5sum more nl pushd readlink realpath sha256sum stat tail tree wc".split(
    " ",
  ),
);

/** Programs that only speak of what their words name, or look for it. */
const ONLY_SPEAKS = new Set(
  "[ basename dirname echo egrep false fgrep grep jq man printf rg test tr true type which".split(" "),
);

export function onlyReads(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]?.value ?? "");
  return ONLY_READS.has(name) || ONLY_SPEAKS.has(name) || (name === "git" && onlyReadsFiles(words));
}

/** Whether names of programs and files in its texts are no use of them. */
export function onlySpeaks(words: readonly ShellWord[]): boolean {
  const name = programName(words[0]?.value ?? "");
  return ONLY_SPEAKS.has(name) || name === "git" || name === "gh";
}

export interface NamedPath {
  readonly path: string;
  /** False: `path` is a glob. */
  readonly exact: boolean;
  /** It is a piece of a text, and perhaps no name of a file. */
  readonly isOfText: boolean;
}

const TEXT = /[\s'"`()]/;
const TEXT_SIGNS = /[\s'"`()<>|;&,=:@{}[\]\\]+/;
const PIECES_MAX = 64;
const COMPUTED_PART = /\$\{[^}]*\}|\$\w+|\$\([^)]*\)|`[^`]*`/g;

/** The word itself, what stands behind the signs in it (`--file=x`, `@x`, `HEAD:x`, `-fx`), the words of a text. */
export function namedPaths({ value, path, exact, isPattern }: ShellWord): readonly NamedPath[] {
  if (isPattern) return [{ path: /^-[^=]*=(.+)$/s.exec(path)?.[1] ?? path, exact, isOfText: false }];
  if (!exact) {
    // `secrets/$x`, `$x/.env`: what is left without the computed parts.
    const left = value.replace(COMPUTED_PART, "").replace(/^(?:-[^=]*=)?[/:]*/, "");
    return left === "" || left === value || /\s/.test(left)
      ? []
      : [{ path: left, exact: true, isOfText: true }];
  }
  const name = isOptionWord(value) ? [] : [path];
  const attached = [/^-[A-Za-z](.+)$/s, /^-[A-Za-z]+([/.~].+)$/s].flatMap(
    (each) => each.exec(value)?.[1] ?? [],
  );
  const signed = /[=:,@<{}]/.test(value) ? path.split(/[=:,@<{}]/) : [];
  const names = TEXT.test(value) ? name : [...name, ...attached, ...signed];
  const pieces = TEXT.test(value) ? path.split(TEXT_SIGNS).filter((piece) => /[/.~]/.test(piece)) : [];
  const named = (isOfText: boolean) => (each: string) => ({ path: each, exact, isOfText });
  return [
    ...[...new Set(names)].filter((each) => !/^(?:-|$)/.test(each)).map(named(false)),
    // In code, the home folder often stands before the text, as in `home + "/.ssh"`.
    ...pieces
      .slice(0, PIECES_MAX)
      .flatMap((piece) => (piece.startsWith("/.") ? [piece, `~${piece}`] : [piece]))
      .map(named(true)),
  ];
}

export interface NamedHost {
  /** Empty: the shell computes it. */
  readonly host: string;
  readonly certain: boolean;
}

/** Programs that call what they are given, with or without a scheme. */
const CALLERS = new Set("curl wget http https xh ssh scp sftp rsync nc ncat telnet ping".split(" "));
/** Options of theirs that take no value, so that the next word is an address. */
const FLAGS = /^-[sSLfkiIvgGNO0146]+$/;
/** From the sign that few words have: looking for the scheme first takes long in a long word. */
const ADDRESS = /:\/\/(?<=\b[a-z][a-z0-9+.-]*:\/\/)([^/\s?#'"\\]+)/gi;
const PLAIN_ADDRESS =
  /^(?:[^@/\s]+@)?(\[[0-9a-f:.]+\]|[\w.-]+\.[\w-]+|localhost)(?::[\w./~-]+)?(?:[/?#].*)?$/is;
/** `git@example.org:path`, `example.org:5000/image` */
const REMOTE = /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[/:]/;
/** What the shell puts in, or what curl itself makes several of. */
const COMPUTED = /[$`*{]|.\[/;

export function namedHosts(words: readonly ShellWord[]): readonly NamedHost[] {
  const isCaller = CALLERS.has(programName(words[0]?.value ?? ""));
  return words.slice(1).flatMap(({ value, unknown }, at) => {
    const whole = hostsInText(value);
    const remote = isCaller || onlyReads(words) ? undefined : REMOTE.exec(value)?.[1];
    if (whole.length > 0 || remote !== undefined)
      return remote === undefined ? whole : [{ host: remote, certain: false }];
    const before = at === 0 ? "" : (words[at]?.value ?? "");
    if (!isCaller || isOptionWord(value) || (isOptionWord(before) && !FLAGS.test(before))) return [];
    if (unknown) return [{ host: "", certain: false }];
    const plain = PLAIN_ADDRESS.exec(value)?.[1];
    return plain === undefined ? [] : [{ host: plain, certain: true }];
  });
}

export function hostsInText(text: string): readonly NamedHost[] {
  return [...text.matchAll(ADDRESS)].map(([, host = ""]) =>
    COMPUTED.test(host) ? { host: "", certain: false } : { host, certain: true },
  );
}
