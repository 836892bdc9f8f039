/** What the rules of a case say of its line, in a project and a home folder that do not exist. */
import { builtinRules, decide, parseRule, type Decision, type Rule } from "../../../src/core/index.js";
import { resolveAccesses } from "../../../src/permissions/resolve/resolve-accesses.js";
import type { CaseRules, ShellCase } from "./corpus.js";

export const PROJECT = "/srv/app";
export const HOME = "/var/people/ann";

const BUILTIN = builtinRules({
  dataDir: `${HOME}/.local/state/signalbox`,
  configDir: `${HOME}/.config/signalbox`,
});

export function decideLine({
  command,
  rules,
  shell = "bash",
}: Pick<ShellCase, "command" | "rules" | "shell">): Decision {
  const accesses = resolveAccesses([{ category: "Shell", command, shell }], {
    cwd: PROJECT,
    projectDir: PROJECT,
    homeDir: HOME,
  });
  return decide(accesses, [...BUILTIN, ...rulesOf(rules)], []);
}

/** Throws when a rule of a case cannot be read: a test would prove nothing. */
export function rulesOf(rules: CaseRules): readonly Rule[] {
  return (["deny", "ask", "allow"] as const).flatMap((effect) =>
    (rules[effect] ?? []).map((text): Rule => {
      const parsed = parseRule(text);
      if (!parsed.ok) throw new Error(parsed.message);
      const { category, pattern } = parsed;
      const origin = { file: "permissions.toml", line: 1, kind: "project", root: PROJECT } as const;
      return { effect, category, pattern, text, origin };
    }),
  );
}
