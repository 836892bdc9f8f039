/** `signalbox ask`, once there is a session: shows the answer as it comes, and asks what to do with a suggested command. */
import type { ReadStream, WriteStream } from "node:tty";
import type { Client } from "../client/client.js";
import type { EventItem } from "../client/event-item.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { Status } from "../core/session/state.js";
import { AnswerText } from "./answer-text.js";
import { AskPrompter } from "./ask-prompter.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { painter } from "./paint.js";
import { clipped } from "./plain-text.js";
import { sessionNow } from "./session-now.js";
import { isShownWhole, suggestionIn, suggestionText, type Suggestion } from "./suggestion.js";
import { SuggestionDialog, type Choice } from "./suggestion-dialog.js";
import { liveSize, terminalSize } from "./terminal-size.js";
import { TerminalKeys, type Key } from "./terminal-keys.js";
import { Transcript } from "./transcript.js";

export interface PromptTerminal {
  readonly input: ReadStream;
  readonly output: WriteStream;
}

export interface AskLook {
  /** Null: nobody is there to be asked. */
  readonly terminal: PromptTerminal | null;
  readonly show: (text: string) => void;
  /** All that tools print, when they are done; otherwise the last lines. */
  readonly wholeOutput: boolean;
}

export interface Asked {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly suggestion: Suggestion | null;
  /** Null when there was nothing to choose. */
  readonly choice: Choice | null;
}

const ENDS: Readonly<Partial<Record<Status, ExitCode>>> = {
  completed: EXIT.ok,
  error: EXIT.sessionError,
  stopped: EXIT.stopped,
  paused: EXIT.needsInput,
};

const RETRY_HINT = "r retries, Esc leaves.";
const ERASE_LINE = "\r\u001b[K";

export class InlineAsk {
  private readonly abort = new AbortController();
  private readonly transcript: Transcript;
  private readonly answer = new AnswerText();
  private readonly prompter: AskPrompter | null = null;
  private readonly keys: TerminalKeys | null = null;
  private readonly runningTools = new Set<string>();
  private suggestion: Suggestion | null = null;
  private dialog: SuggestionDialog | null = null;
  private toolsWereInterrupted = false;
  /** It has failed, and the person may have it tried again; how it ends when they do not want to. */
  private failedAs: ExitCode | null = null;
  private isRetryable = false;
  private failure: Error | null = null;

  constructor(
    private readonly client: Client,
    private readonly sessionId: string,
    private readonly look: AskLook,
  ) {
    const { terminal } = look;
    this.transcript = new Transcript({
      paint: painter(terminal?.output),
      full: false,
      wholeOutput: look.wholeOutput,
      ...(terminal === null ? {} : liveSize(terminal.output)),
    });
    if (terminal === null) return;
    const keys = new TerminalKeys(terminal.input, (key) => this.press(key));
    this.keys = keys;
    const lend = async <T>(work: () => Promise<T>): Promise<T> => {
      keys.stop();
      // The person left: nobody reads keys any more.
      return work().finally(() => this.abort.signal.aborted || keys.start());
    };
    const listener = {
      left: () => this.leave(),
      failed: (error: unknown) => this.fail(error),
    };
    this.prompter = new AskPrompter(client, sessionId, listener, { ...terminal, lend });
  }

  async follow(events: (signal: AbortSignal) => AsyncIterable<EventItem>): Promise<Asked> {
    const leave = (): void => (this.dialog ? this.dialog.press("interrupt") : this.leave());
    process.once("SIGINT", leave);
    this.keys?.start();
    let exitCode: ExitCode | null = null;
    try {
      exitCode = await this.takeAll(events(this.abort.signal));
    } finally {
      process.off("SIGINT", leave);
      this.abort.abort();
      this.prompter?.close();
      this.keys?.stop();
    }
    if (this.failure !== null) throw this.failure;
    const choice = (await this.dialog?.choice) ?? null;
    if (choice?.type === "leave" && choice.isInterrupted) exitCode = EXIT.interrupted;
    const { suggestion } = this;
    return { exitCode: exitCode ?? EXIT.interrupted, text: this.answer.whole, suggestion, choice };
  }

  /** Null when somebody left before the end. */
  private async takeAll(events: AsyncIterable<EventItem>): Promise<ExitCode | null> {
    let exitCode: ExitCode | null = null;
    for await (const item of events) {
      this.dialog?.hear(item);
      if (this.dialog) continue;
      this.answer.take(item);
      this.suggestion = suggestionIn(item) ?? this.suggestion;
      this.look.show(this.transcript.take(item));
      exitCode = await this.judge(item);
      if (exitCode !== null && !this.openDialog(exitCode) && !this.offerRetry(exitCode)) break;
    }
    return exitCode ?? this.failedAs;
  }

