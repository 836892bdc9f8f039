/** Asks the person at the terminal, one ask after the other, and sends what they say. */
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ReadStream } from "node:tty";
import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import { oneLine } from "./plain-text.js";

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

const APPROVAL_PROMPT = "Allow? y, n, or what to do instead: ";
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
    const isQuestion = ask.ask === "followup";
    const prompt = isQuestion ? QUESTION_PROMPT : APPROVAL_PROMPT;
    const said = await this.terminal.lend(() => readAnswer(this.terminal, prompt, signal));
    if (said === null) {
      this.closing = true;
      this.listener.left();
      return;
    }
    // An empty line says nothing: the ask stays open and is asked again.
    if (signal.aborted || said.trim() === "") return;
    try {
      const { askId } = ask;
      if (isQuestion) await this.client.sendMessage(this.sessionId, { text: said, askId });
      else await this.client.answerAsk(this.sessionId, askId, decision(said));
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.status !== 409) throw error;
      process.stderr.write(`signalbox: ${oneLine(error.detail)}\n`);
    }
    this.open.delete(ask.askId);
  }
}

function decision(said: string) {
  const word = said.trim().toLowerCase();
  if (word === "y" || word === "yes") return { decision: "approve" } as const;
  if (word === "n" || word === "no") return { decision: "reject" } as const;
  return { decision: "reject", message: said } as const;
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
