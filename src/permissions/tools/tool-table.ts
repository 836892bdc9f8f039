/**
 * The tools of every agent, in the words of the permission language: one row for each tool, or for each kind of tool where
 * the protocol has kinds. `docs/permissions-tools.md` is written from this table.
 */

/** What a tool does, and in which fields of its input that is said. */
export type ToolUse =
  /**
   * A command line. `args`: words behind it. `env`: variables in front of it. `cwd`, `shell`: fields that say where, and for
   * which shell.
   */
  | {
      readonly category: "Shell";
      readonly fields: readonly string[];
      readonly args?: readonly string[];
      readonly env?: readonly string[];
      readonly cwd?: readonly string[];
      readonly shell?: readonly string[];
    }
  /**
   * Files. `otherwise`: what is meant when the field is not there. `globs`: patterns of files that are read. `names`: patterns
   * of files that are looked for; `isUnsure`: or of what is in them, unless the tool's name says which.
   */
  | {
      readonly category: "Read" | "Write";
      readonly fields: readonly string[];
      readonly otherwise?: string;
      readonly globs?: readonly string[];
      readonly names?: readonly string[];
      readonly isUnsure?: true;
    }
  /** Addresses. `texts`: fields with a text that may have addresses in it. */
  | { readonly category: "Web"; readonly fields: readonly string[]; readonly texts?: readonly string[] }
  | { readonly category: "Mcp"; readonly server: string; readonly tool: string }
  /** Nothing that the other categories are about. */
  | { readonly category: "Tool" };

export interface ToolRow {
  readonly harness: "claude" | "codex" | "acp" | "kilo" | "builtin";
  /** Names of tools, or a kind of ACP. */
  readonly tools: readonly string[];
  readonly by: "name" | "kind";
  readonly uses: readonly ToolUse[];
}

/** Under these names agents say which file they mean. */
const PATHS = [
  "file_path",
  "filePath",
  "filepath",
  "path",
  "paths",
  "absolute_path",
  "fileName",
  "filename",
  "file",
  "files",
  "target_file",
];
const PLACES = ["dir_path", "path", "directory", "dir"];
const COMMANDS = ["command", "cmd", "commands"];
const FOLDERS = ["cwd", "workdir", "directory", "dir_path", "dir"];
const ADDRESSES = ["url", "urls", "uri"];
const MOVED = [
  "source",
  "destination",
  "from",
  "to",
  "old_path",
  "new_path",
  "sourcePath",
  "destinationPath",
];

const TOOL: readonly ToolUse[] = [{ category: "Tool" }];

function reads(...fields: readonly string[]): readonly ToolUse[] {
  return [{ category: "Read", fields }];
}

function writes(...fields: readonly string[]): readonly ToolUse[] {
  return [{ category: "Write", fields }];
}

/** What a search is narrowed to is named too: a `glob` of `.env` reads it. */
const GLOBS = ["glob", "include", "include_pattern", "filePattern"];

/** Where is looked for something: the working directory when nothing is said. */
function searches(...fields: readonly string[]): readonly ToolUse[] {
  return [{ category: "Read", fields, otherwise: ".", globs: GLOBS }];
}

/** The same where the pattern is one of files, and not of what is in them. */
function finds(...fields: readonly string[]): readonly ToolUse[] {
  return [{ category: "Read", fields, otherwise: ".", globs: GLOBS, names: ["pattern"] }];
}

const RUN = { category: "Shell", args: ["args", "arguments"], env: ["env"] } as const;

function named(harness: ToolRow["harness"], tools: string, uses: readonly ToolUse[]): ToolRow {
  return { harness, tools: tools.split(" "), by: "name", uses };
}

function ofKind(kind: string, uses: readonly ToolUse[]): ToolRow {
  return { harness: "acp", tools: [kind], by: "kind", uses };
}

