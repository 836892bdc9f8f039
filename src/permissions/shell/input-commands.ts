/** Programs that take commands of their own from what they read, and run other programs by some of them. */
import type { Redirection } from "unbash";
import { inputTexts } from "./input-text.js";
import { isOptionWord } from "./option-words.js";
import { runsByWord } from "./program-options.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, type Unwrapped } from "./unwrapped.js";

const READERS = new Set(
  [
    "at batch crontab dc ed ftp gdb ghci iex jshell lftp lldb m4 mongo mongosh mysqlsh parallel pry red sem sftp",
    "sqlplus telnet tftp vim",
  ]
    .join(" ")
    .split(" "),
);

const ONLY_TELLS = /^--?(?:version|help|[hV])$/;

export function unwrapCommandReader(name: string, words: readonly ShellWord[]): Unwrapped | null {
  if (!READERS.has(name) && !readsQueries(name, words)) return null;
  if (words.length === 2 && ONLY_TELLS.test(words[1]?.value ?? "")) return null;
  return hides(`${name} runs what it reads`, [glimpse(words.slice(1))]);
}

/** Queries that are seen, and hold nothing else; null when that is not so. */
export function plainQueries(
  name: string,
  words: readonly ShellWord[],
  redirects: readonly Redirection[],
): readonly string[] | null {
  if (!readsQueries(name, words) || words.some(({ value }) => runsByWord(name, value))) return null;
  const [only, ...more] = redirects.filter(
    ({ type, operator }) => type !== "Redirect" || operator.startsWith("<"),
  );
  if (!only || more.length > 0 || only.descriptor !== undefined) return null;
  const [input] = inputTexts([only]);
  const isPlain = input?.isComputed === false && !runsByWord(name, input.text);
  return isPlain ? [input.text] : null;
}

interface QueryOptions {
  /** Options with which it reads nothing. */
  readonly given: string;
  readonly long: RegExp;
  /** Letters that take a value. */
  readonly valued: string;
}

const QUERIES: Readonly<Record<string, QueryOptions>> = {
  mysql: { given: "e", long: /^--(?:exec|help|version)/, valued: "DPSehpu" },
  psql: { given: "cfl", long: /^--(?:com|fi|list|help|version)/, valued: "FLPRTUcdfhopv" },
};

/** Options of sqlite3 that take a value, and how many. */
const SQLITE_VALUES =
  /^--?(?:cmd|init|heap|maxsize|mmap|newline|nullvalue|separator|vfs|lookaside|pagecache)$/;
const SQLITE_PAIRS = /^--?(?:lookaside|pagecache)$/;

function readsQueries(name: string, words: readonly ShellWord[]): boolean {
  if (name === "sqlite3") return sqliteOperands(words.slice(1)) < 2;
  const options = Object.hasOwn(QUERIES, name) ? QUERIES[name] : undefined;
  return options !== undefined && !words.slice(1).some(({ value }) => givesQuery(value, options));
}

/** Whether a letter of a group says so: what follows one that takes a value is that value. */
function givesQuery(option: string, { given, long, valued }: QueryOptions): boolean {
  if (option.startsWith("--")) return long.test(option);
  if (!isOptionWord(option)) return false;
  const letter = Array.from(option.slice(1)).find((each) => given.includes(each) || valued.includes(each));
  return letter !== undefined && given.includes(letter);
}

/** The database, and behind it what is asked of it. */
function sqliteOperands(words: readonly ShellWord[]): number {
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const value = words[index]?.value ?? "";
    if (!isOptionWord(value)) count += 1;
    else if (SQLITE_VALUES.test(value)) index += SQLITE_PAIRS.test(value) ? 2 : 1;
  }
  return count;
}
