/**
 * The built-in agent: a program of its own that speaks NDJSON on stdio, so that it survives the daemon like any other.
 *
 *     node main.js --conversations DIR [--model NAME] [--resume ID] [--trusted] [--inline]
 */
import { userInfo } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { toAgentSchema, type FromAgent } from "../protocol/agent-wire.js";
import { baseFolder } from "../protocol/folder-variables.js";
import { Agent } from "./agent.js";
import { IdleTimer } from "./idle-timer.js";
import { chooseModel, defaultModel } from "./models/choose-model.js";
import { chosenModel } from "./models/kept-choice.js";
import { ModelError } from "./models/model.js";
import { proxiedFetch } from "./proxied-fetch.js";
import { readConfig } from "./read-config.js";

// Whatever the agent reaches, its models and servers of tools, it reaches by the proxy that it is told of.
globalThis.fetch = proxiedFetch(process.env, globalThis.fetch);

const EXIT_USAGE = 2;
const values = readOptions();

function readOptions() {
  try {
    return parseArgs({
      options: {
        conversations: { type: "string" },
        model: { type: "string" },
        resume: { type: "string" },
        trusted: { type: "boolean", default: false },
        inline: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    // It is the caller's fault, and shown to whoever started the session: where it was found helps nobody.
    process.stderr.write(`signalbox agent: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(EXIT_USAGE);
  }
}

/** After these a turn is over, or waits for an answer that can come no more once stdin is closed. */
const LAST_LINES: ReadonlySet<FromAgent["type"]> = new Set(["done", "failed", "interrupted", "ask"]);

/** At the prompt of a folder nobody may ask again for days: its conversation is resumed when somebody does. */
const INLINE_IDLE_MS = 30 * 60_000;

const LINE_SHOWN_MAX = 200;

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

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // As little understood as JSON that we do not know.
    return undefined;
  }
}

async function main(): Promise<void> {
  const { conversations: folder, resume = null, trusted, inline } = values;
  if (folder === undefined) throw new Error("--conversations is needed: where conversations are kept");
  const { env } = process;
  const configDir = join(
    baseFolder(env, "XDG_CONFIG_HOME", () => userInfo().homedir),
    "signalbox",
  );
  const cwd = process.cwd();
  const { config, problems } = readConfig(configDir, cwd, trusted);
  const agent = await Agent.start({
    cwd,
    env,
    folder,
    userSkills: join(configDir, "skills"),
    config,
    isTrusted: trusted,
    isInline: inline,
    model: await chooseModel(chosenModel(folder, resume, values.model) ?? defaultModel(env), env),
    resume,
    write,
    onBroken: die,
  });
  for (const text of problems) write({ type: "note", text });
  const end = (): void => void agent.close().then(() => process.exit(0), die);
  const idle = inline ? new IdleTimer(INLINE_IDLE_MS, () => agent.isResting, end) : null;
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      idle?.again();
      const heard = toAgentSchema.safeParse(parseJson(line));
      if (heard.success) agent.hear(heard.data);
      // A newer daemon may say more than we know: what we do goes on.
      else process.stderr.write(`not understood: ${line.slice(0, LINE_SHOWN_MAX)}\n`);
    })
    .on("close", () => {
      onLastLine = end;
      // Who pipes in a question wants its answer.
      if (!agent.isBusy) onLastLine();
    });
}

main().catch((error: unknown) => {
  if (!(error instanceof ModelError)) die(error);
  write({ type: "failed", code: error.code, message: error.message });
  process.exitCode = 1;
});
