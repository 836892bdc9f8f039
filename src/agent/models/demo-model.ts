/**
 * A model that needs no key and no network: it walks through everything that a session can show, so that a newcomer sees
 * every state. What it does next depends only on what the person said last, and on the results of its calls since then.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { DemoModelName } from "../../protocol/agent-providers.js";
import { demoScript, type DemoStep } from "./demo-script.js";
import {
  ModelError,
  type Model,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ToolResultPart,
} from "./model.js";

const WORD_DELAY_MS = 40;
const USAGE = { inputTokens: 1_200, outputTokens: 80, cachedTokens: 800, costUsd: 0 } as const;

/** One answer each; every answer but the last ends with a call, and goes on with its result. */
const SHOW: readonly (readonly DemoStep[])[] = [
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
function suggestion(text: string): readonly DemoStep[] {
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
  private stumbles = 0;
  private callCount = 0;

  constructor(
    readonly name: DemoModelName = "demo",
    private readonly wordDelayMs: number = WORD_DELAY_MS,
  ) {}

  async *stream({ messages, signal }: ModelRequest): AsyncIterable<ModelEvent> {
    const { text, results } = sinceLastWord(messages);
    const steps =
      demoScript({ text, results, isHasty: this.name === "demo/hasty" }) ?? stepsFor(text, results.length);
    for (const step of steps) yield* this.play(step, signal);
    yield { type: "usage", usage: USAGE };
  }

  private async *play(step: DemoStep, signal: AbortSignal): AsyncIterable<ModelEvent> {
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

function stepsFor(text: string, results: number): readonly DemoStep[] {
  if (/\bfail\b/i.test(text))
    throw new ModelError("The demo fails when it is told to.", "api_req_failed", false);
  if (COMMAND.test(text) || DANGER.test(text)) return suggestion(text);
  return SHOW[Math.min(results, SHOW.length - 1)] ?? [];
}

function sinceLastWord(messages: readonly ModelMessage[]): {
  readonly text: string;
  readonly results: readonly ToolResultPart[];
} {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const said = messages[last];
  const results = messages
    .slice(last + 1)
    .flatMap((message) => (message.role === "tool" ? message.results : []));
  return { text: said && "text" in said ? said.text : "", results };
}
