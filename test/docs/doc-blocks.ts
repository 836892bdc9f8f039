/** The fenced blocks of a document: what a reader may type, and what the document says comes of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../tidy/root.js";

export interface Block {
  /** `docs/api.md:12`. */
  readonly at: string;
  /** What stands behind the fence: `sh`, `console`, `toml`; empty when nothing does. */
  readonly language: string;
  readonly text: string;
}

export interface ShownCommand {
  readonly command: string;
  /** What it prints; empty when the document does not say. */
  readonly output: string;
}

/** How much of a document's id has to be typed at least. */
const PREFIX_LENGTH_MIN = 4;
/** What may be an id, whole or as tables show it, by its letters; and one of a document, which has a digit. */
const ID = /\b[0-9a-hjkmnp-tv-z]{8}(?:[0-9a-hjkmnp-tv-z]{4})?\b/g;
const SHOWN_ID = /\b(?=[a-z]*\d)[0-9a-z]{8}(?:[0-9a-z]{4})?\b/g;
/** What is printed only at a terminal, or only without one, or only beside other agents in the same folder. */
const SOMETIMES = [
  /^Enter runs it, Tab inserts it, Esc leaves\.$/,
  /^Trust it\? y or n:$/,
  /^signalbox: nothing was trusted: nobody is at a terminal to be asked$/,
  /^Look at what it permits with signalbox permissions ls --cwd DIR; /,
  /^signalbox: .* works? in this folder too; /,
];

export function blocksOf(file: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly line: number; readonly language: string; readonly lines: string[] } | null = null;
  for (const [index, line] of readFileSync(join(ROOT, file), "utf8").split("\n").entries()) {
    const [, language] = /^ *```(\w*)$/.exec(line) ?? [];
    if (language === undefined) open?.lines.push(line);
    else if (open === null) open = { line: index + 1, language, lines: [] };
    else {
      const { line: at, lines } = open;
      blocks.push({ at: `${file}:${at}`, language: open.language, text: lines.join("\n") });
      open = null;
    }
  }
  return blocks;
}

/** The commands of a `console` block: each begins with `$ `, and may go on in a here document or after a `|`. */
export function shownCommands(text: string): readonly ShownCommand[] {
  const shown: { command: string[]; output: string[] }[] = [];
  let isOpen: (line: string) => boolean = () => false;
  for (const line of text.split("\n")) {
    const last = shown.at(-1);
    if (last && isOpen(line)) {
      last.command.push(line);
      isOpen = line === "END" || !last.command[0]?.includes("<<'END'") ? () => false : isOpen;
    } else if (/^\$ (?:signalbox|node|echo|kill) /.test(line)) {
      shown.push({ command: [line.slice(2)], output: [] });
      isOpen = line.includes("<<'END'") || line.endsWith("|") ? () => true : () => false;
    } else last?.output.push(line);
  }
  return shown.map(({ command, output }) => ({ command: command.join("\n"), output: output.join("\n") }));
}

function linesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => !SOMETIMES.some((sometimes) => sometimes.test(line)));
}

/** Ids and times are never the same twice; columns are as wide as what is in them. */
function withoutChance(text: string, id: RegExp, words: ReadonlySet<string>): string {
  return linesOf(text)
    .map((line) =>
      line
        .replaceAll(id, (found) => (words.has(found) ? found : "ID"))
        .replaceAll(/\b\d+(?:s|m|h)\b/g, "TIME")
        .replaceAll(/\bprocess \d+/g, "process N")
        .replaceAll(/\bdemo-\d+/g, "demo-N")
        .replaceAll(/ +/g, " ")
        .trimEnd(),
    )
    .join("\n")
    .trimEnd();
}

/** Whether that was printed. `…` stands for any text, and alone on a line for any lines. */
export function isAsShown(output: string, printed: string): boolean {
  const parts = withoutChance(output, SHOWN_ID, new Set())
    .split(/(?:(?<=\n)|^)…(?:\n|$)/)
    .map((part) => part.split("…").map(escapeRegExp).join(".*"));
  return new RegExp(`^${parts.join("(?:.*\\n)*")}\\n?$`).test(
    `${withoutChance(printed, ID, plainWords(output))}\n`,
  );
}

/** The words of a document's output that are no ids: what is printed and among them is none either. */
function plainWords(output: string): ReadonlySet<string> {
  return new Set(output.replaceAll(SHOWN_ID, "").split(/\W+/));
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Which session the document means by an id: the one whose id was printed where the document shows that one. */
export class ShownIds {
  private readonly real = new Map<string, string>();

  learn(output: string, printed: string): void {
    const words = plainWords(output);
    const fresh = (linesOf(printed).join("\n").match(ID) ?? []).filter((found) => !words.has(found));
    for (const [index, id] of (output.match(SHOWN_ID) ?? []).entries()) {
      const real = fresh[index];
      if (id.length === real?.length && !this.real.has(id)) this.real.set(id, real);
    }
  }

  /** The command with ids of sessions that there are. */
  translate(command: string): string {
    return command.replaceAll(/\b[0-9a-z]{4,12}\b/g, (word) => {
      const [, real = word] =
        [...this.real].find(([id]) => word.length >= PREFIX_LENGTH_MIN && id.startsWith(word)) ?? [];
      return real;
    });
  }
}
