/** `signalbox mcp`: sessions as tools, on stdin and stdout. */
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Client } from "../../client/client.js";
import { errorReport } from "../error-report.js";
import { leaveFor, type Caller } from "./caller.js";
import { SESSION_TOOLS } from "./session-tools.js";
import { ToolRefusal, type SessionTool } from "./tool.js";

interface ToolAnswer {
  [field: string]: unknown;
  content: { type: "text"; text: string }[];
  isError?: boolean;
}

/** Resolves when the caller is gone. */
export async function serveMcp(client: Client, caller: Caller, version: string): Promise<void> {
  const server = new McpServer(
    { name: "signalbox", version },
    {
      instructions:
        "Signalbox runs coding agents. Start one with start_session, wait_for_session, then read_session. A session that waits for a person cannot be answered by you: tell your user.",
    },
  );
  for (const [name, tool] of Object.entries(SESSION_TOOLS)) {
    const { description, input, isReadOnly } = tool;
    const annotations = { readOnlyHint: isReadOnly, destructiveHint: name === "stop_session" };
    server.registerTool(name, { description, inputSchema: input, annotations }, (given) =>
      answer(client, caller, name, tool, given),
    );
  }
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    process.stdin.once("end", resolve);
  });
  await server.connect(transport);
  await closed;
  await server.close();
}

async function answer(
  client: Client,
  caller: Caller,
  name: string,
  tool: SessionTool,
  given: Record<string, unknown>,
): Promise<ToolAnswer> {
  try {
    const leave = await leaveFor(client, caller, name);
    if (leave.type === "refused") return refused(leave.because);
    const value = await tool.run(client, { ...caller, sessionId: leave.sessionId }, given);
    return { content: [{ type: "text", text: JSON.stringify(value, null, 2) }] };
  } catch (error) {
    return refused(error instanceof ToolRefusal ? error.message : errorReport(error).message);
  }
}

function refused(text: string): ToolAnswer {
  return { isError: true, content: [{ type: "text", text }] };
}
