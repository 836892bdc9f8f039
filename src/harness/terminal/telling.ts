import type { SessionFact } from "../../core/index.js";
import type { EvidenceSource } from "../../protocol/state-event.js";
import type { Decoded, Evidence, Output } from "../../runtime/harness.js";
import type { Typing } from "../../runtime/terminal-observation.js";
import {
  addresseeIn,
  programIn,
  toJson,
  type AskWords,
  type OpenAsk,
  type TerminalState,
} from "./terminal-state.js";

/**
 * One piece of evidence on its way to facts: the state as it becomes, and what is told. What must hold of the order of
 * facts is written here once: a turn begins and ends once, an ask is closed before the next one opens, and a program that
 * asks or works before it was ready has its first prompt put into the queue instead of typed into whatever it shows.
 */
export class Telling {
  private readonly outputs: Output[] = [];

  constructor(
    public state: TerminalState,
    private readonly source: EvidenceSource,
    /** The evidence, in words. */
    private readonly because: string,
  ) {}

  decoded(): Decoded {
    return { state: toJson(this.state), outputs: this.outputs };
  }

  change(part: Partial<TerminalState>): void {
    this.state = { ...this.state, ...part };
  }

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact, source: this.source });
  }

  unknown(kind: string): void {
    this.outputs.push({ type: "unknown", kind });
  }

  /** It is there. Some agents tell their own id, now or later. */
  ready(sessionId: string | undefined = this.state.sessionId ?? undefined): void {
    if (this.state.isReady && sessionId === undefined) return;
    this.change({ isReady: true, sessionId: null });
    const { because } = this;
    this.fact({ type: "session_created", because, ...(sessionId === undefined ? {} : { sessionId }) });
  }

  /** It works, by itself or on what it was given. */
  begin(sawWork: boolean): void {
    const isNew = this.state.doing !== "working";
    this.change({ doing: "working", sawWork: sawWork || (this.state.sawWork && !isNew) });
    if (!isNew) return;
    this.change({ wasRejected: false, queuedPrompts: 0, sawStop: false, sawWait: false });
    this.fact({ type: "api_req_started", because: this.because });
    this.queuePrompt();
  }

  /** The turn is over, unless that was told. */
  over(how: "completed" | "interrupted" | "failed", text?: string): void {
    if (this.state.doing === "waiting") return;
    const ends = this.state.ends + 1;
    this.change({ doing: "waiting", ends, ask: null, sawWork: false, isContinuing: false });
    this.change({ queuedPrompts: 0, isHookTurn: false, requests: [] });
    const { because } = this;
    const askId = `run-${this.state.run}-end-${ends}`;
    switch (how) {
      case "completed":
        this.fact({ type: "ask:completion_result", askId, because });
        return;
      case "interrupted":
        this.fact({ type: "turn_interrupted", because });
        return;
      case "failed":
        this.fact({ type: "ask:api_req_failed", askId, because, ...(text === undefined ? {} : { text }) });
    }
  }

  /** It waits for the first time: it is given its prompt, or what the machine has for it, or is idle. */
  firstWait(): void {
    const { prompt, continues } = this.state;
    this.ready();
    if (prompt) {
      this.change({ prompt: null, typings: this.state.typings + 1 });
      const { messageId, text } = prompt;
      const addressee = addresseeIn(this.state);
      const typing: Typing = { type: "message", text, force: false, addressee };
      this.outputs.push({ type: "typing", typing, messageId });
    } else if (!continues) this.over("completed");
    // What is handed over now is typed with care; if nothing is, the next look finds it idle.
    else this.change({ continues: false, sawWork: true });
  }

  openAsk(words: AskWords, known: Pick<OpenAsk, "fingerprint" | "request" | "shown">): void {
    const { fact, title, detail, tool } = words;
    this.closeAsk();
    const askCount = this.state.askCount + 1;
    const askId = `run-${this.state.run}-ask-${askCount}`;
    const ask: OpenAsk = { askId, ...known, answer: null };
    this.change({ ask, askCount, doing: "working", sawWork: true, wasRejected: false });
    this.outputs.push({ type: "ask_detail", askId, title, detail, tool });
    this.fact({ type: fact, askId, because: this.because });
    this.queuePrompt();
    // After the ask: what the machine would hand over to a run that is ready must not be typed into it.
    this.ready();
  }

  /** What is known of an ask that is open becomes better known. */
  redescribeAsk(ask: OpenAsk, { title, detail, tool }: AskWords): void {
    this.change({ ask });
    this.outputs.push({ type: "ask_detail", askId: ask.askId, title, detail, tool });
  }

  /** The prompt is gone: somebody answered it at the terminal, or the agent took it back. */
  closeAsk(): void {
    const { ask } = this.state;
    if (!ask) return;
    this.forgetAsk(ask);
    if (ask.answer === null) this.fact({ type: "ask_closed", askId: ask.askId, because: this.because });
  }

  /** Nothing is told of it any more. */
  forgetAsk({ fingerprint }: OpenAsk): void {
    const lastFingerprint = fingerprint ?? this.state.lastFingerprint;
    this.change({ ask: null, lastFingerprint });
  }

  /** Which agent has the session's seat follows what is in the foreground (004). */
  seat(agent: string | null, evidence: Evidence = "process_exit"): void {
    const { seated } = this.state;
    if (agent === seated) return;
    if (seated !== null) this.outputs.push({ type: "agent", agent: null, evidence });
    if (agent !== null) this.outputs.push({ type: "agent", agent, evidence });
    this.change({ seated: agent });
  }

  /** The program that is in the foreground now is another one: what was known of the last one says nothing of it. */
  newProgram(): void {
    this.closeAsk();
    this.change({ doing: "starting", sawWork: true, sawWait: true });
    this.change({ hasHooks: false, isHookTurn: false, queuedPrompts: 0, requests: [] });
    switch (programIn(this.state).type) {
      case "agent":
        // It is about to start: that a shell waited before it says nothing of it.
        if (this.state.isReady) this.fact({ type: "api_req_started", because: this.because });
        return;
      case "shell":
        return;
      case "other":
        this.ready();
        this.begin(true);
    }
  }

  /** A first prompt that can no longer be first: the machine took its run to be at work on it, and is corrected. */
  private queuePrompt(): void {
    const { prompt, run } = this.state;
    if (!prompt) return;
    this.change({ prompt: null });
    const error = "The program was busy with something else first.";
    this.fact({ type: "delivery_failed", run, messageId: prompt.messageId, error });
  }
}
