/** Asks the person at the terminal, one ask after the other, and sends what they say. */
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ReadStream } from "node:tty";
import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { AnswerAsk } from "../protocol/api-schemas.js";
import { approvalPrompt, confirmPrompt, isYes, readApproval } from "./approval-words.js";
import { oneLine, visibleLine } from "./plain-text.js";
import { sessionNow } from "./session-now.js";

interface OpenAsk {
  readonly askId: string;
  readonly ask: string;
}

export interface PrompterListener {
  /** The person does not want to be asked any more: Ctrl-C or Ctrl-D. */
  readonly left: () => void;
  readonly failed: (error: unknown) => void;
}

/** Where a person is asked. */
export interface PrompterTerminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Somebody else may be reading keys: they let go of the terminal while `work` has it. */
  readonly lend: <T>(work: () => Promise<T>) => Promise<T>;
}

const OWN_TERMINAL: PrompterTerminal = {
  input: process.stdin,
  output: process.stdout,
  lend: (work) => work(),
};

const QUESTION_PROMPT = "Your answer: ";

export class AskPrompter {
  /** Oldest first. */
  private readonly open = new Map<string, OpenAsk>();
  private asking: { readonly askId: string; readonly abort: AbortController } | null = null;
  private closing = false;

  constructor(
    private readonly client: Client,
    private readonly sessionId: string,
    private readonly listener: PrompterListener,
    private readonly terminal: PrompterTerminal = OWN_TERMINAL,
  ) {}

  opened(ask: OpenAsk): void {
    if (this.open.has(ask.askId)) return;
    this.open.set(ask.askId, ask);
    this.askNext();
  }

  /** Answered or withdrawn, here or elsewhere. */
  closed(askId: string): void {
    this.open.delete(askId);
    if (this.asking?.askId === askId) this.asking.abort.abort();
  }

  close(): void {
    this.closing = true;
    this.asking?.abort.abort();
  }

  private askNext(): void {
    const [ask] = this.open.values();
    if (ask === undefined || this.asking !== null || this.closing) return;
    const asking = { askId: ask.askId, abort: new AbortController() };
    this.asking = asking;
    this.answer(ask, asking.abort.signal)
      .catch((error: unknown) => this.listener.failed(error))
      .finally(() => {
        this.asking = null;
        this.askNext();
      });
  }

  private async answer(ask: OpenAsk, signal: AbortSignal): Promise<void> {
    const { askId } = ask;
    const send =
      ask.ask === "followup" ? await this.question(askId, signal) : await this.approval(askId, signal);
    // Nothing was said: the ask stays open and is asked again.
    if (send === null || signal.aborted) return;
    try {
      await send();
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.status !== 409) throw error;
      process.stderr.write(`signalbox: ${oneLine(error.detail)}\n`);
    }
    this.open.delete(askId);
  }

  private async question(askId: string, signal: AbortSignal): Promise<(() => Promise<unknown>) | null> {
    const text = await this.read(QUESTION_PROMPT, signal);
    return text === null ? null : () => this.client.sendMessage(this.sessionId, { text, askId });
  }

  private async approval(askId: string, signal: AbortSignal): Promise<(() => Promise<unknown>) | null> {
    const rules = await this.rulesFor(askId, signal);
    const isLasting = rules.length > 0;
    const send = (answer: AnswerAsk) => () => this.client.answerAsk(this.sessionId, askId, answer);
    // Nobody should allow more than they have seen.
    if (isLasting && !signal.aborted) this.say(`s, p and a also allow from now on: ${rules.join(", ")}`);
    const said = await this.read(approvalPrompt(isLasting), signal);
    const typed = said === null ? null : readApproval(said, isLasting);
    switch (typed?.type) {
      case undefined:
        return null;
      case "answer":
        return send(typed.answer);
      case "confirm": {
        const isMeant = await this.read(confirmPrompt(), signal);
        const { message } = typed;
        return isMeant !== null && isYes(isMeant) ? send({ decision: "reject", message }) : null;
      }
      case "again":
        this.say(typed.why);
        return null;
    }
  }

  /** The rules that a wider answer grants. */
  private async rulesFor(askId: string, signal: AbortSignal): Promise<readonly string[]> {
    const session = await sessionNow(this.client, this.sessionId, signal);
    const ask = session?.asks.find((each) => each.askId === askId);
    return ask?.suggestions.map((rule) => visibleLine(rule)) ?? [];
  }

  private say(text: string): void {
    this.terminal.output.write(`${text}\n`);
  }

  /** Null when nothing was said. */
  private async read(prompt: string, signal: AbortSignal): Promise<string | null> {
    if (this.closing) return null;
    const said = await this.terminal.lend(() => readAnswer(this.terminal, prompt, signal));
    if (said === null) {
      this.closing = true;
      this.listener.left();
    }
    return said === null || said.trim() === "" || signal.aborted ? null : said;
  }
}

/** The same as `readLine`, but of what is typed after the question: what was typed before was not meant for it. */
export async function readAnswer(
  terminal: Pick<PrompterTerminal, "input" | "output">,
  prompt: string,
  signal: AbortSignal,
): Promise<string | null> {
  await dropTypedAhead(terminal.input);
  return signal.aborted ? "" : readLine(terminal, prompt, signal);
}

async function dropTypedAhead(input: NodeJS.ReadableStream): Promise<void> {
  if (!(input instanceof ReadStream)) return;
  const drop = () => undefined;
  // Raw, as a line that is not ended yet is handed out only then.
  input.setRawMode(true);
  input.on("data", drop).resume();
  // What the system holds is there after one turn; what we hold ourselves comes before.
  for (let turn = 0; turn < 2; turn += 1) await nextTurn();
  input.off("data", drop).pause();
  input.setRawMode(false);
}

/** One line from the terminal; null when the person left; empty when aborted. */
export function readLine(
  { input, output }: Pick<PrompterTerminal, "input" | "output">,
  prompt: string,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const terminal = createInterface({ input, output });
    let said: string | null = null;
    const end = () => terminal.close();
    signal.addEventListener("abort", end, { once: true });
    terminal.on("SIGINT", end);
    terminal.on("close", () => {
      signal.removeEventListener("abort", end);
      if (said === null) output.write("\n");
      resolve(said ?? (signal.aborted ? "" : null));
    });
    terminal.question(prompt, (line) => {
      said = line;
      terminal.close();
    });
  });
}
