/** A step of a script as a call of one of the tools that this agent offers: every agent names them in its own way. */
import type { Conversation, OfferedTool, PropertySchema } from "./conversation.js";
import { ScriptError, type Step } from "./script.js";

export type ToolCall =
  | { readonly name: string; readonly namespace?: string; readonly input: Readonly<Record<string, unknown>> }
  /** For a tool that takes text. */
  | { readonly name: string; readonly namespace?: string; readonly text: string };

const SHELL_TOOLS = [
  "Bash",
  "bash",
  "run_shell_command",
  "exec_command",
  "shell_command",
  "shell",
  "execute_command",
  "execute_bash",
  "execute_shell_command",
];
const WRITE_TOOLS = ["Write", "write", "write_file", "create", "create_file"];
const READ_TOOLS = ["Read", "read", "read_file", "view"];
/** Those with which a model asks a person. */
export const ASK_TOOLS: readonly string[] = [
  "AskUserQuestion",
  "request_user_input",
  "ask_user_question",
  "ask_user",
  "question",
];
const PATCH_TOOL = "apply_patch";

const PATH_NAMES = ["file_path", "filePath", "path", "absolute_path", "target_file"];
const CONTENT_NAMES = ["content", "contents", "file_text", "text"];

type Input = Record<string, unknown>;

export function toToolCall(step: Step, conversation: Conversation): ToolCall {
  const { tools } = conversation;
  switch (step.type) {
    case "shell":
      return shellCall(step.command, tools);
    case "write":
      return writeCall(step, conversation);
    case "read":
      return readCall(step.path, conversation);
    case "ask":
      return askCall(step, tools);
    case "tool":
      return call(tools.find(({ name }) => name === step.name) ?? bare(step.name), step.input, false);
  }
}

function shellCall(command: string, tools: readonly OfferedTool[]): ToolCall {
  const tool = offered(tools, SHELL_TOOLS, "shell");
  const name = fieldOf(tool, ["command", "cmd"]);
  const isList = tool.schema.properties?.[name]?.type === "array";
  return call(tool, {
    [name]: isList ? ["bash", "-lc", command] : command,
    ...(has(tool, "description") ? { description: "Run a command" } : {}),
  });
}

function writeCall(step: Extract<Step, { type: "write" }>, conversation: Conversation): ToolCall {
  const { tools } = conversation;
  const tool = find(tools, WRITE_TOOLS);
  if (tool) {
    return call(tool, {
      [fieldOf(tool, PATH_NAMES)]: absolute(step.path, conversation),
      [fieldOf(tool, CONTENT_NAMES)]: step.content,
    });
  }
  const patch = find(tools, [PATCH_TOOL]);
  if (!patch) return shellCall(`printf '%s\\n' '${step.content}' > ${step.path}`, tools);
  const lines = step.content.split("\n").map((line) => `+${line}`);
  const text = ["*** Begin Patch", `*** Add File: ${step.path}`, ...lines, "*** End Patch", ""].join("\n");
  if (patch.freeform) return { ...nameOf(patch), text };
  return call(patch, { [fieldOf(patch, ["input", "patchText", "patch"])]: text });
}

function readCall(path: string, conversation: Conversation): ToolCall {
  const tool = find(conversation.tools, READ_TOOLS);
  if (!tool) return shellCall(`cat ${path}`, conversation.tools);
  return call(tool, { [fieldOf(tool, PATH_NAMES)]: absolute(path, conversation) });
}

/** Agents that ask at all do it with a list of questions, each with options, or with one question. */
function askCall(
  { question, options }: Extract<Step, { type: "ask" }>,
  tools: readonly OfferedTool[],
): ToolCall {
  const tool = offered(tools, ASK_TOOLS, "question");
  const listed = tool.schema.properties?.["questions"]?.items?.properties;
  if (!listed) return call(tool, { question, ...(has(tool, "choices") ? { choices: options } : {}) });
  const optionFields = listed["options"]?.items?.properties ?? {};
  const labels = options.map((label) => withKnown(optionFields, { label, description: `Choose ${label}` }));
  const entry: Input = { question, header: "Choice", options: labels };
  if ("id" in listed) entry["id"] = "choice";
  if ("multiSelect" in listed) entry["multiSelect"] = false;
  if ("multiple" in listed) entry["multiple"] = false;
  if ("type" in listed) entry["type"] = "choice";
  return call(tool, { questions: [entry] });
}

function withKnown(fields: Readonly<Record<string, PropertySchema>>, values: Input): Input {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in fields));
}

/** What else the tool wants is filled in with something that fits. */
function call(tool: OfferedTool, input: Input, complete = true): ToolCall {
  const filled: Input = { ...input };
  for (const name of complete ? (tool.schema.required ?? []) : []) {
    if (!(name in filled)) filled[name] = anyValueOf(tool.schema.properties?.[name] ?? {});
  }
  return { ...nameOf(tool), input: filled };
}

/** Some value that fits. */
export function anyValueOf(property: PropertySchema): unknown {
  if (property.enum && property.enum.length > 0) return property.enum[0];
  const type = Array.isArray(property.type) ? (property.type[0] as unknown) : property.type;
  switch (String(type).toLowerCase()) {
    case "boolean":
      return false;
    case "number":
    case "integer":
      return 1;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "x";
  }
}

function nameOf({ name, namespace }: OfferedTool): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace };
}

function bare(name: string): OfferedTool {
  return { name, schema: {}, freeform: false };
}

function find(tools: readonly OfferedTool[], names: readonly string[]): OfferedTool | undefined {
  return names.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])[0];
}

function offered(tools: readonly OfferedTool[], names: readonly string[], what: string): OfferedTool {
  const tool = find(tools, names);
  if (!tool) throw new ScriptError(`no ${what} tool among ${tools.map(({ name }) => name).join(", ")}`);
  return tool;
}

function has(tool: OfferedTool, field: string): boolean {
  return tool.schema.properties?.[field] !== undefined;
}

function fieldOf(tool: OfferedTool, names: readonly string[]): string {
  return names.find((name) => has(tool, name)) ?? names[0] ?? "";
}

/** Some tools take only absolute paths; agents say in their prompt where they are. */
function absolute(path: string, { setting }: Conversation): string {
  if (path.startsWith("/")) return path;
  const folder = /(?:[Ww]orking directory|cwd|<cwd>|[Ww]orkspace)[^/\n]*?(\/[^\s<"'`]+)/.exec(setting)?.[1];
  return folder === undefined ? path : `${folder}/${path}`;
}
