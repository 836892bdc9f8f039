import fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { addToList } from "./add-to-list.js";
import { removeFromList } from "./remove-from-list.js";

function removed(text: string, item = "x"): string {
  const result = removeFromList(text, "permissions", "deny", (each) => each === item);
  return result.ok ? result.text : `refused: ${result.message}`;
}

test.each<[string, string, string]>([
  ["the only one", '[permissions]\ndeny = ["x"] # never\n', "[permissions]\ndeny = [] # never\n"],
  ["the first of a line", 'permissions.deny = ["x", "y"]', 'permissions.deny = ["y"]'],
  ["the last of a line", 'permissions.deny = ["y", "x"]', 'permissions.deny = ["y"]'],
  ["one between", 'permissions.deny = ["y", "x", "z"]', 'permissions.deny = ["y", "z"]'],
  [
    "a line, with the comment behind it and no other",
    '[permissions]\ndeny = [\n  # all\n  "x", # this\n  "y",\n] # end\n',
    '[permissions]\ndeny = [\n  # all\n  "y",\n] # end\n',
  ],
  [
    "the last line, which has no comma",
    '[permissions]\r\ndeny = [\r\n  "y",\r\n  "x"\r\n]\r\n',
    '[permissions]\r\ndeny = [\r\n  "y",\r\n]\r\n',
  ],
  ["every one of several", '[permissions]\ndeny = ["x", "y", "x"]\n', '[permissions]\ndeny = ["y"]\n'],
  ["behind the bracket", '[permissions]\ndeny = ["x",\n  "y"]\n', '[permissions]\ndeny = [\n  "y"]\n'],
  ["in a table within braces", 'permissions = { deny = ["x"] }\n', "permissions = { deny = [] }\n"],
])("%s", (_name, before, after) => {
  expect(removed(before)).toBe(after);
});

test("another list is not meant", () => {
  expect(removed('[permissions]\nallow = ["x"]\ndeny = ["y"]\n')).toContain("refused");
});

test("what was added and is removed again leaves the other texts", () => {
  const texts = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 });
  const seed = fc.constantFrom("", "# a\n[permissions]\ndeny = [ # b\n]\n", "permissions.deny = []");
  fc.assert(
    fc.property(seed, texts, fc.nat(), (start, items, at) => {
      const text = items.reduce((before, item) => {
        const added = addToList(before, "permissions", "deny", item);
        return added.ok ? added.text : before;
      }, start);
      const held = (parse(text) as { permissions?: { deny?: string[] } }).permissions?.deny ?? [];
      const gone = held[at % Math.max(1, held.length)];
      if (gone === undefined) return;
      const after = parse(removed(text, gone)) as { permissions: { deny: string[] } };
      expect(after.permissions.deny).toEqual(held.filter((each) => each !== gone));
    }),
  );
});
