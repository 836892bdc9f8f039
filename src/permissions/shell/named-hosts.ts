/** The hosts that the words of a command name. */
import { calledHosts } from "./called-hosts.js";
import { takesTexts } from "./file-operands.js";
import { isOptionWord } from "./option-words.js";
import type { NamedHost } from "./called-hosts.js";
import type { ShellWord } from "./shell-word.js";

/** Programs that call every address they are given. */
const CALLERS = new Set("curl wget http https httpie xh aria2c lynx w3m links elinks".split(" "));
/** Options of theirs that take no value, so that the next word is an address. */
const FLAGS = /^-[sSLfkiIvgGNO0146]+$/;

/** Programs that call hosts which stand among their words without a scheme. */
const CONNECTS = new Set(
  [
    "nc ncat netcat telnet ssh scp sftp rsync mosh ping ping6 traceroute mtr dig nslookup host whois finger nmap openssl",
    "socat redis-cli psql mysql mongo mongosh ftp lftp tftp smbclient git hg svn docker podman skopeo helm kubectl",
    "pip pip3 npm pnpm yarn gem cargo ab wrk hey k6 grpcurl websocat rclone curl wget httpie",
  ]
    .join(" ")
    .split(" "),
);

/** Programs that are given code: a host stands there in quotes. */
const CODE = /^(?:python[\d.]*|node|deno|bun|tsx|perl|ruby|php|lua|Rscript|R|julia)$/;
const QUOTED = /["'`]([\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*)(?=[:/"'`])/gi;

/** From the sign that few words have: looking for the scheme first takes long in a long word. */
const ADDRESS = /:\/\/(?<=\b[a-z][a-z0-9+.-]*:\/\/)([^/\s?#'"\\]+)/gi;
const PLAIN_ADDRESS = /^(?:[^@/\s]+@)?(\[[0-9a-f:.]+\]|[\w.-]+\.[\w-]+|localhost)(?::\d+)?(?:[/?#].*)?$/is;
const PIECE = /^[\w-]+(?:\.[\w-]+)*\.[a-z][\w-]*$/i;
/** What the shell puts in, or what curl itself makes several of. */
const COMPUTED = /[$`*{]|.\[/;

export function namedHosts(name: string, words: readonly ShellWord[]): readonly NamedHost[] {
  const listed = LISTS_ADDRESSES.get(name);
  const isListed = words.some(({ value }) => listed?.test(value) === true);
  const called = calledHosts(name, words);
  const others = wordHosts(name, words).filter(({ host }) => called.every((each) => each.host !== host));
  return [...called, ...others, ...(isListed ? [hostOf("$", false)] : [])];
}

/** Programs that are told in a file what to call. */
const LISTS_ADDRESSES: ReadonlyMap<string, RegExp> = new Map([
  ["aria2c", /^(?:-i|--input-file)/],
  ["wget", /^(?:-[A-Za-z]*i|--input-file)/],
]);

function wordHosts(name: string, words: readonly ShellWord[]): readonly NamedHost[] {
  const isCaller = CALLERS.has(name);
  return words.slice(1).flatMap((word, index) => {
    const before = words[index]?.value ?? "";
    const isOperand = index === 0 || !isOptionWord(before) || FLAGS.test(before);
    const whole = [...word.value.matchAll(ADDRESS)].map((match) => hostOf(match[1] ?? "", isCaller));
    if (whole.length > 0) return whole;
    const plain = isCaller && !isOptionWord(word.value) ? PLAIN_ADDRESS.exec(word.value)?.[1] : undefined;
    if (plain !== undefined) return [{ host: plain, certain: isOperand }];
    if (isCaller && word.unknown && isOperand && !isOptionWord(word.value)) return [hostOf("$", false)];
    return possibleHosts(name, word.value);
  });
}

/** Hosts in a value of a variable, such as the name of a proxy. */
export function hostsInAssignment(text: string): readonly NamedHost[] {
  const [name = "", value = ""] = text.split(/=(.*)/s);
  if (!/(?:proxy|host|url|addr|server|registry|endpoint)/i.test(name)) return [];
  const host = PLAIN_ADDRESS.exec(value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, ""))?.[1];
  return host === undefined ? [] : [{ host, certain: false }];
}

function hostOf(host: string, certain: boolean): NamedHost {
  return COMPUTED.test(host) ? { host: "", certain: false } : { host, certain };
}

/** Whatever looks like a host, in words that may be something else as well. */
function possibleHosts(name: string, value: string): readonly NamedHost[] {
  const found = CODE.test(name)
    ? [...value.matchAll(QUOTED)].map((match) => match[1] ?? "")
    : CONNECTS.has(name)
      ? piecesOf(name, value).filter((piece) => PIECE.test(piece))
      : [];
  return found.map((host) => ({ host, certain: false }));
}

/** `-hexample.org`, `user@example.org:path`, `tcp:example.org:80`. */
function piecesOf(name: string, value: string): readonly string[] {
  // The words of a message are no hosts.
  if (takesTexts(name) && /\s/.test(value)) return [];
  const attached = /^-[A-Za-z](.+)$/s.exec(value)?.[1];
  return [...value.split(/[\s/:@=,"']+/), ...(attached === undefined ? [] : [attached])];
}
