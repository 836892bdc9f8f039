/** What an agent wants run in a terminal, as one line of bash: this very text is judged, shown to a person, and run. */

export interface WantedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** What bash reads as nothing but a word; in front, where an assignment could stand, without an equals sign. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;
const PLAIN_PROGRAM = /^[\w@%+:,./-]+$/;
const KEYWORDS: ReadonlySet<string> = new Set(
  "case coproc do done elif else esac fi for function if in select then time until while".split(" "),
);

/**
 * With arguments, `command` is a program. Alone it is whatever a shell makes of it: the protocol leaves that open, some
 * agents put a whole line there, and editors hand it to a shell. Variables stand in front, so that they are judged too.
 */
export function commandLine({ command, args, env }: WantedCommand): string {
  const assignments = env.map(({ name, value }) => `${name}=${quoted(value)} `).join("");
  if (args.length > 0) return `${assignments}${[programWord(command), ...args.map(quoted)].join(" ")}`;
  const isProgram = PLAIN_PROGRAM.test(command);
  return isProgram || assignments === "" ? assignments + command : `${assignments}bash -c ${quoted(command)}`;
}

function programWord(program: string): string {
  return PLAIN_PROGRAM.test(program) && !KEYWORDS.has(program) ? program : inQuotes(program);
}

function quoted(word: string): string {
  return PLAIN_WORD.test(word) ? word : inQuotes(word);
}

function inQuotes(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
