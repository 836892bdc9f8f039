/** What a tool call of any agent would do, by the one table of tools. */
import type { Access, AskedTool } from "../../core/index.js";
import { expandBraces } from "../../core/permissions/expand-braces.js";
import { argumentsIn, assignmentsIn, commandsIn, hasAny, textsIn } from "./input-fields.js";
import { COMMAND_FIELDS, PATH_FIELDS, TOOL_TABLE, type ToolRow, type ToolUse } from "./tool-table.js";
import { fileOfAddress, hostOfAddress, hostsInText } from "./web-addresses.js";

/**
 * Never empty. What a row says and the input does not hold, and what has no row, is `Tool(name)`, so that no rule about
 * something else allows it; whatever can be seen of commands and files in it is judged as well.
 */
export function accessesOf(harness: string, tool: AskedTool): readonly Access[] {
  const mcp = mcpTool(tool.name);
  // The name may be a title: what its kind says that it does is judged as well.
  if (mcp) return distinct([mcp, ...accessesByKind(tool)]);
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

function accessesByKind(tool: AskedTool): readonly Access[] {
  const rows = tool.kind === undefined ? NO_ROWS : (ROWS.kind.get(tool.kind) ?? NO_ROWS);
  const uses = rows.flatMap((row) => row.uses).filter((use) => "fields" in use && isThere(use.fields, tool));
  const name: Access = { category: "Tool", name: tool.name };
  return uses.flatMap((use) => accessesBy(use, tool)).map((access) => access ?? name);
}

function isThere(fields: readonly string[], { input, paths = [] }: AskedTool): boolean {
  return paths.length > 0 || hasAny(input, fields);
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
    case "Mcp":
      return mcpAccesses(use, tool);
    case "Tool":
      return [{ category: "Tool", name: tool.name }];
  }
}

function orMissing(accesses: readonly Access[] | undefined): readonly (Access | null)[] {
  return accesses === undefined || accesses.length === 0 ? [null] : accesses;
}

/** One server and one tool: with more of them, it is not known which are called. */
function mcpAccesses(
  use: Extract<ToolUse, { readonly category: "Mcp" }>,
  { input }: AskedTool,
): readonly (Access | null)[] {
  const servers = textsIn(input, [use.server]) ?? [];
  const tools = textsIn(input, [use.tool]) ?? [];
  const accesses = servers
    .slice(0, FEW)
    .flatMap((server) =>
      tools.slice(0, FEW).map((name) => ({ category: "Mcp", server, tool: name }) as const),
    );
  return servers.length === 1 && tools.length === 1 ? accesses : [null, ...accesses];
}

const FEW = 4;

function commandAccesses(
  { fields, args = [], env = [], cwd = [], shell = [] }: Extract<ToolUse, { readonly category: "Shell" }>,
  tool: AskedTool,
): readonly (Access | null)[] {
  const { input } = tool;
  const commands = commandsIn(input, fields) ?? [];
  const [words, variables] = [argumentsIn(input, args), assignmentsIn(input, env)];
  const [folders, shells] = [textsIn(input, cwd), textsIn(input, shell)];
  const before = (variables ?? []).map((assignment) => `${assignment} `).join("");
  const lines = commands.map((command) => (words ? `${before}${command} ${words}` : before + command));
  const accesses = (folders?.length ? folders.slice(0, FEW) : [tool.cwd]).flatMap((folder) =>
    (shells?.length ? shells.slice(0, FEW) : ["bash"]).flatMap((name) => {
      const place = folder === undefined ? {} : { cwd: folder };
      return lines.map((command) => ({ category: "Shell", command, shell: name, ...place }) as const);
    }),
  );
  const isOne = (texts: readonly string[] | null) => texts !== null && texts.length < 2;
  // Words go to a program: behind anything else it is not known what becomes of them.
  const isPlain = !words || (commands.length === 1 && /^[\w@%+=:,./ -]+$/.test(commands[0] ?? ""));
  const isSure = words !== null && variables !== null && isOne(folders) && isOne(shells) && isPlain;
  // More than a command is asked for.
  return !isSure || hasMore(tool) ? [null, ...accesses] : orMissing(accesses);
}

/** Codex asks with a command for rights that its sandbox would not give it. */
function hasMore({ input }: AskedTool): boolean {
  return input !== null && typeof input === "object" && "additionalPermissions" in input;
}

function fileAccesses(use: FileUse, tool: AskedTool): readonly (Access | null)[] {
  const { category, fields, otherwise } = use;
  const named = textsIn(tool.input, fields);
  const paths = [...(named ?? []), ...(tool.paths ?? [])];
  const all = paths.length === 0 && otherwise !== undefined && named !== null ? [otherwise] : paths;
  const globs = globsIn(use, tool);
  const inFolders = all
    .slice(0, GLOBS_MAX)
    .flatMap((folder) => globs?.map((glob) => globIn(folder, glob)) ?? []);
  const found = [...new Set([...all, ...inFolders])].map((path) => fileAccess(category, path, tool));
  return named === null || globs === null ? [null, ...found] : orMissing(found);
}

/** What a search is narrowed to. Of names that are looked for, the folder says enough, unless they lead out of it. */
function globsIn({ globs = [], names = [], isUnsure }: FileUse, tool: AskedTool): readonly string[] | null {
  const isText = isUnsure === true && ROWS.name.has(tool.name);
  const narrowed = writtenOut(textsIn(tool.input, globs));
  const looked = writtenOut(isText ? [] : textsIn(tool.input, names));
  return narrowed && looked && [...narrowed, ...looked.filter((glob) => LEAVES.test(glob))];
}

function writtenOut(globs: readonly string[] | null): readonly string[] | null {
  const all = (globs ?? []).map((glob) => expandBraces(glob, GLOBS_MAX));
  if (globs === null || all.includes(null)) return null;
  return all.flatMap((each) => each ?? []).map((glob) => glob.replace(/\\(.)/gs, "$1"));
}

type FileUse = Extract<ToolUse, { readonly category: "Read" | "Write" }>;

const GLOBS_MAX = 64;
const LEAVES = /^[/~]|(?:^|\/)\.\.(?:\/|$)/;

function globIn(folder: string, glob: string): string {
  return /^[/~]/.test(glob) ? glob : `${folder}/${glob}`;
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
