/** `[agent]` of the configuration: the person's own, and the hooks of a project that is trusted. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { agentConfigSchema, type AgentConfig } from "../protocol/agent-config.js";

export interface ReadConfig {
  readonly config: AgentConfig;
  /** What the person is told. */
  readonly problems: readonly string[];
}

/**
 * A project's file could run anything: of one that is trusted the hooks count, after the person's own, and nothing else.
 * A flaw in the person's own file is an end; one in a project's is only told.
 */
export function readConfig(configDir: string, cwd: string, isTrusted: boolean): ReadConfig {
  const own = readFile(join(configDir, "config.toml"));
  if (!isTrusted) return { config: own, problems: [] };
  try {
    const { post_tool_hooks: hooks } = readFile(join(cwd, ".signalbox", "config.toml"));
    return { config: { ...own, post_tool_hooks: [...own.post_tool_hooks, ...hooks] }, problems: [] };
  } catch (error) {
    return { config: own, problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function readFile(path: string): AgentConfig {
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return agentConfigSchema.parse({});
    throw error;
  }
  const config = agentConfigSchema.safeParse(tableIn(source, path)["agent"] ?? {});
  if (!config.success) throw new Error(`${path}: [agent]: ${config.error.message}`);
  return config.data;
}

function tableIn(source: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parse(source);
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
