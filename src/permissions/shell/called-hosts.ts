/** Hosts that a program is sure to call, by its command: where it fetches from, or what it connects to. */
import { isOptionWord, skipOptions } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

export interface NamedHost {
  /** Empty: the shell, or the program, computes it. */
  readonly host: string;
  readonly certain: boolean;
}

const INSTALLS =
  /^(?:install|i|add|ci|update|upgrade|up|download|wheel|lock|sync|exec|x|dlx|create|init|publish|search)$/;

/** Programs that call every address behind one of these commands. */
const FETCHES: ReadonlyMap<string, RegExp> = new Map([
  ["brew", INSTALLS],
  ["bun", INSTALLS],
  ["cargo", /^(?:install|add|search|publish|fetch)$/],
  ["gem", INSTALLS],
  ["git", /^(?:clone|fetch|pull|push|ls-remote|archive|submodule)$/],
  ["go", /^(?:get|install|run|mod)$/],
  ["hg", /^(?:clone|pull|push|incoming|outgoing)$/],
  ["npm", INSTALLS],
  ["pip", INSTALLS],
  ["pip3", INSTALLS],
  ["pipx", INSTALLS],
  ["pnpm", INSTALLS],
  ["poetry", INSTALLS],
  ["svn", /^(?:checkout|co|update|up|export|list|ls|cat)$/],
  ["uv", /^(?:pip|add|sync|lock|tool|run)$/],
  ["yarn", INSTALLS],
]);

/** Programs whose addresses have no scheme: `go get host/x`, `docker pull host/x`. */
const PATHS: ReadonlyMap<string, RegExp> = new Map([
  ["docker", /^(?:pull|push|login)$/],
  ["go", /^(?:get|install|run)$/],
  ["nerdctl", /^(?:pull|push|login)$/],
  ["podman", /^(?:pull|push|login)$/],
]);

/** Programs whose first operand is a host, with the options of theirs that take a value. */
const CONNECTS: ReadonlyMap<string, string> = new Map([
  ["ftp", "P"],
  ["mosh", "p"],
  ["mtr", "cifo"],
  ["nc", "eGgIiKkMmOopsTWwXxqc"],
  ["ncat", "eGgIiKkMmOopsTWwXxqcd"],
  ["netcat", "eGgIiKkMmOopsTWwXxqc"],
  ["ping", "cFIilMmpQSsTtWw"],
  ["ping6", "cFIilMmpQSsTtWw"],
  ["sftp", "BbcDFiJloPRSsX"],
  ["ssh", "BbcDEeFIiJLlmOopQRSWw"],
  ["telnet", "beln"],
  ["tracepath", "lmp"],
  ["traceroute", "fgimNpqstwz"],
]);

const ADDRESS = /[a-z]:\/\/([^/\s?#'"\\]+)/i;
const HOST = String.raw`[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*`;
/** `user@host:path` */
const REMOTE = new RegExp(String.raw`^(?:[\w.-]+@)?(${HOST}):(?!//)`, "i");
const LEADING = new RegExp(String.raw`^(${HOST})(?::\d+)?/`, "i");
const OPERAND = new RegExp(String.raw`^(?:[\w.-]+@)?(${HOST})(?::.*)?$`, "i");

export function calledHosts(name: string, words: readonly ShellWord[]): readonly NamedHost[] {
  const rest = words.slice(1).filter((word) => !word.unknown);
  const found = [
    ...(isDone(FETCHES.get(name), rest) ? rest.flatMap((word) => fetched(name, word.value)) : []),
    ...(isDone(PATHS.get(name), rest) ? rest.flatMap(({ value }) => LEADING.exec(value)?.[1] ?? []) : []),
    ...(name === "scp" || name === "rsync" ? rest.flatMap(({ value }) => REMOTE.exec(value)?.[1] ?? []) : []),
    ...connected(name, words),
  ];
  return found.map((host) => ({ host, certain: true }));
}

/** Whether the first word that is no option, or one that may be the value of one, is such a command. */
function isDone(command: RegExp | undefined, words: readonly ShellWord[]): boolean {
  const index = words.findIndex(
    ({ value }, at) => !isOptionWord(value) && !isOptionWord(words[at - 1]?.value ?? ""),
  );
  return words.slice(0, index + 1).some(({ value }) => command?.test(value) === true);
}

function fetched(name: string, value: string): readonly string[] {
  // The words of a message are no addresses.
  const address = /\s/.test(value) ? undefined : ADDRESS.exec(value)?.[1];
  if (address !== undefined) return /[$`*{]/.test(address) ? [] : [address];
  return (name === "git" || name === "hg") && !isOptionWord(value)
    ? (REMOTE.exec(value)?.slice(1, 2) ?? [])
    : [];
}

function connected(name: string, words: readonly ShellWord[]): readonly string[] {
  const letters = CONNECTS.get(name);
  if (letters === undefined) return [];
  const { index, isSure } = skipOptions(words, 1, { letters });
  const host = OPERAND.exec(words[index]?.value ?? "")?.[1];
  return isSure && host !== undefined ? [host] : [];
}
