import { expect, test } from "vitest";
import { builtinRules } from "./builtin-rules.js";
import { decide } from "./decide.js";
import type { FileAccess } from "./resolved-access.js";
import { parseRule, type Rule } from "./rule.js";

const RULES = builtinRules({ dataDir: "/data/signalbox", configDir: "/config/signalbox" });

const EVERYTHING: readonly Rule[] = (["allow", "grant"] as const).flatMap((effect) =>
  (["Read", "Write", "Shell"] as const).map((category) => ({
    effect,
    category,
    pattern: null,
    text: category,
    origin: { file: "a", line: 1, kind: "global", root: null },
  })),
);

function file(category: "Read" | "Write", path: string): FileAccess {
  return { category, path, paths: [path], targets: [path], exact: true, project: "/srv/app", home: "/home" };
}

test("every one of them is a rule that could be written", () => {
  expect(RULES.filter(({ text }) => !parseRule(text).ok)).toEqual([]);
  expect(new Set(RULES.map(({ effect, origin }) => `${effect} ${origin.kind}`))).toEqual(
    new Set(["deny builtin"]),
  );
});

test.each([
  ["Read", "/data/signalbox/token", "deny"],
  ["Write", "/data/signalbox/token", "deny"],
  ["Write", "/data/signalbox", "deny"],
  ["Write", "/config/signalbox/permissions.toml", "deny"],
  ["Read", "/config/signalbox/permissions.toml", "allow"],
  ["Write", "/srv/app/.signalbox/permissions.toml", "deny"],
  ["Write", "/srv/app/deep/.signalbox/config.toml", "deny"],
  ["Write", "/srv/app/.SignalBox/Permissions.toml", "deny"],
  ["Write", "/srv/app/.signalbox", "deny"],
  ["Write", "/srv/app/.signalbox/skills/a/SKILL.md", "allow"],
  ["Read", "/srv/app/.signalbox/permissions.toml", "allow"],
  ["Write", "/srv/app/permissions.toml", "allow"],
] as const)("%s %s: %s, whatever else is allowed", (category, path, expected) => {
  expect(decide([file(category, path)], [...EVERYTHING, ...RULES], []).verdict).toBe(expected);
});

test("what answers for a person, or lets somebody in, is among them", () => {
  const texts = RULES.map(({ text }) => text);
  const commands = ["approve", "reject", "permissions", "attach", "type", "top", "open", "pair", "devices"];
  for (const command of [
    ...commands,
    "connect * --as*",
    "send * --force*",
    "run * --auto-approve*",
    "new * --auto-approve*",
  ])
    expect(texts).toContain(`Shell(signalbox ${command})`);
  for (const command of ["ls", "send", "wait", "logs", "mcp", "new", "run"])
    expect(texts).not.toContain(`Shell(signalbox ${command})`);
});
