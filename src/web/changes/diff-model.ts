/** What the list of lines shows, as plain rows: one for each line of a diff, and what is between them. */
import type { FileChangeItem } from "../../protocol/changes.js";
import { PatchReader, type PatchLine } from "../../protocol/patch.js";
import type { Comment } from "../../protocol/review.js";

export type Side = Comment["side"];
export type CodeLine = Extract<PatchLine, { readonly type: "context" | "added" | "removed" }>;

/** A file with as much of its diff as was read. */
export interface DiffFile {
  readonly item: FileChangeItem;
  readonly lines: readonly PatchLine[];
}

/** Lines that somebody comments on. */
export interface Range {
  readonly path: string;
  readonly side: Side;
  readonly startLine: number;
  readonly endLine: number;
}

export type Row =
  | { readonly type: "file"; readonly key: string; readonly file: number }
  | { readonly type: "note"; readonly key: string; readonly file: number; readonly text: string }
  | { readonly type: "hunk"; readonly key: string; readonly file: number; readonly text: string }
  | {
      readonly type: "line";
      readonly key: string;
      readonly file: number;
      /** Where it is among the file's lines. */
      readonly at: number;
      readonly line: CodeLine;
    }
  /** Two sides of one line; of `null` there is none. */
  | {
      readonly type: "pair";
      readonly key: string;
      readonly file: number;
      readonly left: Placed | null;
      readonly right: Placed | null;
    }
  | {
      readonly type: "comment";
      readonly key: string;
      readonly file: number;
      readonly comment: Comment;
      /** Its code is the line above; otherwise it is shown with what it was made on. */
      readonly isPlaced: boolean;
    }
  | { readonly type: "form"; readonly key: string; readonly file: number; readonly range: Range };

export interface Placed {
  readonly at: number;
  readonly line: CodeLine;
}

/** Reads the lines of a patch as they come. The patch has its files in the order of the list. */
export class DiffBuilder {
  private readonly reader = new PatchReader();
  private readonly lines: PatchLine[][] = [];
  /** False: the patch is of other contents than the list. */
  isSame = true;

  constructor(private readonly items: readonly FileChangeItem[]) {}

  add(lines: readonly string[]): void {
    for (const text of lines) {
      const line = this.reader.read(text);
      if (line.type === "file") this.lines.push([]);
      const at = this.lines.length - 1;
      if (line.type === "head" && !isOf(line.text, this.items[at])) this.isSame = false;
      this.lines.at(-1)?.push(line);
    }
    if (this.lines.length > this.items.length) this.isSame = false;
  }

  files(): readonly DiffFile[] {
    return this.items.map((item, at) => ({ item, lines: this.lines[at] ?? [] }));
  }
}

function isOf(head: string, item: FileChangeItem | undefined): boolean {
  const index = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/.exec(head);
  return !index || (isShort(index[1] ?? "", item?.oldBlob) && isShort(index[2] ?? "", item?.newBlob));
}

function isShort(short: string, blob: string | null | undefined): boolean {
  return blob === null ? /^0+$/.test(short) : blob?.startsWith(short) === true;
}

export interface RowOptions {
  readonly isSplit: boolean;
  /** By their places: whose lines are not shown. */
  readonly folded: ReadonlySet<number>;
  readonly comments: readonly Comment[];
  readonly form: Range | null;
}

export function rowsOf(files: readonly DiffFile[], options: RowOptions): readonly Row[] {
  const paths = new Set(files.map(({ item }) => item.path));
  const lost = options.comments.filter(({ path }) => !paths.has(path));
  const rows: Row[] = lost.map((comment) => commentRow(comment, 0, false));
  for (const [file, { item, lines }] of files.entries()) {
    rows.push({ type: "file", key: fileKey(file), file });
    const own = options.comments.filter(({ path }) => path === item.path);
    const isHere = (comment: Comment) =>
      comment.blob === (comment.side === "old" ? item.oldBlob : item.newBlob);
    const isFolded = options.folded.has(file);
    for (const comment of own) if (isFolded || !isHere(comment)) rows.push(commentRow(comment, file, false));
    if (isFolded) continue;
    const beneath = beneathLines(
      own.filter(isHere),
      options.form?.path === item.path ? options.form : null,
      file,
    );
    if (options.isSplit) splitRows(rows, file, lines, beneath);
    else unifiedRows(rows, file, lines, beneath);
    // Lines that this diff does not show, but that have not changed.
    for (const left of beneath.values()) rows.push(...left);
  }
  return rows;
}

function commentRow(comment: Comment, file: number, isPlaced: boolean): Row {
  return { type: "comment", key: `c${comment.id}`, file, comment, isPlaced };
}

function beneathLines(comments: readonly Comment[], form: Range | null, file: number): Map<string, Row[]> {
  const beneath = new Map<string, Row[]>();
  const put = (side: Side, line: number, row: Row): void => {
    const key = `${side}${line}`;
    beneath.set(key, [...(beneath.get(key) ?? []), row]);
  };
  for (const comment of comments) put(comment.side, comment.endLine, commentRow(comment, file, true));
  if (form) put(form.side, form.endLine, { type: "form", key: formKey(form), file, range: form });
  return beneath;
}

export function fileKey(file: number): string {
  return `f${file}`;
}

