import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseChunk, type Block } from "./markdown-blocks.js";
import { cutChunks, NOTHING_CUT } from "./markdown-chunks.js";
import { parseInline, safeHref } from "./markdown-inline.js";

const blocks = (text: string): readonly Block[] => cutChunks(text).chunks.map((chunk) => parseChunk(chunk));
const paragraph = (text: string) => ({ type: "paragraph", text });

describe("blocks", () => {
  test("headings, paragraphs, rules and quotes", () => {
    expect(blocks("# One #\ntext\nmore\n\n---\n> said\nlazily\n## Two")).toEqual([
      { type: "heading", level: 1, text: "One" },
      paragraph("text\nmore"),
      { type: "rule" },
      { type: "quote", blocks: [paragraph("said\nlazily")] },
      { type: "heading", level: 2, text: "Two" },
    ]);
  });

  test("code keeps its empty lines, and needs no end", () => {
    expect(blocks("```ts\nconst a = 1;\n\n# not a heading\n```\nafter\n~~~\nopen\n")).toEqual([
      { type: "code", language: "ts", text: "const a = 1;\n\n# not a heading" },
      paragraph("after"),
      { type: "code", language: "", text: "open\n" },
    ]);
  });

  test("lists nest, go on over empty lines and hold code", () => {
    expect(blocks("1. one\n   - inner\n\n   more\n2. two\n   ```\n   code\n   ```\n\nafter")).toEqual([
      {
        type: "list",
        start: 1,
        items: [
          {
            isDone: null,
            blocks: [
              paragraph("one"),
              { type: "list", start: null, items: [{ isDone: null, blocks: [paragraph("inner")] }] },
              paragraph("more"),
            ],
          },
          { isDone: null, blocks: [paragraph("two"), { type: "code", language: "", text: "code" }] },
        ],
      },
      paragraph("after"),
    ]);
    expect(blocks("- [x] done\n- [ ] to do")).toEqual([
      {
        type: "list",
        start: null,
        items: [
          { isDone: true, blocks: [paragraph("done")] },
          { isDone: false, blocks: [paragraph("to do")] },
        ],
      },
    ]);
  });

  test("tables have as many cells as their head", () => {
    expect(blocks("| a | b |\n|---|:-:|\n| 1 | 2 \\| 3 | 4 |\n| 5 |")).toEqual([
      {
        type: "table",
        head: ["a", "b"],
        rows: [
          ["1", "2 | 3"],
          ["5", ""],
        ],
      },
    ]);
  });

  test("a text that grows by any pieces is cut like the whole, and keeps what is finished", () => {
    const pieces = fc.array(
      fc.constantFrom("a", " ", "\n", "\n\n", "```", "- ", "1. ", "> ", "# ", "  ", "|", "---"),
      {
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        let cut = NOTHING_CUT;
        for (const part of parts) {
          const next = cutChunks(cut.text + part, cut);
          for (const [index, chunk] of cut.chunks.slice(0, -2).entries())
            expect(next.chunks[index]).toBe(chunk);
          cut = next;
        }
        expect(cut.chunks).toEqual(cutChunks(parts.join("")).chunks);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("inline", () => {
  const text = (words: string) => ({ type: "text", text: words });

  test("marks, code and links", () => {
    expect(parseInline("a **b *c*** `d` ~~e~~ snake_case_name [f](https://g.example/h)")).toEqual([
      text("a "),
      { type: "strong", children: [text("b "), { type: "em", children: [text("c")] }] },
      text(" "),
      { type: "code", text: "d" },
      text(" "),
      { type: "del", children: [text("e")] },
      text(" snake_case_name "),
      { type: "link", href: "https://g.example/h", children: [text("f")] },
    ]);
  });

  test("what would be fetched or run is shown as text", () => {
    expect(parseInline("![x](https://a.example/b.png)")).toEqual([
      { type: "link", href: "https://a.example/b.png", children: [text("x")] },
    ]);
    expect(parseInline("[x](javascript:alert(1)) <b>")).toEqual([
      text("x"),
      text(" (javascript:alert(1)) <b>"),
    ]);
    expect(parseInline("see https://a.example/b, <mailto:c@d.example>")).toEqual([
      text("see "),
      { type: "link", href: "https://a.example/b", children: [text("https://a.example/b")] },
      text(", "),
      { type: "link", href: "mailto:c@d.example", children: [text("mailto:c@d.example")] },
    ]);
  });

  test.each([
    "javascript:x",
    "JaVaScRiPt:x",
    " https://a",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc",
    "//a",
    "/a",
  ])("%j leads nowhere", (href) => expect(safeHref(href)).toBeNull());

  test("every character of a text is there, whatever it is made of", () => {
    const pieces = fc.array(
      fc.constantFrom("a", " ", "*", "**", "_", "`", "``", "~~", "[", "](", ")", "!", "<", "h"),
      {
        maxLength: 60,
      },
    );
    const letters = (nodes: ReturnType<typeof parseInline>): number =>
      nodes.reduce(
        (sum, node) =>
          sum + ("children" in node ? letters(node.children) : (node.text.match(/[ah]/g)?.length ?? 0)),
        0,
      );
    fc.assert(
      fc.property(pieces, (parts) => {
        const whole = parts.join("");
        expect(letters(parseInline(whole))).toBe(whole.match(/[ah]/g)?.length ?? 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["[", "*a ", "_a ", "**", "`", "``a ", "<", "http://", "[](", "![", "~~"])(
    "twenty thousand characters of %j end",
    (part) => {
      expect(parseInline(part.repeat(Math.floor(20_000 / part.length))).length).toBeGreaterThan(0);
    },
  );
});
