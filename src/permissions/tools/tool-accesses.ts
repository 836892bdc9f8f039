/** What a tool call of any agent would do. */
import type { Access, AskedTool } from "../../core/index.js";

export function accessesOf(_harness: string, tool: AskedTool): readonly Access[] {
  return [{ category: "Tool", name: tool.name }];
}
