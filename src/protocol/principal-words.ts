import type { Principal } from "./principal.js";

/** As it follows "approved" or "answered". */
export function byWords({ kind, id, name }: Principal): string {
  switch (kind) {
    case "device":
    case "host":
      return `by ${name}`;
    case "token":
      return "with the token";
    case "agent":
      return `by the agent of session ${id}`;
    case "mcp":
      return "by an MCP client";
    case "rule":
      return `by rule ${name}`;
    case "wall":
      return "by the wall";
    case "auto":
      return "by auto-approve";
    case "schedule":
      return `by the schedule ${name}`;
    case "hook":
      return `by the hook ${name}`;
  }
}
