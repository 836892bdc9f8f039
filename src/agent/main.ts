/**
 * The built-in agent: a program of its own that speaks NDJSON on stdio, so that it survives the daemon like any other.
 *
 *     node main.js --conversations DIR [--model NAME] [--resume ID]
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { toAgentSchema, type FromAgent } from "../protocol/agent-wire.js";
import { Conversation } from "./conversation/conversation.js";
import { chooseModel, defaultModel } from "./models/choose-model.js";
import { ModelError } from "./models/model.js";
import { systemPrompt } from "./system-prompt.js";
import { allTools, describeTools } from "./tools/all-tools.js";
import { TurnDriver } from "./turn-driver.js";

const { values } = parseArgs({
  options: {
    conversations: { type: "string" },
    model: { type: "string" },
    resume: { type: "string" },
  },
});

/** Lines are written whole and in order; nobody waits for the pipe, which the keeper always reads. */
function write(line: FromAgent): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function die(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const folder = values.conversations;
  if (folder === undefined) throw new Error("--conversations is needed: where conversations are kept");
  const cwd = process.cwd();
  const sessionId = values.resume ?? randomUUID();
  const model = await chooseModel(values.model ?? defaultModel(process.env), process.env);
  const tools = allTools(join(folder, "backups", sessionId));
  const open = (id: string): Conversation => Conversation.open(folder, id, cwd, Date.now());
  const driver = new TurnDriver({
    cwd,
    system: await systemPrompt(cwd),
    model,
    tools,
    toolDescriptions: describeTools(tools),
    conversation: open(sessionId),
    renew: () => open(randomUUID()),
    loadSkill: (name) => Promise.reject(new Error(`There is no skill ${JSON.stringify(name)}.`)),
    afterTool: (_name, _input, outcome) => Promise.resolve(outcome),
    write,
    onBroken: die,
  });
  write({ type: "ready", sessionId, model: model.name });
  createInterface({ input: process.stdin })
    .on("line", (line) => driver.hear(toAgentSchema.parse(JSON.parse(line))))
    .on("close", () => {
      driver.close();
      process.exit(0);
    });
}

main().catch((error: unknown) => {
  if (!(error instanceof ModelError)) die(error);
  write({ type: "failed", code: error.code, message: error.message });
  process.exit(1);
});
