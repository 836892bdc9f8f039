/**
 * Does inside a wall what it is told from outside: `do-N.json` in its folder is one thing to do, `did-N.json` what came of
 * it. `tool`: by an MCP client at `signalbox mcp`; `http`: a request at the agent's socket, past `signalbox mcp`.
 * Arguments: the program of `signalbox`.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

interface Told {
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly http?: readonly [method: string, path: string, body?: object];
  readonly headers?: Readonly<Record<string, string>>;
}

const [program = ""] = process.argv.slice(2);
const client = new Client({ name: "inside", version: "1" });
// As agents do that hand nothing of their environment on.
await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "mcp"] }));

async function useTool(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [part] = content as readonly { readonly text: string }[];
  return `${isError === true ? "refused: " : ""}${part?.text ?? ""}`;
}

function ask(
  [method, path, body]: NonNullable<Told["http"]>,
  headers: Told["headers"] = {},
): Promise<string> {
  return new Promise((resolve) => {
    const socketPath = process.env["SIGNALBOX_AGENT_SOCKET"] ?? "";
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const asked = request({ socketPath, method, path, headers: { ...type, ...headers } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      answer.on("end", () => resolve(`${answer.statusCode ?? 0} ${text}`));
    });
    asked.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

for (let n = 0; ; n += 1) {
  while (!existsSync(`do-${n}.json`)) await sleep(20);
  const { tool, args = {}, http, headers } = JSON.parse(readFileSync(`do-${n}.json`, "utf8")) as Told;
  const did = tool !== undefined ? await useTool(tool, args) : await ask(http ?? ["GET", "/"], headers);
  writeFileSync(`did-${n}.part`, did);
  renameSync(`did-${n}.part`, `did-${n}.json`);
}
