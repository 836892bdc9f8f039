import fc from "fast-check";
import { parse, type TomlTable, type TomlValue } from "smol-toml";
import { expect, test } from "vitest";
import { scanToml, type TomlEntry } from "./scan-toml.js";

/** The entries without their places, which other tests look at. */
function shown(text: string): readonly unknown[] {
  return scanToml(text).entries.map(({ path, value }) => [path.join("/"), show(value)]);
}

function show(value: TomlEntry["value"]): unknown {
  if (value.type === "list") return value.items.map(({ text }) => text).concat(value.isClosed ? [] : ["…"]);
  return value.type === "string" ? value.text : "other";
}

test("keys, tables and lists are found in all the ways in which they can be written", () => {
  const text = [
    'bare = "a"',
    "\"quoted key\" = 'b\\n'",
    "a.b . 'c' = 1 # dotted",
    "[permissions] # a table",
    'deny = ["x", \'y\', """z\n""", 3, ["n"]] # a list',
    'ask = [\n  "one", # "not this"\n\n  "t\\u0077o"\n]',
    "[[other.list]]",
    'inline = { deny = ["i"], deep = { k = "v" } }',
    "",
  ].join("\n");
  expect(shown(text)).toEqual([
    ["bare", "a"],
    ["quoted key", "b\\n"],
    ["a/b/c", "other"],
    ["permissions/deny", ["x", "y", "z\n", null, null]],
    ["permissions/ask", ["one", "two"]],
    ["other/list/inline", "other"],
    ["other/list/inline/deny", ["i"]],
    ["other/list/inline/deep", "other"],
    ["other/list/inline/deep/k", "v"],
  ]);
});

test("places are those of the text", () => {
  const text = '[permissions]\n  deny = [ "Shell(rm *)" , "x" ]\n';
  const { headers, entries } = scanToml(text);
  expect(headers).toEqual([{ path: ["permissions"], start: 0, end: 13 }]);
  const [deny] = entries;
  expect(deny && [text.slice(deny.keyStart, deny.end), text.slice(deny.start, deny.end)]).toEqual([
    'deny = [ "Shell(rm *)" , "x" ]',
    '[ "Shell(rm *)" , "x" ]',
  ]);
  const items = deny?.value.type === "list" ? deny.value.items : [];
  expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(['"Shell(rm *)"', '"x"']);
});

test.each<[string, string, readonly unknown[]]>([
  [
    "a list without its end",
    'deny = ["a",\n  "b"\nask = ["c"]\n',
    [
      ["deny", ["a", "b", "…"]],
      ["ask", ["c"]],
    ],
  ],
  [
    "a list without its end, before a table",
    'deny = ["a"\n[permissions]\nask = ["c"]\n',
    [
      ["deny", ["a", "…"]],
      ["permissions/ask", ["c"]],
    ],
  ],
  [
    "a string without its end",
    'allow = ["a\ndeny = ["b"]\n',
    [
      ["allow", [null, "…"]],
      ["deny", ["b"]],
    ],
  ],
  ["commas that are missing", 'deny = ["a" "b"\n"c"]\n', [["deny", ["a", "b", "c"]]]],
  ["a header without its end", '[permissions\ndeny = ["a"]\n', [["permissions/deny", ["a"]]]],
  ["lines that mean nothing", '=\n]]\n}{\n"\ndeny = ["a"]\n', [["deny", ["a"]]]],
  ["an escape that there is none of", 'deny = ["\\q", "a"]\n', [["deny", [null, "a"]]]],
  [
    "an equals sign in a quoted item",
    'deny = [\n  "a \\"=\\" b",\n  \'c=d\',\n]\n',
    [["deny", ['a "=" b', "c=d"]]],
  ],
])("what can be read of %s is", (_name, text, entries) => {
  expect(shown(text)).toEqual(entries);
});

test("every text is taken, and quickly, however it is made", () => {
  const pieces = fc.constantFrom(
    "[", "]", "{", "}", '"', "'", '"""', "'''", "=", ",", "#", "\n", "\r\n", " ", ".", "\\", "deny", "[permissions]", "a", "\u0000", "é",
  ); // prettier-ignore
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join("");
      const { entries } = scanToml(text);
      for (const { keyStart, start, end } of entries) {
        expect(keyStart).toBeLessThanOrEqual(start);
        expect(start).toBeLessThanOrEqual(end);
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each<[string, (length: number) => string]>([
  ["blanks", (length) => " \n".repeat(length / 2)],
  ["comments", (length) => "#x\n".repeat(length / 3)],
  ["open lists", (length) => `a = ${"[".repeat(length)}`],
  ["open tables", (length) => `a = ${"{a=".repeat(length / 3)}`],
  ["one string", (length) => `a = """${"x".repeat(length)}"""`],
  ["one string without an end", (length) => `a = """${'\\"'.repeat(length / 2)}`],
  ["quotes", (length) => '"'.repeat(length)],
  ["items", (length) => `a = [${'"b",'.repeat(length / 4)}]`],
  ["keys", (length) => "a.".repeat(length / 2)],
  ["equals signs", (length) => "=".repeat(length)],
  ["entries", (length) => "a=1\n".repeat(length / 4)],
])("a megabyte of %s is taken", (_name, make) => {
  expect(scanToml(make(1024 * 1024)).entries.length).toBeGreaterThanOrEqual(0);
});

test("of a text that is TOML it finds what the parser finds", () => {
  const word = fc.constantFrom("a", "deny", "b-c", '"q k"', "'l'");
  const string = fc
    .tuple(fc.string({ unit: "binary" }), fc.boolean())
    .map(([text, literal]) =>
      literal && /^[^'\p{Cc}\ud800-\udfff]*$/u.test(text) ? `'${text}'` : quoted(text),
    );
  const gap = fc.constantFrom("", " ", "\n", " # c\n  ");
  const list = fc
    .array(fc.tuple(gap, string, gap), { maxLength: 4 })
    .chain((items) => fc.tuple(fc.constant(items), gap, fc.boolean()))
    .map(([items, end, comma]) => {
      const body = items.map((item) => item.join("")).join(",");
      return `[${body}${comma && items.length > 0 ? "," : ""}${end}]`;
    });
  const entry = fc.tuple(word, fc.oneof(string, list, fc.constantFrom("1", "true", "{ x = ['y'] }")));
  const lines = fc.array(
    fc.oneof(
      entry.map(([key, value]) => `${key} = ${value}`),
      word.map((key) => `[${key}]`),
    ),
  );
  let compared = 0;
  fc.assert(
    fc.property(lines, (made) => {
      const text = made.join("\n");
      let document: TomlTable;
      try {
        document = parse(text);
      } catch {
        return;
      }
      compared += 1;
      for (const { path, value } of scanToml(text).entries) {
        const meant = path.reduce<TomlValue | undefined>((at, name) => (at as TomlTable)[name], document);
        if (value.type === "string") expect(value.text).toBe(meant);
        if (value.type === "list") expect(value.items.map((item) => item.text)).toEqual(meant);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(compared).toBeGreaterThan(100);
});

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
