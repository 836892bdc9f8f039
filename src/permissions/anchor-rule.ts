import { parseRule } from "../core/index.js";
import { escapePath } from "../core/permissions/path-glob.js";

/**
 * A rule that was made for a file of one project, written so that it is about that very file wherever the rule stands.
 * Otherwise `Write(package.json)`, granted for always, would be about a file of every project.
 */
export function anchorRule(text: string, projectDir: string): string {
  const parsed = parseRule(text);
  if (!parsed.ok || (parsed.category !== "Read" && parsed.category !== "Write")) return text;
  const { category, pattern } = parsed;
  if (pattern === null || /^(?:\/|~(?:\/|$))/.test(pattern)) return text;
  return `${category}(${escapePath(projectDir)}/${pattern})`;
}
