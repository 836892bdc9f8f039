/** Rules about what has a name: tools of MCP servers, hosts, tools that are nothing else. */
import { normalHost } from "./host-name.js";
import type { ResolvedAccess, WebAccess } from "./resolved-access.js";
import type { Rule } from "./rule.js";
import { matchesTextGlob, parseTextGlob } from "./text-glob.js";

type NamedAccess = Extract<ResolvedAccess, { readonly category: "Mcp" | "Web" | "Tool" }>;

/** The same for every effect: a name is a name. */
export function nameRuleMatches(rule: Rule, access: NamedAccess): boolean {
  if (rule.category !== access.category) return false;
  if (rule.pattern === null) return true;
  switch (access.category) {
    case "Mcp":
      return matchesMcp(rule.pattern, access.server, access.tool);
    case "Web":
      return matchesHost(rule.pattern, access);
    case "Tool":
      return matchesTextGlob(parseTextGlob(rule.pattern), access.name);
  }
}

/** `server/tool`; the last slash parts them, as tools have none in their names. */
function matchesMcp(pattern: string, server: string, tool: string): boolean {
  const slash = pattern.lastIndexOf("/");
  return (
    matchesTextGlob(parseTextGlob(pattern.slice(0, slash)), server) &&
    matchesTextGlob(parseTextGlob(pattern.slice(slash + 1)), tool)
  );
}

/** `*.internal` is every host below it, at any depth, and not `internal` itself. */
function matchesHost(pattern: string, { hosts }: WebAccess): boolean {
  const glob = parseTextGlob(normalHost(pattern));
  return hosts.some((host) => matchesTextGlob(glob, host));
}
