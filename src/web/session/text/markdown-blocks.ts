/** What a piece of Markdown is made of. Never HTML: tags are characters like all others. */
import { cutChunks, FENCE, LIST_MARKER, type Chunk } from "./markdown-chunks.js";

export type Block =
  | { readonly type: "heading"; readonly level: number; readonly text: string }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "list"; readonly start: number | null; readonly items: readonly ListItem[] }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly type: "table";
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly type: "rule" }
  | { readonly type: "paragraph"; readonly text: string };

export interface ListItem {
  /** Of a list of things to do; null in any other. */
  readonly isDone: boolean | null;
  readonly blocks: readonly Block[];
}

const DEPTH_MAX = 8;
const COLUMNS_MAX = 30;
const DELIMITER_ROW = /^[\s|:-]*-[\s|:-]*$/;

export function parseChunk({ type, text }: Pick<Chunk, "type" | "text">, depth = 0): Block {
  switch (type) {
    case "heading": {
      const level = /#+/.exec(text)?.[0].length ?? 1;
      return { type, level, text: text.replace(/^\s*#+\s*/, "").replace(/\s+#+\s*$/, "") };
    }
    case "rule":
      return { type };
    case "code":
      return codeBlock(text);
    case "quote":
      return { type, blocks: parseBlocks(text.replace(/^ {0,3}> ?/gm, ""), depth + 1) };
    case "list":
      return listBlock(text, depth);
    case "paragraph":
      return tableBlock(text) ?? { type, text: text.trim() };
  }
}

function parseBlocks(text: string, depth: number): readonly Block[] {
  if (depth > DEPTH_MAX) return [{ type: "paragraph", text: text.trim() }];
  return cutChunks(text).chunks.map((chunk) => parseChunk(chunk, depth));
}

function codeBlock(text: string): Block {
  const lineEnd = text.indexOf("\n");
  const first = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const [, fence = "```", info = ""] = FENCE.exec(first) ?? [];
  const body = lineEnd === -1 ? "" : text.slice(lineEnd + 1);
  const lastStart = body.lastIndexOf("\n", body.endsWith("\n") ? body.length - 2 : body.length) + 1;
  const isClosed = body.slice(lastStart).trim().startsWith(fence);
  const code = isClosed ? body.slice(0, Math.max(0, lastStart - 1)) : body;
  return { type: "code", language: info.trim().split(/\s/)[0] ?? "", text: code };
}

function listBlock(text: string, depth: number): Block {
  const items: string[][] = [];
  let indent = 0;
  let start: number | null = null;
  for (const line of text.split("\n")) {
    const marker = LIST_MARKER.exec(line);
    const isNew = marker !== null && (items.length === 0 || (marker[1]?.length ?? 0) < Math.max(indent, 2));
    if (isNew) {
      const number = Number.parseInt(marker[2] ?? "", 10);
      if (items.length === 0) start = Number.isNaN(number) ? null : number;
      indent = marker[0].length;
      items.push([line.slice(indent)]);
    } else items.at(-1)?.push(dedent(line, indent));
  }
  return { type: "list", start, items: items.map((lines) => listItem(lines.join("\n"), depth)) };
}

function listItem(text: string, depth: number): ListItem {
  const box = /^\[([ xX])\] /.exec(text);
  const blocks = parseBlocks(box ? text.slice(box[0].length) : text, depth + 1);
  return { isDone: box ? box[1] !== " " : null, blocks };
}

function dedent(line: string, indent: number): string {
  let at = 0;
  while (at < indent && line[at] === " ") at += 1;
  return line[at] === "\t" && at < indent ? line.slice(at + 1) : line.slice(at);
}

function tableBlock(text: string): Block | null {
  const [head = "", delimiters = "", ...rows] = text.trim().split("\n");
  if (!head.includes("|") || !DELIMITER_ROW.test(delimiters)) return null;
  const cells = cellsOf(head);
  if (cells.length !== cellsOf(delimiters).length) return null;
  const filled = rows.map((row) => {
    const given = cellsOf(row);
    return cells.map((_, index) => given[index] ?? "");
  });
  return { type: "table", head: cells, rows: filled };
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner
    .split(/(?<!\\)\|/)
    .slice(0, COLUMNS_MAX)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}
