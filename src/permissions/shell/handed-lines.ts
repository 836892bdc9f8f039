/** Programs that hand their words to a shell as a line, behind a word of their own or from the start. */
import { isOptionWord } from "./option-words.js";
import type { ShellWord } from "./shell-word.js";
import { glimpse, hides, runs, type Unwrapped } from "./unwrapped.js";

interface Handing {
  /** The word behind which the line stands. */
  readonly behind?: RegExp;
  /** Words between that and the line. */
  readonly skipped?: number;
  /** Each word is a line; else all together are one. */
  readonly isEach?: true;
  /** Where it runs, no rule reaches. */
  readonly isAway?: true;
}

const HANDING: Readonly<Record<string, Handing>> = {
  adb: { behind: /^(?:shell|exec-in|exec-out)$/, isAway: true },
  hatch: { behind: /^run$/ },
  mispipe: { isEach: true },
  mix: { behind: /^cmd$/ },
  pee: { isEach: true },
  sops: { behind: /^exec-(?:env|file)$/, skipped: 1 },
};

export function unwrapHandedLine(name: string, words: readonly ShellWord[]): Unwrapped | null {
  const handing = Object.hasOwn(HANDING, name) ? HANDING[name] : undefined;
  if (!handing) return null;
  const { behind, skipped = 0, isEach, isAway } = handing;
  const at = behind ? words.findIndex(({ value }, index) => index > 0 && behind.test(value)) : 0;
  const seen = glimpse(words.slice(1));
  if (words.some((word) => word.unknown)) return hides(`it cannot be seen what ${name} runs`, [seen]);
  if (at === -1) return null;
  const line = words
    .slice(at + 1)
    .map(({ value }) => value)
    .filter((value) => !isOptionWord(value) || isEach !== true)
    .slice(skipped);
  const lines = isEach ? line : [line.join(" ")];
  const inner = lines.map((text) => ({ type: "script", text }) as const);
  return isAway ? hides(`${name} runs it elsewhere`, [...inner, seen]) : runs([...inner, seen]);
}
