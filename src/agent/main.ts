/**
 * The built-in agent: a program of its own that speaks NDJSON on stdio, so that it survives the daemon like any other.
 *
 *     node main.js --conversations DIR [--model NAME] [--resume ID] [--trusted]
 */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { parse } from "smol-toml";
import { agentConfigSchema, type AgentConfig } from "../protocol/agent-config.js";
import { toAgentSchema, type FromAgent } from "../protocol/agent-wire.js";
import { Agent } from "./agent.js";
import { chooseModel, defaultModel } from "./models/choose-model.js";
import { chosenModel } from "./models/kept-choice.js";
import { ModelError } from "./models/model.js";

const { values } = parseArgs({
  options: {
    conversations: { type: "string" },
    model: { type: "string" },
    resume: { type: "string" },
    trusted: { type: "boolean", default: false },
  },
});

/** After these a turn is over, or waits for an answer that can come no more once stdin is closed. */
const LAST_LINES: ReadonlySet<FromAgent["type"]> = new Set(["done", "failed", "interrupted", "ask"]);

let onLastLine = (): void => undefined;

/** Lines are written whole and in order; nobody waits for the pipe, which the keeper always reads. */
function write(line: FromAgent): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
  if (LAST_LINES.has(line.type)) setImmediate(onLastLine);
}

function die(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

/** `[agent]` of the person's own configuration; a project's is not read: it could run anything. */
function readConfig(configDir: string): AgentConfig {
  const path = join(configDir, "config.toml");
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return agentConfigSchema.parse({});
    throw error;
  }
  const config = agentConfigSchema.safeParse(parse(source)["agent"] ?? {});
  if (!config.success) throw new Error(`${path}: [agent]: ${config.error.message}`);
  return config.data;
}

async function main(): Promise<void> {
  const { conversations: folder, resume = null, trusted } = values;
  if (folder === undefined) throw new Error("--conversations is needed: where conversations are kept");
  const { env } = process;
  const configDir = join(env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config"), "signalbox");
  const agent = await Agent.start({
    cwd: process.cwd(),
    env,
    folder,
    userSkills: join(configDir, "skills"),
    config: readConfig(configDir),
    isTrusted: trusted,
    model: await chooseModel(chosenModel(folder, resume, values.model) ?? defaultModel(env), env),
    resume,
    write,
    onBroken: die,
  });
  createInterface({ input: process.stdin })
    .on("line", (line) => agent.hear(toAgentSchema.parse(JSON.parse(line))))
    .on("close", () => {
      onLastLine = () => void agent.close().then(() => process.exit(0), die);
      // Who pipes in a question wants its answer.
      if (!agent.isBusy) onLastLine();
    });
}

main().catch((error: unknown) => {
  if (!(error instanceof ModelError)) die(error);
  write({ type: "failed", code: error.code, message: error.message });
  process.exitCode = 1;
});
