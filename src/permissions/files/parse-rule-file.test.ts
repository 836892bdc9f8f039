import fc from "fast-check";
import { parse, type TomlTable } from "smol-toml";
import { describe, expect, test } from "vitest";
import { parseRule } from "../../core/index.js";
import {
  FOLDER_RULES_MAX,
  parseRuleFile,
  RULES_MAX,
  type ParsedRuleFile,
  type RuleFileKind,
} from "./parse-rule-file.js";

const FILE = "/p/.signalbox/permissions.toml";
const REPOSITORY: RuleFileKind = { file: FILE, kind: "project", root: "/p", mayGrant: false, folder: null };
const PERSONAL: RuleFileKind = { file: FILE, kind: "project", root: "/p", mayGrant: true, folder: "/p" };

function read(text: string | Buffer, kind = REPOSITORY): ParsedRuleFile {
  return parseRuleFile(Buffer.from(text), kind);
}

/** `deny Shell(rm *)` of each rule, `line:column message` of each flaw. */
function shown(text: string | Buffer, kind = REPOSITORY): readonly [readonly string[], readonly string[]] {
  const { rules, flaws } = read(text, kind);
  return [
    rules.map(({ effect, text: rule }) => `${effect} ${rule}`),
    flaws.map(({ line, column, message }) => `${line}:${column} ${message}`),
  ];
}

test("a file in order gives its rules, each with its place", () => {
  const text = '# mine\n[permissions]\nallow = ["Read(src/**)"]\ndeny = [\n  "Shell", # all\n]\n';
  const origin = { file: FILE, kind: "project", root: "/p" } as const;
  expect(read(text)).toEqual({
    flaws: [],
    rules: [
      {
        effect: "allow",
        category: "Read",
        pattern: "src/**",
        text: "Read(src/**)",
        origin: { ...origin, line: 3 },
      },
      { effect: "deny", category: "Shell", pattern: null, text: "Shell", origin: { ...origin, line: 5 } },
    ],
  });
});

test.each(["", "# nothing\n", "[permissions]\n", "[permissions]\nallow = []\n", "\ufeff[permissions]\r\n"])(
  "%j has no rules, and nothing is wrong with it",
  (text) => {
    expect(shown(text)).toEqual([[], []]);
  },
);

const LIST = 'such as ["Shell(git status)"]';

describe("what is wrong is said, with its place and what was expected", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "an unknown key",
      'x = 1\n[permissions]\ny = ["a"]\n',
      ['1:1 unknown key "x": expected [permissions]', '3:1 unknown key "y": expected allow, ask or deny'],
    ],
    [
      "an unknown table",
      "[permissions]\n[hooks]\na = 1\n",
      ['2:1 unknown key "hooks": expected [permissions]'],
    ],
    [
      "a list of tables",
      "[[permissions]]\nallow = []\n",
      ["1:1 expected a table [permissions] with allow, ask or deny"],
    ],
    [
      "a table that is a text",
      '\npermissions = "all"\n',
      ["2:1 expected a table [permissions] with allow, ask or deny"],
    ],
    [
      "a list that is a table",
      "[permissions.allow]\nx = 1\n",
      [`1:1 allow: expected a list of rules, ${LIST}`],
    ],
    [
      "a list that is a number",
      "[permissions]\n  deny = 3\n",
      [`2:3 deny: expected a list of rules, ${LIST}`],
    ],
    [
      "an item that is a number",
      '[permissions]\nask = ["Shell(ls)", 3]\n',
      ['2:21 ask: expected a rule in quotes, such as "Shell(git status)"'],
    ],
    [
      "a key in the wrong case",
      '[Permissions]\ndeny = ["Shell(rm)"]\n',
      ['1:1 unknown key "Permissions": expected [permissions]'],
    ],
    [
      "grants of a repository",
      '[permissions]\ngrants = ["Shell"]\n',
      ["2:1 only a person's own files may hold grants: expected allow, ask or deny"],
    ],
    [
      "__proto__",
      '[permissions]\n__proto__ = ["Shell"]\n',
      ['2:1 unknown key "__proto__": expected allow, ask or deny'],
    ],
  ])("%s", (_name, text, flaws) => {
    // prettier-ignore
    expect(shown(text)[1]).toEqual(flaws);
  });

  test("a rule that is none", () => {
    const [rules, flaws] = shown('[permissions]\nallow = [\n  "Read(a)",\n  "Bash(ls)",\n]\n');
    expect(rules).toEqual([]);
    expect(flaws).toEqual([expect.stringMatching(/^4:3 allow: "Bash" .*expected/)]);
  });

  test.each([
    ["a list without its end", '[permissions]\nallow = ["Shell(ls)"\n', "3:1"],
    ["a string without its end", '[permissions]\nallow = ["Shell(ls)]\n', "2:"],
    ["a table twice", "[permissions]\n[permissions]\n", "2:2"],
    ["a key twice", "[permissions]\nask = []\nask = []\n", "3:1"],
    ["a missing comma", '[permissions]\nallow = ["a" "b"]\n', "2:14"],
    ["a key without a value", "[permissions]\nallow\n", "2:"],
    ["nonsense", "!!\n", "1:1"],
    ["a zero byte", "[permissions]\n\0\n", "2:1"],
    ["a conflict of git", "<<<<<<< HEAD\n[permissions]\n=======\n", "1:1"],
    ["nesting without end", `[permissions]\nallow = ${"[".repeat(100)}${"]".repeat(100)}\n`, "2:"],
  ])("no TOML: %s", (_name, text, place) => {
    const [rules, flaws] = shown(text);
    expect(rules).toEqual([]);
    expect(flaws).toEqual([expect.stringContaining("not valid TOML: ")]);
    expect(flaws[0]?.startsWith(place), flaws[0]).toBe(true);
  });

  test("bytes that are no UTF-8", () => {
    const text = Buffer.from('[permissions]\nallow = ["Shell(ls)", "Read(\xff)"]\n', "latin1");
    expect(shown(text)).toEqual([[], ["2:29 not valid UTF-8"]]);
  });

  test("more rules than there may be", () => {
    const text = `[permissions]\ndeny = [${'"Tool(x)",'.repeat(RULES_MAX + 1)}]\n`;
    for (const [most, kind] of [
      [FOLDER_RULES_MAX, REPOSITORY],
      [RULES_MAX, PERSONAL],
    ] as const) {
      const { rules, flaws } = read(text, kind);
      expect([rules.length, flaws[0]?.message]).toEqual([most, `more than ${most} rules`]);
    }
  });
});

