/** The narrowest rules that cover what a person was shown, and nothing else. */
import { escapePath } from "./path-glob.js";
import type { FileAccess, ResolvedAccess, ShellAccess } from "./resolved-access.js";
import { parseRule } from "./rule.js";
import { escapeWords } from "./shell-pattern.js";
import { escapeText } from "./text-glob.js";

/** Empty when no rule can allow it: then an answer holds once. */
export function suggestRules(accesses: readonly ResolvedAccess[]): readonly string[] {
  const suggested = accesses.map(suggestFor);
  if (suggested.length === 0 || suggested.includes(null)) return [];
  const rules = [...new Set(suggested.flatMap((each) => each ?? []))];
  // Marks that cannot be seen are in no rule: what has them is answered once.
  return rules.every((rule) => parseRule(rule).ok) ? rules : [];
}

function suggestFor(access: ResolvedAccess): readonly string[] | null {
  switch (access.category) {
    case "Shell":
      return suggestForShell(access);
    case "Read":
    case "Write":
      return suggestForFile(access);
    case "Mcp":
      return [`Mcp(${escapeText(access.server)}/${escapeText(access.tool)})`];
    case "Web":
      return [`Web(${escapeText(access.host)})`];
    case "Tool":
      return [`Tool(${escapeText(access.name)})`];
  }
}

/**
 * Every command to the letter, and every file that a redirection needs. What only runs another needs no rule, and what
 * is inside a command that has one needs none either. A word that the shell computes may be something else the next
 * time: a rule would cover more than was shown.
 */
function suggestForShell({ analysis, files }: ShellAccess): readonly string[] | null {
  const { commands, opaque } = analysis;
  const needed = commands.filter((command) => command.needsAllow);
  const isInside = (outer: number | null): boolean => {
    const command = outer === null ? undefined : commands[outer];
    return command !== undefined && (command.needsAllow || isInside(command.outer));
  };
  const outermost = needed.filter((command) => !isInside(command.outer));
  const isFixed = outermost.every((command) => !command.dynamic && command.elsewhere.length === 0);
  if (opaque !== null || outermost.length === 0 || !isFixed) return null;
  const rules = outermost.map(
    ({ assignments, words }) => `Shell(${escapeWords([...assignments, ...words])})`,
  );
  const demanded = files
    .filter(({ use }) => use.demand === "allow")
    .map(({ access }) => suggestForFile(access));
  return demanded.includes(null) ? null : [...rules, ...demanded.flatMap((each) => each ?? [])];
}

/** By its place in the project, or where it really is. */
function suggestForFile({ category, targets, exact, project }: FileAccess): readonly string[] | null {
  if (!exact || targets.length === 0) return null;
  return targets.map((path) => {
    const isInside = path.startsWith(`${project}/`);
    return `${category}(${escapePath(isInside ? path.slice(project.length + 1) : path)})`;
  });
}
