/**
 * Cuts Markdown into the pieces that can be read one by one, line after line, once: a text that grows is cut anew only
 * from its last piece on.
 */
export interface Chunk {
  readonly type: "paragraph" | "heading" | "code" | "list" | "quote" | "rule";
  readonly text: string;
  /** Where it begins. */
  readonly start: number;
}

export interface Cut {
  readonly text: string;
  readonly chunks: readonly Chunk[];
}

export const NOTHING_CUT: Cut = { text: "", chunks: [] };

/** The pieces of a text; those that stood before its last one are the same objects as in `before`, if it has grown from there. */
export function cutChunks(text: string, before: Cut = NOTHING_CUT): Cut {
  if (text === before.text) return before;
  const last = before.chunks.at(-1);
  if (!last || !text.startsWith(before.text)) return { text, chunks: scan(text, 0) };
  // A line that is not over yet may turn out to belong to what stands before it.
  const isFirstLine = !before.text.includes("\n", last.start);
  const kept = before.chunks.slice(0, isFirstLine ? -2 : -1);
  const start = before.chunks[kept.length]?.start ?? 0;
  return { text, chunks: [...kept, ...scan(text, start)] };
}

export const LIST_MARKER = /^( {0,3})([-*+]|\d{1,9}[.)])(?: {1,4}|$)/;
export const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const HEADING = /^ {0,3}#{1,6}(?: |$)/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}>/;

interface Open {
  readonly type: Chunk["type"];
  readonly start: number;
  /** The fence that ends what is in it. */
  fence: string | null;
  /** In a list: an empty line came. */
  isParted: boolean;
}

function scan(text: string, from: number): Chunk[] {
  const chunks: Chunk[] = [];
  let open: Open | null = null;
  const close = (end: number): void => {
    if (open) chunks.push({ type: open.type, start: open.start, text: text.slice(open.start, end) });
    open = null;
  };
  let start = from;
  while (start < text.length) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    if (!goesOn(open, line)) {
      close(start);
      open = begin(line, start);
      if (open && (open.type === "heading" || open.type === "rule")) close(end);
    } else if (open && isFenceEnd(open, line)) close(end);
    start = end + 1;
  }
  close(text.length);
  return chunks;
}

function begin(line: string, start: number): Open | null {
  if (line.trim() === "") return null;
  const type = typeOf(line);
  const fence = type === "code" ? (FENCE.exec(line)?.[1] ?? null) : null;
  return { type, start, fence, isParted: false };
}

function typeOf(line: string): Chunk["type"] {
  if (isFence(line)) return "code";
  if (HEADING.test(line)) return "heading";
  if (RULE.test(line)) return "rule";
  if (LIST_MARKER.test(line)) return "list";
  return QUOTE.test(line) ? "quote" : "paragraph";
}

/** Whether a line belongs to the piece that is open. */
function goesOn(open: Open | null, line: string): boolean {
  if (!open) return false;
  switch (open.type) {
    case "code":
      return true;
    case "list":
      return listGoesOn(open, line);
    case "quote":
      return line.trim() !== "" && (QUOTE.test(line) || typeOf(line) === "paragraph");
    case "paragraph": {
      if (line.trim() === "") return false;
      const type = typeOf(line);
      // A line that begins with a number is rarely a list in the middle of a sentence.
      return (
        type === "paragraph" || (type === "list" && /^ {0,3}\d/.test(line) && !/^ {0,3}1[.)]/.test(line))
      );
    }
    case "heading":
    case "rule":
      return false;
  }
}

function listGoesOn(open: Open, line: string): boolean {
  const isEmpty = line.trim() === "";
  if (open.fence !== null) {
    if (line.trim().startsWith(open.fence)) open.fence = null;
    return true;
  }
  if (isEmpty) {
    open.isParted = true;
    return true;
  }
  const isIndented = /^(?: {2}|\t)/.test(line);
  const belongs =
    isIndented ||
    (LIST_MARKER.test(line) && !RULE.test(line)) ||
    (!open.isParted && typeOf(line) === "paragraph");
  if (!belongs) return false;
  open.isParted = false;
  const fence = isIndented ? /^\s*(`{3,}|~{3,})/.exec(line)?.[1] : undefined;
  if (fence !== undefined) open.fence = fence;
  return true;
}

function isFence(line: string): boolean {
  const fence = FENCE.exec(line);
  return fence !== null && !(fence[1]?.startsWith("`") === true && fence[2]?.includes("`") === true);
}

function isFenceEnd({ type, fence }: Open, line: string): boolean {
  if (type !== "code" || fence === null) return false;
  const trimmed = line.trim();
  return trimmed.startsWith(fence) && trimmed.replaceAll(fence[0] ?? "`", "") === "";
}
