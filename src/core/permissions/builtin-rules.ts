/**
 * What no agent may ever do: read or change what Signalbox keeps, change who is permitted what, or answer for a person.
 * Nothing overrides these: a deny wins over everything, and there is no way to take one of them away.
 *
 * They are a guard, not a wall. An agent runs as the same user, and what it hides well enough (a script of its own, a
 * call to the daemon's port) is not seen.
 */
import type { Category } from "./access.js";
import { escapePath } from "./path-glob.js";
import type { Rule } from "./rule.js";

/** Commands that answer an ask, change a rule, let somebody in, or type into another session. */
const COMMANDS = [
  "approve",
  "reject",
  "permissions",
  "attach",
  "type",
  "top",
  "open",
  "pair",
  "devices",
  // Which program is an agent, and what is typed where nobody knows what is shown, a person says.
  "connect * --as*",
  "send * --force*",
  // Who starts a session in auto mode answers its asks beforehand.
  "run * --auto-approve*",
  "new * --auto-approve*",
  "run * --approve*",
  "new * --approve*",
];

/** The program as it may be called; wrappers and package runners are looked through, and any path in front is ignored. */
const PROGRAMS = [
  "signalbox",
  "signalbox@*",
  "*signalbox*/main.js",
  "*src/cli/main",
  "*src/cli/main.js",
  "*src/cli/main.ts",
];

export function builtinRules({
  dataDir,
  configDir,
}: {
  readonly dataDir: string;
  readonly configDir: string;
}): readonly Rule[] {
  return [
    deny("Read", `${escapePath(dataDir)}/**`),
    deny("Write", `${escapePath(dataDir)}/**`),
    deny("Write", `${escapePath(configDir)}/**`),
    // The folder itself: it must not be moved away or replaced.
    deny("Write", "**/.signalbox"),
    deny("Write", "**/.signalbox/permissions.toml"),
    deny("Write", "**/.signalbox/config.toml"),
    ...PROGRAMS.flatMap((program) => COMMANDS.map((command) => deny("Shell", `${program} ${command}`))),
  ];
}

/**
 * What needs no rule of anybody: an agent that may not read what it works on can do nothing. Any deny or ask wins over it.
 * It is meant for the project alone: whether a folder is one is for who gives the rules to say.
 */
export const PROJECT_READ: Rule = {
  effect: "allow",
  category: "Read",
  pattern: "**",
  text: "Read(**)",
  origin: { file: null, line: null, kind: "builtin", root: null },
};

/** The same for a rule file that is somewhere else than its name says. */
export function builtinWriteDeny(pattern: string): Rule {
  return deny("Write", pattern);
}

function deny(category: Category, pattern: string): Rule {
  const origin = { file: null, line: null, kind: "builtin", root: "/" } as const;
  return { effect: "deny", category, pattern, text: `${category}(${pattern})`, origin };
}
