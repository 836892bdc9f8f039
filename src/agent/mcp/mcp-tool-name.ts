import { createHash } from "node:crypto";

/** Of all providers the strictest: a single name that it refuses would be the end of every request. */
const LENGTH_MAX = 64;
const HASH_LENGTH = 8;

/** `mcp__server__tool`, where that is a name that every provider takes; else as near to it as can be, and its own. */
export function mcpToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool}`;
  const plain = name.replace(/[^\w-]/g, "_");
  if (plain === name && name.length <= LENGTH_MAX) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  return `${plain.slice(0, LENGTH_MAX - HASH_LENGTH - 1)}_${hash}`;
}
