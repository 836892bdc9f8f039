import type { ToolDescription } from "../models/model.js";
import { askUserTool } from "./ask-user.js";
import { describeInput } from "./describe-input.js";
import { editFileTool } from "./edit-file.js";
import { readFileTool } from "./read-file.js";
import { shellCommandTool } from "./shell-command.js";
import { suggestCommand } from "./suggest-command.js";
import type { Tool } from "./tool.js";
import { writeFileTool } from "./write-file.js";
import { Backups } from "./write-whole.js";

/** `backupFolder`: where files are kept as they were before they were first changed. */
export function allTools(backupFolder: string): ReadonlyMap<string, Tool> {
  const backups = new Backups(backupFolder);
  const tools = [
    readFileTool,
    editFileTool(backups),
    writeFileTool(backups),
    shellCommandTool,
    askUserTool,
  ] as readonly unknown[] as readonly Tool[];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

export function describeTools(tools: ReadonlyMap<string, Tool>): readonly ToolDescription[] {
  const described = [...tools.values()].map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: describeInput(input),
  }));
  return [...described, suggestCommand];
}
