/** Tools of MCP servers. A server that does not answer, or dies, is an error for the model, never the end of the session. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import type { Json } from "../../core/index.js";
import type { McpServer } from "../../protocol/agent-config.js";
import type { Tool, ToolOutcome } from "../tools/tool.js";
import { McpConnection, START_TIMEOUT_MS } from "./mcp-connection.js";
import { mcpToolName } from "./mcp-tool-name.js";

const CALL_TIMEOUT_MS = 600_000;
const TOOLS_MAX = 200;
const RESULT_LENGTH_MAX = 200_000;

export interface McpTools {
  readonly tools: readonly Tool<Json>[];
  /** Servers that could not be used, and why. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export async function connectMcpServers(
  servers: Readonly<Record<string, McpServer>>,
  cwd: string,
): Promise<McpTools> {
  const attempts = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      try {
        return { connected: await connect(name, server, cwd) };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { problem: `The MCP server ${name} cannot be used: ${why}` };
      }
    }),
  );
  const connected = attempts.flatMap((attempt) => attempt.connected ?? []);
  return {
    tools: connected.flatMap(({ tools }) => tools),
    problems: attempts.flatMap(({ problem }) => problem ?? []),
    close: async () => {
      await Promise.allSettled(connected.map(({ connection }) => connection.close()));
    },
  };
}

interface Connected {
  readonly connection: McpConnection;
  readonly tools: readonly Tool<Json>[];
}

async function connect(name: string, server: McpServer, cwd: string): Promise<Connected> {
  const connection = new McpConnection(server, cwd);
  try {
    const tools = await listedTools(await connection.opened());
    return { connection, tools: tools.map((tool) => mcpTool(name, tool, connection)) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Page by page. */
async function listedTools(client: Client): Promise<readonly ListedTool[]> {
  const listed: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const page = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.listTools(page, { timeout: START_TIMEOUT_MS });
    listed.push(...tools);
    cursor = tools.length === 0 ? undefined : nextCursor;
  } while (cursor !== undefined && listed.length < TOOLS_MAX);
  return listed.slice(0, TOOLS_MAX);
}

type ListedTool = Awaited<ReturnType<Client["listTools"]>>["tools"][number];

function mcpTool(server: string, listed: ListedTool, connection: McpConnection): Tool<Json> {
  return {
    name: mcpToolName(server, listed.name),
    capability: null,
    ask: "use_mcp_server",
    description: listed.description ?? "",
    // The server checks its fields itself.
    input: z.record(z.string(), z.json()) as z.ZodType as z.ZodType<Json>,
    // What it wrote is JSON Schema.
    inputSchema: listed.inputSchema as Readonly<Record<string, Json>>,
    describe: (input) =>
      Promise.resolve({ title: `${listed.name} of ${server}`, detail: JSON.stringify(input, null, 2) }),
    execute: async (input, { signal }) => callTool(await connection.opened(), listed.name, input, signal),
  };
}

async function callTool(
  client: Client,
  name: string,
  input: Json,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const isObject = input !== null && typeof input === "object" && !Array.isArray(input);
  const given = isObject ? { arguments: input as Record<string, unknown> } : {};
  const result = await client.callTool({ name, ...given }, undefined, { timeout: CALL_TIMEOUT_MS, signal });
  return { isError: result.isError === true, content: textOf(result.content).slice(0, RESULT_LENGTH_MAX) };
}

/** Texts as they are; what is none is named. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      const { type, text } = part as { readonly type?: unknown; readonly text?: unknown };
      return typeof text === "string" ? text : `[${String(type)}]`;
    })
    .join("\n");
}
