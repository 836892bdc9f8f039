import { describe, expect, test } from "vitest";
import type { Category } from "./access.js";
import { pathRuleCovers, pathRuleReaches } from "./path-rule.js";
import type { FileAccess } from "./resolved-access.js";
import type { Rule } from "./rule.js";

const PROJECT = "/srv/app";
const HOME = "/var/people/ann";

function rule(category: Category, pattern: string | null, root: string | null = PROJECT): Rule {
  const origin = { file: null, line: null, kind: "project", root } as const;
  return { effect: "allow", category, pattern, text: "", origin };
}

function file(category: "Read" | "Write", path: string, ...targets: readonly string[]): FileAccess {
  const real = targets.length === 0 ? [path] : targets;
  return { category, path, paths: [path, ...real], targets: real, exact: true, project: PROJECT, home: HOME };
}

function computed(glob: string): FileAccess {
  return { ...file("Read", glob), targets: [], exact: false };
}

describe("an allow covers", () => {
  test.each([
    ["src/**", "/srv/app/src/a.ts", true],
    ["./src/**", "/srv/app/src/a.ts", true],
    ["src/**", "/srv/app/lib/a.ts", false],
    ["src/**", "/srv/application/src/a.ts", false],
    ["**", "/srv/app/a", true],
    ["**", "/etc/passwd", false],
    ["**/*.ts", "/elsewhere/a.ts", false],
    ["/**", "/etc/passwd", true],
    ["/etc/*", "/etc/passwd", true],
    ["~/notes/**", "/var/people/ann/notes/a", true],
    ["~/notes/**", "/srv/app/~/notes/a", false],
    ["\\~/a", "/srv/app/~/a", true],
    ["../lib/**", "/srv/lib/a", true],
    ["../../../../../etc/passwd", "/etc/passwd", true],
    [".env", "/srv/app/.ENV", false],
  ])("%s: %s %s", (pattern, path, expected) => {
    expect(pathRuleCovers(rule("Read", pattern), file("Read", path))).toBe(expected);
  });

  test("where the path really leads, all of it", () => {
    const link = file("Read", "/srv/app/src/link", "/etc/passwd");
    expect(pathRuleCovers(rule("Read", "src/**"), link)).toBe(false);
    expect(pathRuleCovers(rule("Read", "/etc/*"), link)).toBe(true);
    const two = file("Read", "/srv/app/src/l/../a", "/srv/app/src/a", "/etc/a");
    expect(pathRuleCovers(rule("Read", "src/**"), two)).toBe(false);
  });

  test("from the rule's own root, else from the session's project", () => {
    expect(pathRuleCovers(rule("Read", "a", "/srv"), file("Read", "/srv/a"))).toBe(true);
    expect(pathRuleCovers(rule("Read", "a", "/srv"), file("Read", "/srv/app/a"))).toBe(false);
    expect(pathRuleCovers(rule("Read", "a", null), file("Read", "/srv/app/a"))).toBe(true);
  });

  test("reading with writing, and not the other way around", () => {
    expect(pathRuleCovers(rule("Write", "a"), file("Read", "/srv/app/a"))).toBe(true);
    expect(pathRuleCovers(rule("Read", "a"), file("Write", "/srv/app/a"))).toBe(false);
    expect(pathRuleCovers(rule("Write", null), file("Read", "/x"))).toBe(true);
    expect(pathRuleCovers(rule("Shell", null), file("Read", "/x"))).toBe(false);
  });

  test("nothing that is computed, and nothing that leads nowhere", () => {
    expect(pathRuleCovers(rule("Read", "/**"), computed("/srv/app/*"))).toBe(false);
    expect(pathRuleCovers(rule("Read", "/**"), { ...file("Read", "/a"), targets: [] })).toBe(false);
  });
});

describe("a deny or an ask is about", () => {
  test.each([
    ["**/.env*", "/srv/app/.env", "yes"],
    ["**/.env*", "/elsewhere/deep/.env.local", "yes"],
    ["**/.env*", "/srv/app/.ENV", "yes"],
    ["**/.env*", "/srv/app/env", "no"],
    [".env", "/srv/app/.env", "yes"],
    [".env", "/elsewhere/.env", "no"],
    ["secrets/**", "/srv/app/secrets", "yes"],
    ["secrets/", "/srv/app/secrets/deep/a", "yes"],
    ["caf\u00e9", "/srv/app/cafe\u0301", "yes"],
    ["~/.ssh/**", "/var/people/ann/.ssh/id", "yes"],
  ] as const)("%s: %s %s", (pattern, path, expected) => {
    expect(pathRuleReaches(rule("Read", pattern), file("Read", path))).toBe(expected);
  });

  test("any name of the file", () => {
    const link = file("Read", "/srv/app/.env", "/vault/a");
    expect(pathRuleReaches(rule("Read", "**/.env"), link)).toBe("yes");
    expect(pathRuleReaches(rule("Read", "/vault/**"), link)).toBe("yes");
  });

  test("its own root, and the session's project as well", () => {
    expect(pathRuleReaches(rule("Read", "a", "/srv"), file("Read", "/srv/a"))).toBe("yes");
    expect(pathRuleReaches(rule("Read", "a", "/srv"), file("Read", "/srv/app/a"))).toBe("yes");
  });

  test("writing with reading, and not the other way around", () => {
    expect(pathRuleReaches(rule("Read", "a"), file("Write", "/srv/app/a"))).toBe("yes");
    expect(pathRuleReaches(rule("Write", "a"), file("Read", "/srv/app/a"))).toBe("no");
  });

  test("of what is built in, also the folders above it, which would take it along", () => {
    const builtin = (pattern: string): Rule => ({
      ...rule("Write", pattern),
      origin: { file: null, line: null, kind: "builtin", root: "/" },
    });
    expect(pathRuleReaches(builtin("/a/b/c/**"), file("Write", "/a/b"))).toBe("yes");
    expect(pathRuleReaches(builtin("/a/b/c/**"), file("Read", "/a/b"))).toBe("no");
    expect(pathRuleReaches(builtin("/a/b/c/**"), file("Write", "/"))).toBe("no");
    expect(pathRuleReaches(rule("Write", "/a/b/c/**"), file("Write", "/a/b"))).toBe("no");
  });

  test("perhaps, what may be computed", () => {
    expect(pathRuleReaches(rule("Read", "**/.env*"), computed("/srv/app/.e*"))).toBe("maybe");
    expect(pathRuleReaches(rule("Read", "**/.env*"), computed("/**"))).toBe("maybe");
    expect(pathRuleReaches(rule("Read", "**/.env*"), computed("/srv/app/*.ts"))).toBe("no");
    expect(pathRuleReaches(rule("Read", null), computed("/srv/app/*.ts"))).toBe("maybe");
  });
});

test("a pattern that cannot be read asks, and allows nothing", () => {
  expect(pathRuleReaches(rule("Read", "[a"), file("Read", "/x"))).toBe("maybe");
  expect(pathRuleCovers(rule("Read", "[a"), file("Read", "/srv/app/[a"))).toBe(false);
});
