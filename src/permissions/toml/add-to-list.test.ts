import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { addToList } from "./add-to-list.js";

function added(text: string, item = "Shell(ls)"): string {
  const result = addToList(text, "permissions", "grants", item);
  return result.ok ? result.text : `refused: ${result.message}`;
}

test.each<[string, string, string]>([
  ["nothing", "", '[permissions]\ngrants = ["Shell(ls)"]\n'],
  ["a comment alone", "# mine", '# mine\n\n[permissions]\ngrants = ["Shell(ls)"]\n'],
  ["another table", "[a]\nb = 1\n", '[a]\nb = 1\n\n[permissions]\ngrants = ["Shell(ls)"]\n'],
  ["an empty table", "[permissions]", '[permissions]\ngrants = ["Shell(ls)"]\n'],
  [
    "an empty table before another",
    "[permissions] # here\n\n[other]\nx = 1\n",
    '[permissions] # here\ngrants = ["Shell(ls)"]\n\n[other]\nx = 1\n',
  ],
  [
    "a table without the list",
    '[permissions]\n\tdeny = ["x"] # never\n\n# the end\n',
    '[permissions]\n\tdeny = ["x"] # never\n\tgrants = ["Shell(ls)"]\n\n# the end\n',
  ],
  [
    "a table without the list, whose last one is long",
    '[permissions]\ndeny = [\n  "x",\n] # never\n[other]\ny = 1',
    '[permissions]\ndeny = [\n  "x",\n] # never\ngrants = ["Shell(ls)"]\n[other]\ny = 1',
  ],
  ["dotted keys", "permissions.deny = []\n", 'permissions.deny = []\npermissions.grants = ["Shell(ls)"]\n'],
  ["an empty list", "[permissions]\ngrants = [ ]\n", '[permissions]\ngrants = ["Shell(ls)" ]\n'],
  [
    "an empty list of lines",
    "[permissions]\ngrants = [ # none\n  # yet\n]\n",
    '[permissions]\ngrants = [ # none\n  "Shell(ls)",\n  # yet\n]\n',
  ],
  [
    "one line",
    '[permissions]\ngrants = [ "a", "b" ] # c\n',
    '[permissions]\ngrants = [ "a", "b", "Shell(ls)" ] # c\n',
  ],
  ["a comma at the end", '[permissions]\ngrants = ["a",]\n', '[permissions]\ngrants = ["a", "Shell(ls)",]\n'],
  [
    "many lines",
    '[permissions]\ngrants = [\n    "a", # one\n    "b" # two\n    # three\n]\n',
    '[permissions]\ngrants = [\n    "a", # one\n    "b", # two\n    "Shell(ls)",\n    # three\n]\n',
  ],
  [
    "many lines with a comma at the end",
    '[permissions]\ngrants = [\n\t"a",\n]\n',
    '[permissions]\ngrants = [\n\t"a",\n\t"Shell(ls)",\n]\n',
  ],
  [
    "a comma on the next line",
    '[permissions]\ngrants = [\n  "a" # one\n  , # two\n]\n',
    '[permissions]\ngrants = [\n  "a" # one\n  , # two\n  "Shell(ls)",\n]\n',
  ],
  [
    "lines of which the last holds the end",
    '[permissions]\ngrants = [\n  "a",\n  "b"]\n',
    '[permissions]\ngrants = [\n  "a",\n  "b", "Shell(ls)"]\n',
  ],
  [
    "the line ends of another system",
    '# x\r\n[permissions]\r\ngrants = [\r\n  "a"\r\n]\r\n',
    '# x\r\n[permissions]\r\ngrants = [\r\n  "a",\r\n  "Shell(ls)",\r\n]\r\n',
  ],
  [
    "a list within braces",
    'permissions = { grants = ["a"] }\n',
    'permissions = { grants = ["a", "Shell(ls)"] }\n',
  ],
])("to %s", (_name, before, after) => {
  expect(added(before)).toBe(after);
});

test.each([
  ["a table within braces", 'permissions = { deny = ["a"] }\n'],
  ["a table that is a list", "[[permissions]]\ndeny = []\n"],
  ["a list that is none", '[permissions]\ngrants = "a"\n'],
  ["a table that is none", "permissions = 3\n"],
])("%s is left alone", (_name, before) => {
  expect(added(before)).toMatch(/^refused: .*add it by hand$/);
});

test("a text that TOML cannot hold is refused", () => {
  expect(added("", "Shell(\ud800)")).toBe(
    'refused: "Shell(\\ud800)" cannot be written there; add it by hand',
  );
});

test("whatever is added is there afterwards, and all that was there is, byte for byte and in its order", () => {
  const comment = fc.string().map((text) => `# ${text.replaceAll(/[\p{Cc}\ud800-\udfff]/gu, "")}`);
  const gap = fc.oneof(
    fc.constantFrom("", " ", "\n", "\n\n\t"),
    comment.map((text) => ` ${text}\n`),
  );
  const list = fc.array(fc.tuple(gap, fc.string({ unit: "binary" }), gap), { maxLength: 3 }).chain((items) =>
    fc.tuple(fc.boolean(), gap).map(([comma, end]) => {
      const body = items.map(([before, text, after]) => before + literal(text) + after).join(",");
      return `[${body}${comma && items.length > 0 ? "," : ""}${end}]`;
    }),
  );
  const table = fc
    .tuple(
      fc.subarray(["allow", "ask", "deny", "grants"]),
      fc.array(list, { minLength: 4, maxLength: 4 }),
      gap,
    )
    .map(([names, lists, end]) =>
      [
        "[permissions]",
        ...names.map((name, index) => `${name} = ${lists[index] ?? "[]"}${end.split("\n")[0] ?? ""}`),
        "",
      ].join("\n"),
    );
  const document = fc.tuple(comment, table, comment).map((parts) => parts.join("\n"));
  fc.assert(
    fc.property(
      document,
      fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1, maxLength: 3 }),
      (text, items) => {
        let now = text;
        for (const item of items) now = added(now, item);
        const before = (parse(text)["permissions"] ?? {}) as Record<string, string[]>;
        const wanted = {
          ...before,
          grants: [...(before["grants"] ?? []), ...items],
        };
        expect(parse(now)["permissions"]).toEqual(wanted);
        expect(isSubsequence(text, now)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (part.startsWith(char, at)) at += char.length;
  return at === part.length;
}

function literal(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
