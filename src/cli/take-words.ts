import { UsageError } from "./command.js";

type Words<Names extends readonly string[]> = {
  [K in keyof Names]: Names[K] extends `[${string}]` ? string | undefined : string;
};

/** The words after a command's name, as its help names them. One in brackets may be absent. */
export function takeWords<const Names extends readonly string[]>(
  command: string,
  words: readonly string[],
  names: Names,
): Words<Names> {
  const hint = `See signalbox ${command} --help.`;
  const missing = names[words.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing`, hint);
  if (words.length > names.length) {
    throw new UsageError(`too many words: ${words.slice(names.length).join(" ")}`, `Quote texts. ${hint}`);
  }
  return words as unknown as Words<Names>;
}

/** One word or more. */
export function takeSeveral(command: string, words: readonly string[], name: string): readonly string[] {
  if (words.length > 0) return words;
  throw new UsageError(`${name} is missing`, `See signalbox ${command} --help.`);
}
