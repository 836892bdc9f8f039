/** `signalbox run`, once the session is there: shows what happens until it ends or needs somebody. */
import type { Client } from "../client/client.js";
import type { EventItem } from "../client/event-item.js";
import type { Status } from "../core/session/state.js";
import { wordsForFailure } from "../core/words/failure-words.js";
import type { SessionSummary } from "../protocol/session.js";
import { answerEvents } from "./answer-events.js";
import { AskPrompter } from "./ask-prompter.js";
import { awayNote } from "./away-note.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { painter } from "./paint.js";
import { print, printJson, readerGone, readerIsGone } from "./print.js";
import { sessionNow } from "./session-now.js";
import { statusWord } from "./status-words.js";
import { liveSize } from "./terminal-size.js";
import { Transcript } from "./transcript.js";

/** The statuses that end a run, and what they mean for whoever waits. */
const ENDS: Readonly<Partial<Record<Status, ExitCode>>> = {
  completed: EXIT.ok,
  error: EXIT.sessionError,
  stopped: EXIT.stopped,
  paused: EXIT.needsInput,
  // A shell, and nobody in it who could be done.
  idle: EXIT.ok,
};

const HINTS: Readonly<Partial<Record<Status, string>>> = {
  error: "signalbox retry",
  stopped: "signalbox resume",
  paused: "signalbox resume",
  idle: "signalbox attach",
};

export interface RunLook {
  readonly json: boolean;
  /** Somebody is at the terminal and answers asks. */
  readonly interactive: boolean;
  /** To be sent to a session that was there before: what follows it is shown. Absent: all of a new one. */
  readonly message?: string;
  /** All that tools print, when they are done; otherwise the last lines. */
  readonly wholeOutput: boolean;
  /** Rings when the agent asks for something. */
  readonly bell: boolean;
}

/** What a person can do before they try again. */
function remedyOf({ error }: SessionSummary): string {
  const remedy = error === null ? undefined : wordsForFailure(error.code)?.remedy;
  return remedy === undefined ? "" : `${remedy} `;
}

export class FollowedRun {
  private readonly abort = new AbortController();
  private readonly transcript: Transcript;
  private readonly prompter: AskPrompter | null;
  private failure: Error | null = null;

  constructor(
    private readonly client: Client,
    private readonly session: SessionSummary,
    private readonly look: RunLook,
  ) {
    this.transcript = new Transcript({
      paint: painter(),
      full: false,
      wholeOutput: look.wholeOutput,
      ...liveSize(process.stdout),
    });
    this.prompter = look.interactive
      ? new AskPrompter(client, session.id, {
          left: () => this.abort.abort(),
          failed: (error) => this.fail(error),
        })
      : null;
  }

  /** Resolves with the exit status. Ctrl-C leaves the session running. */
  async follow(): Promise<ExitCode> {
    const leave = () => this.abort.abort();
    process.once("SIGINT", leave);
    readerGone().addEventListener("abort", leave);
    try {
      if (this.look.json) await printJson({ type: "session", session: this.session });
      const exitCode = await this.takeAll();
      if (!this.look.json) await print(this.transcript.end());
      if (this.failure !== null) throw this.failure;
      if (exitCode !== null) return exitCode;
      if (readerIsGone()) return EXIT.ok;
      this.tell(
        `the agent goes on. Follow it with signalbox logs -f ${this.session.id}, stop it with signalbox stop`,
      );
      return EXIT.interrupted;
    } finally {
      process.off("SIGINT", leave);
      readerGone().removeEventListener("abort", leave);
      this.prompter?.close();
    }
  }

  /** Null when somebody left before the end. */
  private async takeAll(): Promise<ExitCode | null> {
    for await (const item of this.events(this.abort.signal)) {
      if (this.look.json) await printJson(item);
      else await print(this.transcript.take(item));
      if (readerIsGone()) return null;
      const exitCode = await this.judge(item);
      if (exitCode !== null) return exitCode;
    }
    return null;
  }

  private events(signal: AbortSignal): AsyncIterable<EventItem> {
    const { message } = this.look;
    if (message !== undefined) return answerEvents(this.client, this.session.id, message, signal);
    return this.client.events({ ...awayNote(), session: this.session.id, after: 0, signal });
  }

  private async judge(item: EventItem): Promise<ExitCode | null> {
    if (item.type === "reset" || item.channel === "stream") return null;
    const { payload } = item.event;
    if (payload.type === "ask_closed") this.prompter?.closed(payload.askId);
    if (payload.type === "ask_opened" && payload.needsHuman) {
      if (payload.atTerminal === true)
        return this.needsTerminal("shows a dialog that only its terminal can answer");
      if (this.prompter === null) return this.needsInput(payload.askId, payload.ask);
      if (this.look.bell) await print("\u0007");
      this.prompter.opened(payload);
    }
    if (payload.type === "certainty_changed" && payload.needsAttention)
      return this.needsTerminal("shows something that is not understood");
    if (payload.type !== "state_changed" || payload.from === payload.to) return null;
    return this.judgeStatus(payload.to);
  }

  private async judgeStatus(status: Status): Promise<ExitCode | null> {
    const exitCode = ENDS[status];
    if (exitCode === undefined) return null;
    // With messages in its queue it has gone on already.
    const session = await sessionNow(this.client, this.session.id, this.abort.signal);
    if (session?.status !== status) return null;
    if (this.look.json) await printJson({ type: "session", session });
    const hint = HINTS[status];
    if (hint !== undefined)
      this.tell(`${statusWord(session)}. ${remedyOf(session)}Next: ${hint} ${this.session.id}`);
    return exitCode;
  }

  /** Only who sits at it can go on. */
  private needsTerminal(why: string): ExitCode {
    this.tell(`it ${why}: signalbox attach ${this.session.id}`);
    return EXIT.needsInput;
  }

  private needsInput(askId: string, ask: string): ExitCode {
    const { id } = this.session;
    const answer =
      ask === "followup"
        ? `signalbox send ${id} TEXT`
        : `signalbox approve ${id} --ask ${askId}, or signalbox reject`;
    this.tell(`${ask === "followup" ? "needs an answer" : "needs approval"}: ${answer}`);
    return EXIT.needsInput;
  }

  private tell(text: string): void {
    process.stderr.write(`signalbox: ${this.session.id}: ${text}\n`);
  }

  private fail(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error));
    this.abort.abort();
  }
}
