/** The hosts that the words of a command name. */
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";

export interface NamedHost {
  readonly host: string;
  readonly certain: boolean;
}

/** Programs that call every address they are given. */
const CALLERS = new Set("curl wget http https xh aria2c lynx w3m links elinks".split(" "));
/** Options of theirs that take no value, so that the next word is an address. */
const FLAGS = /^-[sSLfkiIvgGNO0146]+$/;

const ADDRESS = /\b[a-z][a-z0-9+.-]*:\/\/([^/\s?#'"\\]+)/gi;
const PLAIN_ADDRESS = /^(?:[^@/\s]+@)?(\[[0-9a-f:.]+\]|[\w.-]+\.[\w-]+|localhost)(?::\d+)?(?:[/?#].*)?$/is;

export function namedHosts(name: string, words: readonly ShellWord[]): readonly NamedHost[] {
  const isCaller = CALLERS.has(name);
  return words.slice(1).flatMap((word, index) => {
    const whole = [...word.value.matchAll(ADDRESS)].map((match) => ({
      host: match[1] ?? "",
      certain: isCaller,
    }));
    if (whole.length > 0 || !isCaller || isOptionWord(word.value)) return whole;
    const before = words[index]?.value ?? "";
    const host = PLAIN_ADDRESS.exec(word.value)?.[1];
    if (host === undefined) return [];
    return [{ host, certain: index === 0 || !isOptionWord(before) || FLAGS.test(before) }];
  });
}
