/** What a tool call of any agent would do, by the one table of tools. */
import type { Access, AskedTool } from "../../core/index.js";
import { commandsIn, textsIn } from "./input-fields.js";
import { COMMAND_FIELDS, PATH_FIELDS, TOOL_TABLE, type ToolRow, type ToolUse } from "./tool-table.js";
import { fileOfAddress, hostOfAddress, hostsInText } from "./web-addresses.js";

/**
 * Never empty. What a row says and the input does not hold, and what has no row, is `Tool(name)`, so that no rule about
 * something else allows it; whatever can be seen of commands and files in it is judged as well.
 */
export function accessesOf(harness: string, tool: AskedTool): readonly Access[] {
  const mcp = mcpTool(tool.name);
  if (mcp) return [mcp];
  const rows = rowsFor(harness, tool);
  const found = rows.flatMap(({ uses }) => uses.flatMap((use) => accessesBy(use, tool)));
  const accesses = found.filter((access) => access !== null);
  if (rows.length === 0 || accesses.length < found.length)
    return distinct([{ category: "Tool", name: tool.name }, ...accesses, ...whatIsSeen(tool)]);
  const isLabel = accesses.every((access) => access.category === "Tool") && !NAMES_ARE_CERTAIN.has(harness);
  return distinct(isLabel ? [...accesses, ...whatIsSeen(tool)] : accesses);
}

/** Elsewhere the name of a tool may be a title that the agent chose: a harmless one makes nothing harmless. */
const NAMES_ARE_CERTAIN = new Set(["claude", "codex", "builtin"]);

const NO_ROWS: readonly ToolRow[] = [];
const ROWS = { name: rowsBy("name"), kind: rowsBy("kind") };

function rowsBy(by: ToolRow["by"]): ReadonlyMap<string, readonly ToolRow[]> {
  const rows = TOOL_TABLE.filter((row) => row.by === by);
  const names = new Set(rows.flatMap(({ tools }) => tools));
  return new Map(Array.from(names, (name) => [name, rows.filter(({ tools }) => tools.includes(name))]));
}

/** Rows of its own harness come before those of others: agents are run through bridges, and names are alike. */
function rowsFor(harness: string, { name, kind }: AskedTool): readonly ToolRow[] {
  const byName = ROWS.name.get(name) ?? NO_ROWS;
  const own = byName.filter((row) => row.harness === harness);
  const byKind = kind === undefined ? NO_ROWS : (ROWS.kind.get(kind) ?? NO_ROWS);
  return [...(own.length > 0 ? own : byName.slice(0, 1)), ...byKind];
}

/** `mcp__server__tool`, as Claude names them; `mcp_server_tool`, as Gemini does, whose servers have no underscores. */
function mcpTool(name: string): Access | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? /^mcp_([^_]+)_(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? null : { category: "Mcp", server, tool };
}

/** Null in the list: the input does not hold what the table says. */
function accessesBy(use: ToolUse, tool: AskedTool): readonly (Access | null)[] {
  switch (use.category) {
    case "Shell":
      return commandAccesses(use, tool);
    case "Read":
    case "Write":
      return fileAccesses(use, tool);
    case "Web":
      return webAccesses(use, tool);
    case "Mcp": {
      const [server] = textsIn(tool.input, [use.server]) ?? [];
      const [name] = textsIn(tool.input, [use.tool]) ?? [];
      return [server === undefined || name === undefined ? null : { category: "Mcp", server, tool: name }];
    }
    case "Tool":
      return [{ category: "Tool", name: tool.name }];
  }
}

function orMissing(accesses: readonly Access[] | undefined): readonly (Access | null)[] {
  return accesses === undefined || accesses.length === 0 ? [null] : accesses;
}

