import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { FileMemory } from "../tools/file-memory.js";
import type { Tool, ToolContext } from "../tools/tool.js";
import type { Json } from "../../core/index.js";
import { connectMcpServers, type McpTools } from "./mcp-servers.js";

let folder = "";
let mcp: McpTools | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-mcp-"));
});
afterEach(async () => {
  await mcp?.close();
  await rm(folder, { recursive: true, maxRetries: 5 });
});

const SDK = new URL("../../../node_modules/@modelcontextprotocol/sdk/dist/esm/", import.meta.url).href;
const ZOD = new URL("../../../node_modules/zod/index.js", import.meta.url).href;

/** A server of its own: adds, refuses, and dies when it is told to. */
const SERVER = `
import { McpServer } from "${SDK}server/mcp.js";
import { StdioServerTransport } from "${SDK}server/stdio.js";
import { z } from "${ZOD}";
const server = new McpServer({ name: "sums", version: "1" });
server.registerTool("add", { description: "Adds.", inputSchema: { a: z.number(), b: z.number() } },
  ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
server.registerTool("refuse", { description: "" }, () => ({ isError: true, content: [{ type: "text", text: "no" }] }));
server.registerTool("die", { description: "" }, () => process.exit(1));
await server.connect(new StdioServerTransport());
`;

const CONTEXT: ToolContext = {
  cwd: "/",
  files: new FileMemory(),
  signal: new AbortController().signal,
  preview: () => undefined,
  ask: () => Promise.resolve(null),
};

function named(name: string): Tool<Json> {
  const tool = mcp?.tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

test("tools of a server on stdio; one that dies is an error for the model, and is started again by the next call", async () => {
  const path = join(folder, "server.mjs");
  await writeFile(path, SERVER);
  const server = { command: process.execPath, args: [path], env: {} };
  mcp = await connectMcpServers({ sums: server, gone: { command: "/no/such", args: [], env: {} } }, folder);
  expect(mcp.problems).toEqual([expect.stringContaining("The MCP server gone cannot be used")]);
  expect(mcp.tools.map(({ name, ask }) => [name, ask])).toEqual([
    ["mcp__sums__add", "use_mcp_server"],
    ["mcp__sums__refuse", "use_mcp_server"],
    ["mcp__sums__die", "use_mcp_server"],
  ]);
  const add = named("mcp__sums__add");
  expect(add.inputSchema).toMatchObject({ type: "object", required: ["a", "b"] });
  expect(await add.execute({ a: 2, b: 3 }, CONTEXT)).toEqual({ isError: false, content: "5" });
  expect(await named("mcp__sums__refuse").execute({}, CONTEXT)).toEqual({ isError: true, content: "no" });
  for (const sum of ["2", "2"]) {
    await expect(named("mcp__sums__die").execute({}, CONTEXT)).rejects.toThrow();
    expect(await Promise.all([1, 1].map((b) => add.execute({ a: 1, b }, CONTEXT)))).toEqual([
      { isError: false, content: sum },
      { isError: false, content: sum },
    ]);
  }
  await rm(path);
  await expect(named("mcp__sums__die").execute({}, CONTEXT)).rejects.toThrow();
  await expect(add.execute({ a: 1, b: 1 }, CONTEXT)).rejects.toThrow();
  await mcp.close();
  await expect(add.execute({ a: 1, b: 1 }, CONTEXT)).rejects.toThrow("closed");
});

test("tools of a server over HTTP", async () => {
  const http = createServer((request, response) => {
    const server = new McpServer({ name: "echo", version: "1" });
    server.registerTool("echo", { description: "", inputSchema: { text: z.string() } }, ({ text }) => ({
      content: [{ type: "text", text }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    void server.connect(transport as Transport).then(() => transport.handleRequest(request, response));
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  mcp = await connectMcpServers({ web: { url: `http://127.0.0.1:${port}/mcp`, headers: {} } }, folder);
  expect(mcp.problems).toEqual([]);
  expect(await named("mcp__web__echo").execute({ text: "hi" }, CONTEXT)).toEqual({
    isError: false,
    content: "hi",
  });
  await mcp.close();
  http.closeAllConnections();
  http.close();
});

/** Two pages of tools, one of which has a name that no provider takes. */
const PAGED = `
import { Server } from "${SDK}server/index.js";
import { StdioServerTransport } from "${SDK}server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "${SDK}types.js";
const server = new Server({ name: "paged", version: "1" }, { capabilities: { tools: {} } });
const tool = (name) => ({ name, description: "", inputSchema: { type: "object" } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
  params?.cursor === "2" ? { tools: [tool("files.read")] } : { tools: [tool("first")], nextCursor: "2" });
server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
await server.connect(new StdioServerTransport());
`;

test("every page of tools is read; a name that providers refuse is told to them as another", async () => {
  const path = join(folder, "server.mjs");
  await writeFile(path, PAGED);
  mcp = await connectMcpServers({ paged: { command: process.execPath, args: [path], env: {} } }, folder);
  const [first, second] = mcp.tools;
  expect([first?.name, second?.name]).toEqual([
    "mcp__paged__first",
    expect.stringMatching(/^mcp__paged__files_read_[0-9a-f]{8}$/),
  ]);
  expect(await second?.execute({}, CONTEXT)).toEqual({ isError: false, content: "files.read" });
  // Arguments that were no JSON are no input.
  expect(second?.input.safeParse('{"a": ').success).toBe(false);
});
