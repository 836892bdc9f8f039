import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { put, temporaryFolder } from "../temporary-folder.test.js";
import { addRule } from "./add-rule.js";
import type { RuleFileKind } from "./parse-rule-file.js";

function fileIn(folder: string, more: Partial<RuleFileKind> = {}): RuleFileKind {
  const file = join(folder, "config", "permissions.toml");
  return { file, kind: "global", root: null, mayGrant: true, folder: null, ...more };
}

test("a file that is not there is made, for its owner alone", () => {
  const kind = fileIn(temporaryFolder());
  expect(addRule(kind, "grant", "Shell(ls)")).toEqual({ ok: true, file: kind.file, isNew: true });
  expect(readFileSync(kind.file, "utf8")).toBe(
    '# Your own rules for everything. See docs/permissions.md of Signalbox.\n\n[permissions]\ngrants = ["Shell(ls)"]\n',
  );
  expect([statSync(kind.file).mode & 0o777, statSync(dirname(kind.file)).mode & 0o777]).toEqual([
    0o600, 0o700,
  ]);
});

test("one for a folder names it", () => {
  const kind = fileIn(temporaryFolder(), { folder: '/a "b"', root: '/a "b"', kind: "project" });
  addRule(kind, "deny", "Web(x.y)");
  expect(addRule(kind, "deny", "Web(x.z)").ok).toBe(true);
  expect(readFileSync(kind.file, "utf8")).toBe(
    [
      "# Your own rules for one folder, and what is in it. See docs/permissions.md of Signalbox.",
      'folder = "/a \\"b\\""',
      "",
      "[permissions]",
      'deny = ["Web(x.y)", "Web(x.z)"]',
      "",
    ].join("\n"),
  );
});

test("the same rule is there once, however often and however it is written; with another effect it is another", () => {
  const kind = fileIn(temporaryFolder());
  const text = '[permissions]\nallow = [ " Shell(ls) " ] # mine\n';
  put(kind.file, text);
  expect(addRule(kind, "allow", "Shell(ls)")).toEqual({ ok: true, file: kind.file, isNew: false });
  expect(readFileSync(kind.file, "utf8")).toBe(text);
  expect(addRule(kind, "ask", "Shell(ls)")).toEqual({ ok: true, file: kind.file, isNew: true });
  expect(readFileSync(kind.file, "utf8")).toBe(`${text}ask = ["Shell(ls)"]\n`);
});

test("mode and link stay", () => {
  const folder = temporaryFolder();
  const target = put(join(folder, "dotfiles", "p.toml"), "# mine\n");
  chmodSync(target, 0o644);
  const kind = fileIn(folder);
  mkdirSync(dirname(kind.file));
  symlinkSync(target, kind.file);
  expect(addRule(kind, "grant", "Shell(ls)").ok).toBe(true);
  expect(lstatSync(kind.file).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, "utf8")).toBe('# mine\n\n[permissions]\ngrants = ["Shell(ls)"]\n');
  expect(statSync(target).mode & 0o777).toBe(0o644);
  expect(readdirSync(dirname(target))).toEqual(["p.toml"]);
});

test.each<[string, string, string]>([
  ["no TOML", "[permissions\n", "has a flaw and is left as it is, line 1, column "],
  [
    "an unknown key",
    "[permissions]\nx = 1\n",
    "has a flaw and is left as it is, line 2, column 1: unknown key",
  ],
  ["braces", 'permissions = { deny = ["Web"] }\n', "cannot be added to; add it by hand"],
])("a file with %s is left as it is", (_name, text, message) => {
  const kind = fileIn(temporaryFolder());
  put(kind.file, text);
  const added = addRule(kind, "grant", "Shell(ls)");
  expect(added).toEqual({ ok: false, message: expect.stringContaining(message) as string });
  expect(readFileSync(kind.file, "utf8")).toBe(text);
});

test("what is no file, and what cannot be written, is said", () => {
  const kind = fileIn(temporaryFolder());
  mkdirSync(kind.file, { recursive: true });
  expect(addRule(kind, "deny", "Web")).toEqual({
    ok: false,
    message: `${kind.file} cannot be read: not a file`,
  });
  const inside = { ...kind, file: join(put(join(temporaryFolder(), "f"), ""), "x", "permissions.toml") };
  expect(addRule(inside, "deny", "Web")).toMatchObject({ ok: false });
});

test("a rule that is none is not written", () => {
  const kind = fileIn(temporaryFolder());
  expect(addRule(kind, "deny", "Bash(x)")).toMatchObject({ ok: false });
  expect(() => statSync(kind.file)).toThrow("ENOENT");
});

test.each([" Shell(ls) ", "Shell(ls)\n", "\tShell(ls)"])("%j is written without its spaces", (rule) => {
  const kind = fileIn(temporaryFolder());
  expect(addRule(kind, "allow", rule).ok).toBe(true);
  expect(readFileSync(kind.file, "utf8")).toContain('allow = ["Shell(ls)"]');
});

test("a file does not grow until it cannot be read", () => {
  const kind = fileIn(temporaryFolder());
  const text = `# ${"x".repeat(1024 * 1024 - 40)}\n`;
  put(kind.file, text);
  const message = expect.stringContaining("would be larger than") as string;
  expect(addRule(kind, "deny", "Shell(shutdown)")).toEqual({ ok: false, message });
  expect(readFileSync(kind.file, "utf8")).toBe(text);
});
