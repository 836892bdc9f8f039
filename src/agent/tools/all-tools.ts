import type { Json } from "../../core/index.js";
import type { ToolDescription } from "../models/model.js";
import { askUserTool } from "./ask-user.js";
import { describeInput } from "./describe-input.js";
import { editFileTool } from "./edit-file.js";
import { FileChanges } from "./file-changes.js";
import { loadSkillTool } from "./load-skill-tool.js";
import { readFileTool } from "./read-file.js";
import { searchHistoryTool } from "./search-history.js";
import { shellCommandTool } from "./shell-command.js";
import { suggestCommand } from "./suggest-command.js";
import type { Tool } from "./tool.js";
import { writeFileTool } from "./write-file.js";

export interface ToolOptions {
  /** Where files are kept as they were before they were first changed. */
  readonly backups: string;
  readonly conversations: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly loadSkill: (name: string, signal: AbortSignal) => Promise<string>;
  /** Tools of others. */
  readonly more: readonly Tool<Json>[];
}

export function allTools(options: ToolOptions): ReadonlyMap<string, Tool> {
  const changes = new FileChanges(options.backups);
  const tools = [
    readFileTool,
    editFileTool(changes),
    writeFileTool(changes),
    shellCommandTool,
    askUserTool,
    searchHistoryTool(options.conversations, options.env),
    loadSkillTool(options.loadSkill),
    ...options.more,
  ] as readonly unknown[] as readonly Tool[];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

export function describeTools(tools: ReadonlyMap<string, Tool>): readonly ToolDescription[] {
  const described = [...tools.values()].map(({ name, description, input, inputSchema }) => ({
    name,
    description,
    inputSchema: inputSchema ?? describeInput(input),
  }));
  return [...described, suggestCommand];
}
