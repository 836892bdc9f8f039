/** What a highlighter wrote as markup, as pieces of lines: no markup reaches the page. */

/** What a piece is; null: nothing in particular. */
export type CodeKind = "keyword" | "string" | "comment" | "number" | "name" | null;

export interface CodeSpan {
  readonly kind: CodeKind;
  readonly text: string;
}

const KINDS: readonly (readonly [RegExp, CodeKind])[] = [
  [/hljs-(comment|quote|doctag)\b/, "comment"],
  [/hljs-(string|regexp|addition|link|code)\b/, "string"],
  [/hljs-(keyword|selector-tag|literal|meta|built_in|section|bullet)\b/, "keyword"],
  [/hljs-number\b/, "number"],
  [/hljs-(title|type|name|attr|attribute|tag|class|selector-class|selector-id|symbol)\b/, "name"],
];
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
const TOKEN = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+|[<&]/g;

/** One list for each line. */
export function spansOf(markup: string): readonly (readonly CodeSpan[])[] {
  const lines: CodeSpan[][] = [[]];
  const open: CodeKind[] = [];
  const put = (text: string): void => {
    const kind = open.at(-1) ?? null;
    for (const [index, part] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      const line = lines.at(-1);
      const last = line?.at(-1);
      if (!line || part === "") continue;
      if (last?.kind === kind) line[line.length - 1] = { kind, text: last.text + part };
      else line.push({ kind, text: part });
    }
  };
  for (const [token, names, entity] of markup.matchAll(TOKEN)) {
    if (names !== undefined) open.push(kindOf(names) ?? open.at(-1) ?? null);
    else if (token === "</span>") open.pop();
    else put(entity === undefined ? token : (ENTITIES[entity] ?? token));
  }
  return lines;
}

function kindOf(names: string): CodeKind {
  return KINDS.find(([pattern]) => pattern.test(names))?.[1] ?? null;
}

/** The same pieces, cut where the words begin and end. */
export function withFound(
  spans: readonly CodeSpan[],
  words: string,
): readonly (CodeSpan & { readonly isFound: boolean })[] {
  const text = spans.map((span) => span.text).join("");
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  // A character that is longer in small letters would shift all places.
  if (wanted === "" || lower.length !== text.length)
    return spans.map((span) => ({ ...span, isFound: false }));
  const cuts: number[] = [];
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length))
    cuts.push(at, at + wanted.length);
  const pieces: (CodeSpan & { readonly isFound: boolean })[] = [];
  let start = 0;
  for (const { kind, text: part } of spans) {
    const ends = [...cuts.filter((cut) => cut > start && cut < start + part.length), start + part.length];
    for (const end of ends) {
      const from = pieces.reduce((sum, piece) => sum + piece.text.length, 0);
      const isFound = cuts.filter((cut) => cut <= from).length % 2 === 1;
      pieces.push({ kind, text: text.slice(from, end), isFound });
    }
    start += part.length;
  }
  return pieces;
}