describe("what a broken file forbids still counts, and nothing that it permits", () => {
  test.each([
    ["a list without its end", '[permissions]\nallow = ["Shell"]\ndeny = ["Shell(rm)"\nask = ["Web"]\n'],
    ["a bad line between", '[permissions]\ndeny = ["Shell(rm)"]\n???\nask = ["Web"]\nallow = ["Read"]\n'],
    ["a table without its end", '[permissions\ndeny = ["Shell(rm)"]\nask = ["Web"]\n'],
    ["no table at all", 'deny = ["Shell(rm)"]\nask = ["Web"]\nx\n'],
    [
      "a bad rule beside them",
      '[permissions]\ndeny = ["Shell(rm)", "Bash(x)"]\nask = "Web"\nallow = ["Read"]\n',
    ],
  ])("%s", (_name, text) => {
    const [rules, flaws] = shown(text);
    expect(rules).toEqual(["deny Shell(rm)", "ask Web"]);
    expect(flaws).not.toEqual([]);
  });
});

describe("a person's own file", () => {
  test("may hold grants, and names its folder", () => {
    const text = 'folder = "/p"\n[permissions]\ngrants = ["Shell(ls)"]\ndeny = ["Web"]\n';
    const { rules, flaws } = read(text, PERSONAL);
    expect(flaws).toEqual([]);
    expect(rules.map(({ effect, origin }) => [effect, origin.kind])).toEqual([
      ["grant", "grant"],
      ["deny", "project"],
    ]);
  });

  test.each([
    ['[permissions]\ngrants = ["Shell"]\n', '1:1 folder is missing: expected folder = "/p"'],
    [
      'folder = "/q"\n[permissions]\ngrants = ["Shell"]\n',
      '1:1 this file is for another folder: expected "/p"',
    ],
    ['folder = "/p"\nfolders = 1\n', '2:1 unknown key "folders": expected folder and [permissions]'],
  ])("%j is not for this folder", (text, flaw) => {
    expect(shown(text, PERSONAL)).toEqual([[], [flaw]]);
  });
});

/** A file in order, with something cut out, put in or doubled anywhere. */
const damaged = fc
  .tuple(
    fc.array(fc.constantFrom("Shell(rm *)", "Read(**)", "Web", "Tool(x)"), { maxLength: 3 }),
    fc.array(fc.constantFrom("Shell(ls)", "Write(a)", "Mcp(a/b)"), { maxLength: 3 }),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.nat({ max: 6 }),
        fc.constantFrom("", '"', "[", "]", "=", ",", "\n", "#", "x", "\0", "{", "}", "allow", "'", "\\"),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([deny, allow, cuts]) => {
    let text = `[permissions]\ndeny = ${JSON.stringify(deny)}\nallow = ${JSON.stringify(allow)} # end\n`;
    for (const [at, length, piece] of cuts) {
      const start = at % (text.length + 1);
      text = text.slice(0, start) + piece + text.slice(start + length);
    }
    return text;
  });

test("whatever the damage, nothing is permitted that the file does not plainly say", () => {
  let broken = 0;
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string({ unit: "binary" })), (text) => {
      const { rules, flaws } = read(text);
      const permitting = rules.filter(({ effect }) => effect !== "deny" && effect !== "ask");
      if (flaws.length > 0) {
        broken += 1;
        expect(permitting).toEqual([]);
        for (const { file, line, column } of flaws)
          expect([file, line, column].every((part) => part !== null)).toBe(true);
        return;
      }
      const table = (parse(text)["permissions"] ?? {}) as TomlTable;
      expect(permitting.map((rule) => rule.text)).toEqual(table["allow"] ?? []);
      expect(Object.keys(parse(text)).filter((key) => key !== "permissions")).toEqual([]);
      expect(permitting.every((rule) => parseRule(rule.text).ok)).toBe(true);
    }),
    { numRuns: 3_000 },
  );
  expect(broken).toBeGreaterThan(500);
});