export const TOOL_TABLE: readonly ToolRow[] = [
  named("claude", "Bash", [{ category: "Shell", fields: ["command"] }]),
  named("claude", "Read", reads("file_path")),
  named("claude", "NotebookRead", reads("notebook_path")),
  named("claude", "Edit MultiEdit Write", writes("file_path")),
  named("claude", "NotebookEdit", writes("notebook_path")),
  named("claude", "Glob", finds("path")),
  named("claude", "Grep LS", searches("path")),
  named("claude", "WebFetch", [{ category: "Web", fields: ["url"] }]),
  named("claude", "WebSearch Task Agent Skill SlashCommand TodoWrite", TOOL),
  named("claude", "BashOutput TaskOutput KillShell KillBash TaskStop", TOOL),
  named("claude", "AskUserQuestion EnterPlanMode ExitPlanMode ToolSearch", TOOL),
  named("claude", "ListMcpResourcesTool ReadMcpResourceTool", TOOL),

  named("codex", "commandExecution", [{ category: "Shell", fields: ["command"], cwd: ["cwd"] }]),
  named("codex", "fileChange", writes("paths")),
  named("codex", "networkAccess", [{ category: "Web", fields: ["host"] }]),
  named("codex", "mcpToolCall", [{ category: "Mcp", server: "server", tool: "tool" }]),
  named("codex", "writeStdin", [{ category: "Shell", fields: ["command"], cwd: ["cwd"] }, ...TOOL]),
  named("codex", "permissions mcpElicitation requestUserInput", TOOL),

  ofKind("read", reads(...PATHS)),
  ofKind("edit", writes(...PATHS)),
  ofKind("delete", writes(...PATHS)),
  ofKind("move", writes(...PATHS, ...MOVED)),
  ofKind("search", [
    { category: "Read", fields: PLACES, otherwise: ".", globs: GLOBS, names: ["pattern"], isUnsure: true },
  ]),
  ofKind("execute", [{ ...RUN, fields: COMMANDS, cwd: FOLDERS }]),
  ofKind("fetch", [{ category: "Web", fields: ADDRESSES, texts: ["prompt"] }]),
  ofKind("think", TOOL),
  ofKind("switch_mode", TOOL),
  // Gemini CLI and Qwen Code.
  named("acp", "run_shell_command", [{ ...RUN, fields: ["command"], cwd: ["dir_path", "directory"] }]),
  named("acp", "read_file read_many_files", reads("absolute_path", "file_path", "path", "paths", "include")),
  named("acp", "write_file replace edit", writes("file_path", "filePath", "path")),
  named("acp", "glob", finds("dir_path", "path")),
  named("acp", "list_directory grep_search search_file_content", searches("dir_path", "path")),
  named("acp", "web_fetch", [{ category: "Web", fields: ["url", "urls"], texts: ["prompt"] }]),
  named("acp", "google_web_search save_memory todo_write write_todos ask_user activate_skill", TOOL),
  // OpenCode and Kilo.
  named("acp", "bash shell", [{ ...RUN, fields: ["command"], cwd: ["workdir", "cwd"] }]),
  named("acp", "read", reads("filePath", "filepath", "path")),
  named("acp", "write multiedit", writes("filePath", "filepath", "path")),
  named("acp", "grep list", searches("path")),
  named("acp", "webfetch", [{ category: "Web", fields: ["url"] }]),
  named("acp", "websearch codesearch task todowrite todoread skill question plan_enter plan_exit", TOOL),
  // Copilot CLI.
  named("acp", "view", reads("path", "fileName")),
  named("acp", "create str_replace_editor", writes("path", "fileName")),
  // What the protocol itself asks of its client.
  named("acp", "fs/read_text_file", reads("path")),
  named("acp", "fs/write_text_file", writes("path")),
  named("acp", "terminal/create", [{ ...RUN, fields: ["command"], cwd: ["cwd"] }]),

  named("kilo", "command execute_command", [{ ...RUN, fields: ["command", "text"], cwd: ["cwd"] }]),
  named("kilo", "readFile fetchInstructions", reads("path", "files", "batchFiles")),
  named("kilo", "listFilesTopLevel listFilesRecursive listCodeDefinitionNames searchFiles", searches("path")),
  named("kilo", "codebaseSearch", searches("path")),
  named("kilo", "editedExistingFile appliedDiff newFileCreated", writes("path", "files", "batchDiffs")),
  named("kilo", "insertContent searchAndReplace deleteFile generateImage", writes("path")),
  named("kilo", "browser_action_launch", [{ category: "Web", fields: ["url", "text"] }]),
  named("kilo", "use_mcp_server use_mcp_tool", [{ category: "Mcp", server: "serverName", tool: "toolName" }]),
  named("kilo", "switchMode newTask finishTask updateTodoList runSlashCommand", TOOL),

  named("builtin", "read_file", reads("file_path")),
  named("builtin", "edit_file write_file", writes("file_path")),
  named("builtin", "execute_shell_command", [
    { category: "Shell", fields: ["command"], cwd: ["dir"], shell: ["shell"] },
  ]),
  named("builtin", "search_history load_skill suggest_command", TOOL),
];

/** Fields that say what an unknown tool is about to run, and which files it is about. */
export const COMMAND_FIELDS: readonly string[] = [...COMMANDS, "script"];
export const PATH_FIELDS: readonly string[] = [...PATHS, "notebook_path", ...MOVED];
