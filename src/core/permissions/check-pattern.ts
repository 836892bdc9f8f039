/** What a pattern of each category must look like. A rule that could never match anything is a mistake of who wrote it. */
import type { Category } from "./access.js";
import { PatternError } from "./path-glob.js";
import { parsePathPattern } from "./path-rule.js";
import { parseShellPattern } from "./shell-pattern.js";

/** Throws a `PatternError`. */
export function checkPattern(category: Category, pattern: string): void {
  switch (category) {
    case "Read":
    case "Write":
      parsePathPattern(pattern);
      return;
    case "Shell":
      parseShellPattern(pattern);
      return;
    case "Mcp":
      checkMcp(pattern);
      return;
    case "Web":
      checkHost(pattern);
      return;
    case "Tool":
      return;
  }
}

function checkMcp(pattern: string): void {
  const slash = pattern.lastIndexOf("/");
  if (slash <= 0 || slash === pattern.length - 1)
    throw new PatternError("the pattern needs a server and a tool, with a slash between them");
}

/** A host, and nothing else of an address: no rule is about paths or ports. */
function checkHost(pattern: string): void {
  if (pattern.includes("/")) throw new PatternError("the pattern is a host, without a scheme and a path");
  if (pattern.includes("@")) throw new PatternError("the pattern is a host, without a user");
  if (/\s/.test(pattern)) throw new PatternError("a host has no spaces");
  const isAddress = pattern.split(":").length > 2 || pattern.startsWith("[");
  if (pattern.includes(":") && !isAddress) throw new PatternError("the pattern is a host, without a port");
}
