import { expect, test } from "vitest";
import type { FileChangeItem } from "../../protocol/changes.js";
import type { Comment } from "../../protocol/review.js";
import { spansOf, withFound } from "./code-spans.js";
import {
  DiffBuilder,
  findRow,
  foundIn,
  hunkStarts,
  rowsOf,
  type Row,
  type RowOptions,
} from "./diff-model.js";

const OLD = "1111111".padEnd(40, "a");
const NEW = "2222222".padEnd(40, "b");
const ITEM: FileChangeItem = {
  ...{ path: "a.ts", oldPath: null, status: "modified", added: 2, removed: 1 },
  ...{ oldBlob: OLD, newBlob: NEW, isSubmodule: false },
};
const LINES = [
  "diff --git a/a.ts b/a.ts",
  "index 1111111..2222222 100644",
  "--- a/a.ts",
  "+++ b/a.ts",
  "@@ -1,3 +1,4 @@",
  " one",
  "-two",
  "+2",
  "+2.5",
  " three",
];

function filesOf(items: readonly FileChangeItem[] = [ITEM]) {
  const builder = new DiffBuilder(items);
  // In pieces, as pages come.
  builder.add(LINES.slice(0, 7));
  builder.add(LINES.slice(7));
  return { files: builder.files(), isSame: builder.isSame };
}

const PLAIN: RowOptions = { isSplit: false, folded: new Set(), comments: [], form: null };

function comment(more: Partial<Comment>): Comment {
  return {
    ...{
      id: "c1",
      path: "a.ts",
      side: "new",
      startLine: 2,
      endLine: 2,
      blob: NEW,
      quoted: ["2"],
      text: "Why?",
    },
    ...{ state: "open", by: { kind: "token", id: "token", name: "x" }, createdAtMs: 1, sentAtMs: null },
    ...{ outdated: false, ...more },
  };
}

/** Short, for comparing. */
function told(row: Row): string {
  switch (row.type) {
    case "file":
      return "file";
    case "line":
      return `${row.line.type} ${row.line.text}`;
    case "pair":
      return `${row.left?.line.text ?? "-"} | ${row.right?.line.text ?? "-"}`;
    case "comment":
      return `comment${row.isPlaced ? "" : " elsewhere"}`;
    default:
      return row.type;
  }
}

test("rows are the lines in their order, unified and side by side", () => {
  const { files, isSame } = filesOf();
  expect(isSame).toBe(true);
  expect(rowsOf(files, PLAIN).map(told)).toEqual([
    ...["file", "hunk", "context one", "removed two", "added 2", "added 2.5", "context three"],
  ]);
  expect(rowsOf(files, { ...PLAIN, isSplit: true }).map(told)).toEqual([
    ...["file", "hunk", "one | one", "two | 2", "- | 2.5", "three | three"],
  ]);
  expect(rowsOf(files, { ...PLAIN, folded: new Set([0]) }).map(told)).toEqual(["file"]);
  expect(hunkStarts(rowsOf(files, PLAIN))).toEqual([3]);
  expect(foundIn(rowsOf(files, PLAIN), "T")).toEqual([3, 6]);
});

test("a comment stands at its line only while the content is the one that it was made on", () => {
  const { files } = filesOf();
  const placed = (more: Partial<Comment>) => rowsOf(files, { ...PLAIN, comments: [comment(more)] }).map(told);
  expect(placed({}).indexOf("comment")).toBe(5);
  expect(placed({ side: "old", blob: OLD }).indexOf("comment")).toBe(4);
  expect(placed({ blob: OLD })[1]).toBe("comment elsewhere");
  expect(placed({ path: "gone.ts" })[0]).toBe("comment elsewhere");
  // A line that this diff does not show.
  expect(placed({ startLine: 90, endLine: 90 }).at(-1)).toBe("comment");
  const form = { path: "a.ts", side: "new", startLine: 1, endLine: 3 } as const;
  expect(
    rowsOf(files, { ...PLAIN, form })
      .map(told)
      .indexOf("form"),
  ).toBe(6);
});

test("a patch of other contents than the list is noticed", () => {
  expect(filesOf([{ ...ITEM, newBlob: OLD }]).isSame).toBe(false);
  expect(filesOf([]).isSame).toBe(false);
});

test("what a highlighter wrote becomes pieces of lines, and never markup", () => {
  const markup =
    '<span class="hljs-comment">/* a\n&lt;b&gt; */</span> <span class="hljs-title function_">f<span class="hljs-params">x</span></span> &amp;';
  expect(spansOf(markup)).toEqual([
    [{ kind: "comment", text: "/* a" }],
    [
      { kind: "comment", text: "<b> */" },
      { kind: null, text: " " },
      { kind: "name", text: "fx" },
      { kind: null, text: " &" },
    ],
  ]);
  const spans = [
    { kind: "keyword", text: "const" },
    { kind: null, text: " x" },
  ] as const;
  expect(withFound(spans, "T X")).toEqual([
    { kind: "keyword", text: "cons", isFound: false },
    { kind: "keyword", text: "t", isFound: true },
    { kind: null, text: " x", isFound: true },
  ]);
  expect(withFound(spans, "")).toEqual(spans.map((span) => ({ ...span, isFound: false })));
});

test("a row is found again among others, and where the same line is shown in another way", () => {
  const { files } = filesOf();
  const unified = rowsOf(files, PLAIN);
  const split = rowsOf(files, { ...PLAIN, isSplit: true, comments: [comment({ path: "lost.ts" })] });
  const places = unified.map((row) => findRow(split, row));
  expect(places).toEqual([1, 2, 3, 4, 4, 5, 6]);
  const folded = rowsOf(files, { ...PLAIN, folded: new Set([0]) });
  expect(unified.map((row) => findRow(folded, row))).toEqual([0, -1, -1, -1, -1, -1, -1]);
});
