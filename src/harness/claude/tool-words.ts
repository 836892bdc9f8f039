/** What exactly a tool call would do, for the person who approves it. Nothing of the input is left out. */
import type { Json } from "../../core/index.js";
import { markedLines, replacedLines } from "../kit/diff.js";
import { type JsonObject, objectOf, objectsAt, textAt } from "../kit/json.js";
import { cut, titleLine } from "../kit/words.js";

export const TITLE_LENGTH_MAX = 200;
export const DETAIL_LENGTH_MAX = 100_000;

export interface Words {
  readonly title: string;
  readonly detail: string;
}

interface Tool {
  /** What it does, and to what; a path is short where it is inside the session's folder. */
  readonly verb: string;
  readonly subject: string;
  /** Shown as it is; the fields that are not in it are listed below. */
  readonly body: (input: JsonObject) => string;
  readonly fields: readonly string[];
}

const at = (key: string) => (input: JsonObject) => textAt(input, key) ?? "";

/** Claude's own tools that have a better form than a list of fields. */
const TOOLS = new Map<string, Tool>([
  ["Bash", { verb: "Run", subject: "command", body: at("command"), fields: ["command"] }],
  ["Read", { verb: "Read", subject: "file_path", body: at("file_path"), fields: ["file_path"] }],
  [
    "Write",
    {
      verb: "Write",
      subject: "file_path",
      body: (input) => `${at("file_path")(input)}\n${markedLines("+", at("content")(input))}`,
      fields: ["file_path", "content"],
    },
  ],
  [
    "Edit",
    {
      verb: "Edit",
      subject: "file_path",
      body: (input) => `${at("file_path")(input)}\n${editText(input)}`,
      fields: ["file_path", "old_string", "new_string"],
    },
  ],
  [
    "MultiEdit",
    {
      verb: "Edit",
      subject: "file_path",
      body: (input) => [at("file_path")(input), ...objectsAt(input, "edits").map(editsText)].join("\n"),
      fields: ["file_path", "edits"],
    },
  ],
  ["ExitPlanMode", { verb: "Go on with the plan", subject: "", body: at("plan"), fields: ["plan"] }],
  ["NotebookEdit", listed("Edit", "notebook_path")],
  ["WebFetch", listed("Fetch", "url")],
  ["WebSearch", listed("Search the web for", "query")],
  ["Glob", listed("Look for files", "pattern")],
  ["Grep", listed("Search for", "pattern")],
  ["Task", listed("Start a subagent:", "description")],
  ["Agent", listed("Start a subagent:", "description")],
]);

function listed(verb: string, subject: string): Tool {
  return { verb, subject, body: () => "", fields: [] };
}

function editText(input: JsonObject): string {
  return replacedLines(at("old_string")(input), at("new_string")(input));
}

function editsText(edit: JsonObject): string {
  const everywhere = edit["replace_all"] === true ? "everywhere:\n" : "";
  return `${everywhere}${editText(edit)}`;
}

/** `server/tool` of a tool of an MCP server, or null. */
export function mcpName(name: string): string | null {
  const [prefix, server, ...tool] = name.split("__");
  return prefix === "mcp" && server && tool.length > 0 ? `${server}/${tool.join("__")}` : null;
}

/** `notes`: why it asks, and the like. */
export function toolWords(name: string, input: Json, cwd: string, notes: readonly string[]): Words {
  const fields = objectOf(input) ?? { input };
  const tool = TOOLS.get(name);
  const title = tool ? `${tool.verb} ${subjectOf(tool, fields, cwd)}` : `Use ${mcpName(name) ?? name}`;
  const others = Object.entries(fields).filter(([key]) => tool?.fields.includes(key) !== true);
  const parts = [tool?.body(fields) ?? "", others.map(fieldText).join("\n"), notes.join("\n")];
  return bounded({ title, detail: parts.filter((part) => part !== "").join("\n\n") });
}

function subjectOf({ subject }: Tool, input: JsonObject, cwd: string): string {
  const text = at(subject)(input);
  return subject.endsWith("path") && text.startsWith(`${cwd}/`) ? text.slice(cwd.length + 1) : text;
}

function fieldText([key, value]: readonly [string, Json]): string {
  return `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

export function bounded({ title, detail }: Words): Words {
  return {
    title: titleLine(title, TITLE_LENGTH_MAX),
    detail: cut(detail, DETAIL_LENGTH_MAX),
  };
}
