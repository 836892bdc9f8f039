/**
 * A program that behaves as the legacy Kilo CLI does, as far as 000 says: `kilocode --json-io [--session=ID] [-- PROMPT]`.
 *
 * What it does is in the prompt: `ask`, `question`, `fail`, or anything else, which it answers. Like the original it writes
 * several objects on one line now and then, and wraps them in escape codes.
 */
import { createInterface } from "node:readline";

interface Told {
  readonly type: string;
  readonly askResponse?: string;
  readonly text?: string;
}

const args = process.argv.slice(2);
const split = args.indexOf("--");
const prompt = split < 0 ? null : (args[split + 1] ?? "");
const session = args.find((arg) => arg.startsWith("--session="))?.slice("--session=".length) ?? null;

let clockMs = Date.now();
function nextMs(): number {
  clockMs += 1;
  return clockMs;
}

function put(...messages: readonly object[]): void {
  process.stdout.write(`\u001B[2K${messages.map((message) => JSON.stringify(message)).join("")}\u001B[0m\n`);
}

function extension(type: "say" | "ask", kind: string, more: object = {}, timestamp = nextMs()): object {
  return { timestamp, source: "extension", type, [type]: kind, partial: false, ...more };
}

const heard: Told[] = [];
let wake = (): void => undefined;

async function told(): Promise<Told> {
  for (;;) {
    const next = heard.shift();
    if (next) return next;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

async function turn(text: string): Promise<void> {
  put(extension("say", "api_req_started"));
  if (text.includes("fail")) {
    put(extension("ask", "api_req_failed", { content: "429 too many requests" }));
    return;
  }
  if (text.includes("ask")) await askFirst();
  if (text.includes("question")) {
    const suggest = [{ answer: "red" }, { answer: "blue" }];
    put(extension("ask", "followup", { metadata: { question: "Which colour?", suggest } }));
    const answer = await told();
    put(extension("say", "user_feedback", { content: answer.text }), extension("say", "api_req_started"));
  }
  const atMs = nextMs();
  const answer = `You said: ${text}`;
  put(
    extension("say", "text", { content: answer.slice(0, 4), partial: true }, atMs),
    extension("say", "text", { content: answer }, atMs),
  );
  const usage = { tokensIn: 120, tokensOut: 8, cacheReads: 20, cost: 0.01 };
  put(extension("say", "api_req_started", { metadata: usage }));
  put(extension("say", "completion_result", { content: "Done." }), extension("ask", "completion_result"));
}

async function askFirst(): Promise<void> {
  const atMs = nextMs();
  put(extension("ask", "command", { content: "npm", partial: true }, atMs));
  put(extension("ask", "command", { content: "npm test" }, atMs));
  const { askResponse, type } = await told();
  if (type === "cancelTask") throw new Error("cancelled");
  const isAllowed = askResponse === "yesButtonClicked";
  if (isAllowed) put(extension("say", "command_output", { content: "all tests pass" }));
  put(extension("say", "api_req_started"));
}

async function main(): Promise<void> {
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      heard.push(JSON.parse(line) as Told);
      wake();
    })
    .on("close", () => process.exit(0));
  put({ timestamp: nextMs(), source: "cli", type: "welcome", metadata: {} });
  if (session !== null) {
    put(
      extension("say", "text", { content: "an old prompt" }, 1_000),
      extension("say", "api_req_started", {}, 1_001),
      extension("ask", "completion_result", {}, 1_002),
    );
    put({ event: "session_created", sessionId: session, timestamp: nextMs() });
    put(extension("ask", "resume_task"));
  } else if (prompt !== null) {
    put({ event: "session_created", sessionId: `kilo-${process.pid}`, timestamp: nextMs() });
    put(extension("say", "text", { content: prompt }));
  }
  let next = session === null ? prompt : null;
  for (;;) {
    next ??= (await told()).text ?? "going on";
    try {
      await turn(next);
    } catch {
      put(extension("ask", "resume_task"));
    }
    next = null;
  }
}

await main();
