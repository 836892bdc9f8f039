import { expect, test } from "vitest";
import type { JsonObject } from "../kit/json.js";
import { toolItem, type ToolItem, toolResult, type ToolResult } from "./items.js";

const COMMAND = { type: "commandExecution", command: "ls", cwd: "/proj" };
const LS: ToolItem = { name: "commandExecution", input: { command: "ls", cwd: "/proj" } };
const MCP = { type: "mcpToolCall", server: "s", tool: "t", arguments: { a: 1 } };
const MCP_TOOL: ToolItem = { name: "s/t", input: { a: 1 } };

const ITEMS: readonly (readonly [JsonObject, ToolItem | null, ToolResult])[] = [
  [
    { ...COMMAND, status: "completed", aggregatedOutput: "a\n", exitCode: 0 },
    LS,
    { output: "a\n", outcome: "ok" },
  ],
  [
    { ...COMMAND, status: "failed", aggregatedOutput: "no\n", exitCode: 2 },
    LS,
    { output: "no\n", outcome: "failed", error: "exit code 2" },
  ],
  [{ ...COMMAND, status: "declined", exitCode: null }, LS, { output: "", outcome: "declined" }],
  [
    { type: "fileChange", changes: [{ path: "/proj/a", kind: { type: "add" }, diff: "x\n" }] },
    { name: "fileChange", input: { changes: [{ path: "/proj/a", kind: "add" }] } },
    { output: "", outcome: "ok", diff: "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n" },
  ],
  [
    { ...MCP, status: "completed", result: { content: [{ type: "text", text: "a" }, { text: "b" }] } },
    MCP_TOOL,
    { output: "a\nb", outcome: "ok" },
  ],
  [
    { ...MCP, status: "completed", result: { content: [{ type: "image", data: "x" }] } },
    MCP_TOOL,
    { output: [{ type: "image", data: "x" }], outcome: "ok" },
  ],
  [
    { ...MCP, status: "failed", result: null, error: { message: "gone" } },
    MCP_TOOL,
    { output: "", outcome: "failed", error: "gone" },
  ],
  [
    { type: "dynamicToolCall", tool: "d", arguments: 1, success: false, contentItems: [{ text: "x" }] },
    { name: "d", input: 1 },
    { output: "x", outcome: "failed" },
  ],
  [
    {
      type: "collabAgentToolCall",
      tool: "spawnAgent",
      prompt: "go",
      receiverThreadIds: ["S"],
      agentsStates: { S: { status: "running" } },
      status: "interrupted",
    },
    { name: "spawnAgent", input: { prompt: "go", agents: ["S"] } },
    { output: { S: { status: "running" } }, outcome: "failed" },
  ],
  [
    { type: "webSearch", query: "q", action: { type: "search" }, results: [{ url: "u" }] },
    { name: "webSearch", input: { query: "q", action: { type: "search" } } },
    { output: [{ url: "u" }], outcome: "ok" },
  ],
  [
    { type: "imageView", path: "/a.png" },
    { name: "imageView", input: { path: "/a.png" } },
    { output: "", outcome: "ok" },
  ],
  [
    { type: "imageGeneration", revisedPrompt: "a cat" },
    { name: "imageGeneration", input: { prompt: "a cat" } },
    { output: "", outcome: "ok" },
  ],
  [
    { type: "sleep", durationMs: 5 },
    { name: "sleep", input: { durationMs: 5 } },
    { output: "", outcome: "ok" },
  ],
  [{ type: "agentMessage", text: "x" }, null, { output: "", outcome: "ok" }],
  [{}, null, { output: "", outcome: "ok" }],
];

test.each(ITEMS)("%j", (item, tool, result) => {
  expect(toolItem(item)).toEqual(tool);
  expect(toolResult(item, "/proj")).toEqual(result);
});
