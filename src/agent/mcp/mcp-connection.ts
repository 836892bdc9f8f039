/** One MCP server, connected while it lives. One that has died is started again by the next call. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { McpServer } from "../../protocol/agent-config.js";

export const START_TIMEOUT_MS = 10_000;

export class McpConnection {
  private client: Promise<Client> | null = null;
  private isClosed = false;

  constructor(
    private readonly server: McpServer,
    private readonly cwd: string,
  ) {}

  /** The same client for all who ask while it is connected. Throws when the server cannot be reached. */
  opened(): Promise<Client> {
    if (this.isClosed) return Promise.reject(new Error("its connection was closed"));
    if (this.client) return this.client;
    const forget = (): void => {
      if (this.client === client) this.client = null;
    };
    const client = this.connect(forget);
    this.client = client;
    client.catch(forget);
    return client;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const client = await this.client?.catch(() => null);
    await client?.close();
  }

  private async connect(onClose: () => void): Promise<Client> {
    // Loaded for those who have servers: it takes as long as the rest of the agent's start.
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client({ name: "signalbox", version: "1" });
    client.onclose = onClose;
    try {
      await client.connect(await this.transport(), { timeout: START_TIMEOUT_MS });
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  private async transport(): Promise<Transport> {
    const { server, cwd } = this;
    if ("url" in server) {
      const { StreamableHTTPClientTransport } =
        await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
      return new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: server.headers },
      });
    }
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { command, args, env } = server;
    return new StdioClientTransport({ command, args, env, cwd, stderr: "ignore" });
  }
}
