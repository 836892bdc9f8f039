import type { Command } from "./command.js";
import type { CommandEntry } from "./command-table.js";

/** What `signalbox COMMAND --help` prints. */
export function helpOf({ example }: Pick<CommandEntry, "example">, { help }: Command): string {
  return `${help.trimEnd()}\n\nExample:\n  ${example}\n`;
}

export interface Flag {
  readonly name: string;
  /** What its value is called: `DIR`; null when it takes none. */
  readonly value: string | null;
  readonly about: string;
}

export interface Usage {
  readonly flags: readonly Flag[];
  /** The words after the command's name, for each form in which it can be used: `ID`, `[PROMPT]`, `ls`. */
  readonly forms: readonly (readonly string[])[];
}

/** What a command takes, read from what its help says: there is no second list to be kept in step. */
export function usageOf(name: string, help: string): Usage {
  const usage = help.slice(0, help.indexOf("\n\n") + 1 || undefined);
  const listed = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)(?: ([A-Z][A-Z=]*))? +(\S.*)$/gm)].map(
    ([, flag = "", value = null, about = ""]): Flag => ({ name: flag, value, about }),
  );
  const mentioned = [...usage.matchAll(/(--[a-z][a-z-]*)(?: ([A-Z]+))?/g)].map(
    ([, flag = "", value = null]): Flag => ({ name: flag, value, about: "" }),
  );
  const flags = new Map([...mentioned, ...listed].map((flag) => [flag.name, flag]));
  const forms = usage
    .split("\n")
    .filter((line) => line.includes(`signalbox ${name}`))
    .map((line) => wordsOf(line.slice(line.indexOf(`signalbox ${name}`) + `signalbox ${name}`.length)));
  return { flags: [...flags.values()], forms };
}

function wordsOf(line: string): readonly string[] {
  return line
    .replace(/\[-[^\]]*\]|--[a-z-]+(?: [A-Z]+)?/g, "")
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "[options]");
}