function commandAccesses(
  { fields, cwd = [], shell = [] }: Extract<ToolUse, { readonly category: "Shell" }>,
  tool: AskedTool,
): readonly (Access | null)[] {
  const commands = commandsIn(tool.input, fields) ?? [];
  const [folder = tool.cwd] = textsIn(tool.input, cwd) ?? [];
  const [name = "bash"] = textsIn(tool.input, shell) ?? [];
  const isMalformed = textsIn(tool.input, cwd) === null || textsIn(tool.input, shell) === null;
  const place = folder === undefined ? {} : { cwd: folder };
  const accesses = commands.map(
    (command) => ({ category: "Shell", command, shell: name, ...place }) as const,
  );
  // More than a command is asked for.
  return isMalformed || hasMore(tool) ? [null, ...accesses] : orMissing(accesses);
}

/** Codex asks with a command for rights that its sandbox would not give it. */
function hasMore({ input }: AskedTool): boolean {
  return input !== null && typeof input === "object" && "additionalPermissions" in input;
}

function fileAccesses(
  { category, fields, otherwise }: Extract<ToolUse, { readonly category: "Read" | "Write" }>,
  tool: AskedTool,
): readonly (Access | null)[] {
  const named = textsIn(tool.input, fields);
  const paths = [...(named ?? []), ...(tool.paths ?? [])];
  if (named === null) return [null, ...paths.map((path) => fileAccess(category, path, tool))];
  const all = paths.length === 0 && otherwise !== undefined ? [otherwise] : paths;
  const looked = otherwise === undefined ? [] : all.flatMap((path) => searchedFiles(path, tool));
  return orMissing([...all, ...looked].map((path) => fileAccess(category, path, tool)));
}

/** What a search is narrowed to is named too: a `glob` of `.env` reads it. */
function searchedFiles(folder: string, { input }: AskedTool): readonly string[] {
  const globs = textsIn(input, ["glob", "include", "include_pattern", "filePattern"]) ?? [];
  const patterns = (textsIn(input, ["pattern"]) ?? []).filter((pattern) => /^[/~]|\.\.\//.test(pattern));
  return [...globs, ...patterns].map((glob) => (/^[/~]/.test(glob) ? glob : `${folder}/${glob}`));
}

function fileAccess(category: "Read" | "Write", path: string, { cwd }: AskedTool): Access {
  const isRelative = cwd !== undefined && !/^[/~]/.test(path);
  return { category, path: isRelative ? `${cwd}/${path}` : path };
}

function webAccesses(
  { fields, texts = [] }: Extract<ToolUse, { readonly category: "Web" }>,
  tool: AskedTool,
): readonly (Access | null)[] {
  const addresses = textsIn(tool.input, fields);
  const prompts = textsIn(tool.input, texts);
  const named = [...(addresses ?? []).map(hostOfAddress), ...(prompts ?? []).map(hostsInText)];
  const hosts = named.flatMap((each) => each.hosts.map((host) => ({ category: "Web", host }) as const));
  const files = (addresses ?? []).map(fileOfAddress).filter((path) => path !== null);
  const isCertain = addresses !== null && prompts !== null && named.every((each) => each.isCertain);
  if (isCertain) return orMissing(hosts);
  return [null, ...hosts, ...files.map((path) => fileAccess("Read", path, tool))];
}

/** In the input of a tool that we do not know: commands may be run, and files read. */
function whatIsSeen(tool: AskedTool): readonly Access[] {
  const commands = commandsIn(tool.input, COMMAND_FIELDS) ?? [];
  const place = tool.cwd === undefined ? {} : { cwd: tool.cwd };
  const title = tool.kind === "execute" && commands.length === 0 ? [tool.name] : commands;
  const files = [...(textsIn(tool.input, PATH_FIELDS) ?? []), ...(tool.paths ?? [])];
  return [
    ...title.map((command) => ({ category: "Shell", command, shell: "bash", ...place }) as const),
    ...files.map((path) => fileAccess("Read", path, tool)),
  ];
}

function distinct(accesses: readonly Access[]): readonly Access[] {
  if (accesses.length < 2) return accesses;
  return [...new Map(accesses.map((access) => [JSON.stringify(access), access])).values()];
}
