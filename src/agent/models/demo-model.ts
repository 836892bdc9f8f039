/**
 * A model that needs no key and no network: it walks through everything that a session can show, so that a newcomer sees
 * every state. What it does next depends only on how many results its calls have had since the person spoke.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../../core/index.js";
import { ModelError, type Model, type ModelEvent, type ModelMessage, type ModelRequest } from "./model.js";

const WORD_DELAY_MS = 40;
const USAGE = { inputTokens: 1_200, outputTokens: 80, cachedTokens: 800, costUsd: 0 } as const;

type Step =
  | { readonly think: string }
  | { readonly say: string }
  | { readonly call: string; readonly input: Json }
  /** Fails once, so that the retry is seen. */
  | { readonly stumble: string };

/** One answer each; every answer but the last ends with a call, and goes on with its result. */
const TOUR: readonly (readonly Step[])[] = [
  [
    { think: "The person wants to see what Signalbox shows. A harmless command first." },
    { say: "Hello! I am the demo: a script, not a model. First I would like to run a command; you decide." },
    {
      call: "execute_shell_command",
      input: { command: "date; sleep 1; echo hello", description: "Say hello" },
    },
  ],
  [
    { say: "Now a file. You see the change before it is made." },
    {
      call: "write_file",
      input: {
        file_path: "signalbox-demo.md",
        content: "# Signalbox\n\nThis file is from the demo.\n",
        overwrite: true,
      },
    },
  ],
  [
    { say: "Sometimes I need to know something." },
    {
      call: "ask_user",
      input: { question: "Which colour should a signal have?", choices: ["green", "red"] },
    },
  ],
  [
    { stumble: "The demo's model is overloaded" },
    {
      say: "That was all: text, thinking, a command, a change, a question and a retry. Send me anything to see it again.",
    },
  ],
];

/** What it suggests when it is asked for a command: the one between backquotes, or one that suits. */
function suggestion(text: string): readonly Step[] {
  const isDangerous = DANGER.test(text);
  const given = /`([^`]+)`/.exec(text)?.[1];
  const [command, description] =
    given !== undefined
      ? [given, "What stands between the backquotes"]
      : isDangerous
        ? ["rm -f signalbox-demo.md", "Delete the file that the demo writes"]
        : ["ls -la", "List all files"];
  const risk = isDangerous ? { danger: "high", danger_notes: "What is deleted is gone." } : { danger: "low" };
  const confidence = { confidence: "medium", confidence_notes: "The demo always answers the same." };
  return [
    { say: "This would do it." },
    {
      call: "suggest_command",
      input: { command, description, ...risk, ...confidence },
    },
  ];
}

const DANGER = /\b(?:danger\w*|delete|remove)\b/i;
const COMMAND = /\b(?:suggest|command|how (?:do|can|to))\b/i;

export class DemoModel implements Model {
  readonly name = "demo";
  private stumbles = 0;
  private callCount = 0;

  constructor(private readonly wordDelayMs: number = WORD_DELAY_MS) {}

  async *stream({ messages, signal }: ModelRequest): AsyncIterable<ModelEvent> {
    const { text, results } = sinceLastWord(messages);
    for (const step of stepsFor(text, results)) yield* this.play(step, signal);
    yield { type: "usage", usage: USAGE };
  }

  private async *play(step: Step, signal: AbortSignal): AsyncIterable<ModelEvent> {
    if ("stumble" in step) {
      this.stumbles += 1;
      if (this.stumbles % 2 === 1) throw new ModelError(step.stumble, "api_req_failed", true);
    } else if ("call" in step) {
      this.callCount += 1;
      yield {
        type: "tool_call",
        id: `demo-${process.pid}-${this.callCount}`,
        name: step.call,
        input: step.input,
      };
    } else {
      const type = "think" in step ? "thinking" : "text";
      for (const word of ("think" in step ? step.think : step.say).split(/(?<= )/)) {
        await sleep(this.wordDelayMs, undefined, { signal });
        yield { type, text: word };
      }
    }
  }
}

function stepsFor(text: string, results: number): readonly Step[] {
  if (/\bfail\b/i.test(text))
    throw new ModelError("The demo fails when it is told to.", "api_req_failed", false);
  if (COMMAND.test(text) || DANGER.test(text)) return suggestion(text);
  return TOUR[Math.min(results, TOUR.length - 1)] ?? [];
}

function sinceLastWord(messages: readonly ModelMessage[]): {
  readonly text: string;
  readonly results: number;
} {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const said = messages[last];
  const results = messages
    .slice(last + 1)
    .reduce((count, message) => count + (message.role === "tool" ? message.results.length : 0), 0);
  return { text: said && "text" in said ? said.text : "", results };
}