/** One on other lines is another one. */
export function formKey({ side, startLine, endLine }: Range): string {
  return `form ${side} ${startLine} ${endLine}`;
}

/** Where a row of an earlier list is now, or what shows the same line; -1: nowhere. */
export function findRow(rows: readonly Row[], wanted: Row): number {
  const same = rows.findIndex(({ key }) => key === wanted.key);
  const at = targetOf(wanted)?.at;
  if (same !== -1 || at === undefined) return same;
  return rows.findIndex(
    (row) =>
      row.file === wanted.file &&
      (row.type === "pair"
        ? row.left?.at === at || row.right?.at === at
        : row.type === "line" && row.at === at),
  );
}

/** Those of this line, which are not asked for again. */
function take(beneath: Map<string, Row[]>, line: CodeLine): readonly Row[] {
  const found: Row[] = [];
  for (const side of ["old", "new"] as const) {
    const number = lineOn(line, side);
    const key = `${side}${number ?? ""}`;
    const rows = number === null ? undefined : beneath.get(key);
    if (!rows) continue;
    beneath.delete(key);
    found.push(...rows);
  }
  return found;
}

const TOLD_HEADS = /^(Binary files|old mode|new mode|rename from|similarity index 100%|Subproject)/;

/** What is no code; null: it is not shown. */
function plainRow(line: PatchLine, file: number, at: number): Row | null {
  const key = `${file}.${at}`;
  if (line.type === "hunk") return { type: "hunk", key, file, text: `@@ ${line.where} @@ ${line.within}` };
  if (line.type === "note") return { type: "note", key, file, text: line.text };
  if (line.type === "head" && TOLD_HEADS.test(line.text)) return { type: "note", key, file, text: line.text };
  return null;
}

function isCode(line: PatchLine): line is CodeLine {
  return line.type === "context" || line.type === "added" || line.type === "removed";
}

function unifiedRows(
  rows: Row[],
  file: number,
  lines: readonly PatchLine[],
  beneath: Map<string, Row[]>,
): void {
  for (const [at, line] of lines.entries()) {
    if (isCode(line)) {
      rows.push({ type: "line", key: `${file}.${at}`, file, at, line });
      if (beneath.size > 0) rows.push(...take(beneath, line));
      continue;
    }
    const row = plainRow(line, file, at);
    if (row) rows.push(row);
  }
}

/** What was taken away stands beside what came in its place. */
function splitRows(
  rows: Row[],
  file: number,
  lines: readonly PatchLine[],
  beneath: Map<string, Row[]>,
): void {
  let removed: Placed[] = [];
  let added: Placed[] = [];
  const end = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const left = removed[index] ?? null;
      const right = added[index] ?? null;
      rows.push({ type: "pair", key: `${file}.${left?.at ?? ""}-${right?.at ?? ""}`, file, left, right });
      if (beneath.size > 0)
        for (const side of [left, right]) if (side) rows.push(...take(beneath, side.line));
    }
    removed = [];
    added = [];
  };
  for (const [at, line] of lines.entries()) {
    if (line.type === "removed") {
      if (added.length > 0) end();
      removed.push({ at, line });
    } else if (line.type === "added") added.push({ at, line });
    else {
      // A note about the last line stands between the two sides.
      if (line.type !== "note" || added.length > 0) end();
      if (line.type === "context") {
        rows.push({ type: "pair", key: `${file}.${at}`, file, left: { at, line }, right: { at, line } });
        if (beneath.size > 0) rows.push(...take(beneath, line));
      } else {
        const row = plainRow(line, file, at);
        if (row) rows.push(row);
      }
    }
  }
  end();
}

/** Null: it is not on that side. */
export function lineOn(line: CodeLine, side: Side): number | null {
  if (line.type === "context") return side === "old" ? line.oldLine : line.newLine;
  if (line.type === "removed") return side === "old" ? line.oldLine : null;
  return side === "new" ? line.newLine : null;
}

/** The side by which a line is commented on. */
export function sideOf(line: CodeLine): Side {
  return line.type === "removed" ? "old" : "new";
}

/** Of one row; null: nothing can be said of it. */
export function targetOf(row: Row | undefined): Placed | null {
  if (row?.type === "line") return row;
  return row?.type === "pair" ? (row.right ?? row.left) : null;
}

/** Rows that hold the words, in their order. */
export function foundIn(rows: readonly Row[], words: string): readonly number[] {
  const wanted = words.toLowerCase();
  if (wanted === "") return [];
  const holds = (line: CodeLine | undefined): boolean => line?.text.toLowerCase().includes(wanted) === true;
  return rows.flatMap((row, index) => {
    const isFound =
      row.type === "line"
        ? holds(row.line)
        : row.type === "pair" && (holds(row.left?.line) || holds(row.right?.line));
    return isFound ? [index] : [];
  });
}

/** The first changed line of each hunk. */
export function hunkStarts(rows: readonly Row[]): readonly number[] {
  const starts: number[] = [];
  let isOpen = false;
  for (const [index, row] of rows.entries()) {
    if (row.type === "hunk") isOpen = true;
    const isChanged =
      row.type === "line"
        ? row.line.type !== "context"
        : row.type === "pair" && (row.left?.line.type !== "context" || row.right?.line.type !== "context");
    if (isOpen && isChanged) {
      starts.push(index);
      isOpen = false;
    }
  }
  return starts;
}
