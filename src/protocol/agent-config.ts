/** `[agent]` of `config.toml`: what the built-in agent may use beside its own tools. */
import { z } from "zod";

export const postToolHookSchema = z.strictObject({
  /** Run by `sh`, with the call as JSON on its stdin. */
  command: z.string().min(1),
  /** Names of tools, `*` for any text; absent: every tool. */
  tools: z.array(z.string().min(1)).optional(),
  /** Runs only when the tool did. */
  only_on_success: z.boolean().default(true),
  timeout_s: z.number().positive().max(600).default(30),
  /** `retry`: once more, then as `warn`. */
  on_failure: z.enum(["stop", "warn", "retry"]).default("warn"),
});
export type PostToolHook = z.infer<typeof postToolHookSchema>;

export const mcpServerSchema = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
  z.strictObject({ url: z.url(), headers: z.record(z.string(), z.string()).default({}) }),
]);
export type McpServer = z.infer<typeof mcpServerSchema>;

export const agentConfigSchema = z.strictObject({
  post_tool_hooks: z.array(postToolHookSchema).max(50).default([]),
  mcp_servers: z.record(z.string().regex(/^[\w-]{1,64}$/), mcpServerSchema).default({}),
});
export type AgentConfig = z.infer<typeof agentConfigSchema>;