  private async judge(item: EventItem): Promise<ExitCode | null> {
    if (item.type === "reset" || item.channel === "stream") return null;
    const { payload } = item.event;
    if (payload.type === "tool_lifecycle") {
      if (payload.status === "running") this.runningTools.add(payload.callId);
      else this.runningTools.delete(payload.callId);
    }
    if (payload.type === "ask_closed") this.prompter?.closed(payload.askId);
    if (payload.type === "ask_opened" && payload.needsHuman) {
      if (this.prompter === null) return this.needsInput(payload.askId, payload.ask);
      this.prompter.opened(payload);
    }
    if (payload.type !== "state_changed" || payload.from === payload.to) return null;
    const exitCode = ENDS[payload.to];
    if (exitCode === undefined) return null;
    // With messages in its queue it has gone on already.
    const session = await sessionNow(this.client, this.sessionId, this.abort.signal);
    this.isRetryable = session?.ui.showRetryButton === true;
    return session?.status === payload.to ? exitCode : null;
  }

  private needsInput(askId: string, ask: string): ExitCode {
    const id = this.sessionId;
    const answer = ask === "followup" ? `send ${id} TEXT` : `approve ${id} --ask ${askId}`;
    process.stderr.write(
      `signalbox: ${id}: ${ask === "followup" ? "needs an answer" : "needs approval"}: signalbox ${answer}\n`,
    );
    return EXIT.needsInput;
  }

  /** False when there is nothing to choose. */
  private openDialog(exitCode: ExitCode): boolean {
    const { suggestion } = this;
    const { terminal, show } = this.look;
    show(this.transcript.end());
    if (exitCode !== EXIT.ok || suggestion === null) return false;
    show(suggestionText(suggestion, painter(terminal?.output)));
    if (terminal === null) return false;
    if (!isShownWhole(suggestion)) {
      show("  It has characters that cannot be shown, and is not offered.\n");
      return false;
    }
    const dim = painter(terminal.output);
    const dialog = new SuggestionDialog(suggestion, {
      request: (command) => this.client.command(this.sessionId, { command }),
      hint: (text) =>
        show(`${ERASE_LINE}${dim("dim", clipped(text, terminalSize(terminal.output).cols - 1))}`),
      say: (text) => show(`${ERASE_LINE}${text}\n`),
    });
    this.dialog = dialog;
    dialog.choice.then(
      () => this.endDialog(),
      (error: unknown) => this.fail(error),
    );
    return true;
  }

  /** False when there is nobody to be asked, or nothing to try again. */
  private offerRetry(exitCode: ExitCode): boolean {
    const { terminal, show } = this.look;
    if (terminal === null || exitCode !== EXIT.sessionError || !this.isRetryable) return false;
    this.failedAs = exitCode;
    show(painter(terminal.output)("dim", RETRY_HINT));
    return true;
  }

  private pressAfterFailure(key: Key): void {
    if (key === "tab") return;
    this.look.show(ERASE_LINE);
    if (key !== "retry") {
      if (key === "interrupt") this.failedAs = EXIT.interrupted;
      this.abort.abort();
      return;
    }
    this.failedAs = null;
    this.client.retry(this.sessionId).catch((error: unknown) => this.fail(error));
  }

  private endDialog(): void {
    this.look.show(ERASE_LINE);
    this.abort.abort();
  }

  private press(key: Key): void {
    if (this.dialog) this.dialog.press(key);
    else if (this.failedAs !== null) this.pressAfterFailure(key);
    else if (key === "interrupt" || key === "escape") this.breakOff();
  }

  /** First what its tools do, then the turn itself (002). */
  private breakOff(): void {
    if (this.runningTools.size === 0 || this.toolsWereInterrupted) {
      this.leave();
      return;
    }
    this.toolsWereInterrupted = true;
    this.look.show(`${this.transcript.end()}[tool] interrupted; once more ends the turn\n`);
    this.client.command(this.sessionId, { command: "interrupt_tools" }).catch((error: unknown) => {
      this.fail(error);
    });
  }

  /** Nobody waits for the answer any more. */
  private leave(): void {
    this.look.show(this.transcript.end());
    this.client
      .interrupt(this.sessionId)
      .catch((error: unknown) => {
        // It is over already.
        if (!(error instanceof SignalboxError)) this.fail(error);
      })
      .finally(() => this.abort.abort());
  }

  private fail(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error));
    this.abort.abort();
  }
}
