/**
 * A simulated agent: speaks the scripted agent's language, numbers every line it writes and checks the number of every
 * line it reads. What it does next is drawn from the generator: it works, asks, fails, hangs, crashes.
 */
import type { LastAsk } from "../../src/core/index.js";
import type { AgentLine, ToldLine } from "../../src/harness/script/script-wire.js";
import type { RunExit } from "../../src/protocol/keeper.js";
import type { Random } from "./random.js";

/** The process that an agent lives in. */
export interface AgentHost {
  readonly random: Random;
  /** It behaves as well as an agent can. */
  readonly isCalm: () => boolean;
  /** Never after its end. */
  readonly after: (delayMs: number, callback: () => void) => void;
  readonly print: (text: string) => void;
  readonly exit: (exit: RunExit) => void;
  readonly heard: (told: ToldLine) => void;
  readonly fault: (problem: string) => void;
}

type Unnumbered<T> = T extends AgentLine ? Omit<T, "n"> : never;
type Mode = "starting" | "idle" | "working" | "asking" | "leaving" | "hung";

const APPROVALS = ["tool", "command", "browser_action_launch", "use_mcp_server"] as const;
const FAILURES = [
  "api_req_failed",
  "mistake_limit_reached",
  "invalid_model",
  "payment_required_prompt",
] as const;

const WORK = {
  text: 40,
  thinking: 4,
  tool: 8,
  approval: 8,
  question: 4,
  hesitant_question: 2,
  usage: 3,
  retry: 2,
  background: 2,
  end: 14,
} as const;
const ENDS = { done: 70, fail: 8, stream_error: 6, exit: 4, crash: 5, hang: 4 } as const;
const CALM_ENDS = { done: 1, fail: 0, stream_error: 0, exit: 0, crash: 0, hang: 0 } as const;

export class SimAgent {
  /** Every text it has written, in order. */
  readonly texts: string[] = [];
  /** What it last asked, or how its turn ended; null while it works; `unknown` where nobody could tell. */
  lastAsk: LastAsk | null | "unknown" = null;
  /** It has said something since it was last told to do something. */
  hasActed = false;
  isReady = false;
  private mode: Mode = "starting";
  private written = 0;
  private read = 0;
  private turn = 0;
  private askCount = 0;
  private isTold = false;
  private readonly openAsks = new Map<string, LastAsk | "unknown">();
  private readonly openCalls: string[] = [];

  constructor(
    private readonly runId: string,
    private readonly sessionId: string,
    private readonly host: AgentHost,
  ) {
    const { random } = host;
    if (!host.isCalm() && random.chance(0.03)) this.mode = "hung";
    else if (!host.isCalm() && random.chance(0.03))
      host.after(random.between(1, 100), () => host.exit({ code: random.below(2), signal: null }));
    else host.after(random.between(1, 400), () => this.beReady());
  }

  get openAskCount(): number {
    return this.openAsks.size;
  }

  /** A line on its stdin. */
  hear(line: string): void {
    // Only our own codec writes here.
    const told = JSON.parse(line) as ToldLine;
    if (told.n !== this.read + 1) {
      this.host.fault(`agent ${this.runId} read line ${told.n} after line ${this.read}`);
      this.write({ type: "stdin_fault", expected: this.read + 1, got: told.n });
    }
    this.read = told.n;
    this.host.heard(told);
    switch (told.type) {
      case "prompt":
      case "continue":
        this.begin(told.type);
        return;
      case "answer":
        this.closeAsk(told.askId);
        return;
      case "void":
        for (const askId of told.askIds) this.closeAsk(askId);
        return;
      case "interrupt":
        this.interrupt();
        return;
    }
  }

  /** Whether a signal ends it. */
  heeds(signal: "SIGINT" | "SIGTERM"): boolean {
    if (this.host.isCalm()) return true;
    return this.host.random.chance(signal === "SIGINT" ? 0.5 : 0.7);
  }

  private beReady(): void {
    this.write({ type: "ready", sessionId: this.sessionId });
    this.isReady = true;
    if (this.isTold) this.startTurn();
    else this.rest("completion_result");
  }

  private begin(type: "prompt" | "continue"): void {
    if (this.mode === "hung") return;
    if (this.mode !== "starting" && this.mode !== "idle")
      this.host.fault(`agent ${this.runId} got a ${type} while ${this.mode}`);
    if (this.mode === "starting" && this.isTold)
      this.host.fault(`agent ${this.runId} got a second ${type} before it was ready`);
    this.isTold = true;
    this.hasActed = false;
    this.lastAsk = null;
    if (this.mode !== "starting") this.startTurn();
  }

  private startTurn(): void {
    this.mode = "working";
    this.turn += 1;
    this.isTold = false;
    this.openCalls.length = 0;
    this.soon(() => {
      // Some agents say nothing of their requests.
      if (this.host.random.chance(0.9)) this.act({ type: "request" });
      this.workOn();
    });
  }

  private soon(next: () => void): void {
    const { turn } = this;
    this.host.after(this.host.random.between(1, 600), () => {
      if (this.turn === turn && (this.mode === "working" || this.mode === "asking")) next();
    });
  }

  private workOn(): void {
    this.soon(() => {
      if (this.mode === "asking") this.waitOn();
      else this.work();
    });
  }

  /** While it waits it may go on writing, and may take its asks back. */
  private waitOn(): void {
    const { random } = this.host;
    if (random.chance(0.1)) this.say();
    else if (random.chance(0.03)) this.withdrawAsk();
    else if (!this.host.isCalm() && random.chance(0.02)) this.endTurn();
    if (this.mode === "asking" || this.mode === "working") this.workOn();
  }

  private work(): void {
    const { random } = this.host;
    const kind = random.weighted(WORK);
    switch (kind) {
      case "text":
        this.say();
        break;
      case "thinking":
        this.act({ type: "thinking", text: `hm ${this.written} ` });
        break;
      case "tool":
        this.useTool();
        break;
      case "approval":
        this.ask(random.pick(APPROVALS), false);
        if (random.chance(0.2)) this.ask(random.pick(APPROVALS), false);
        break;
      case "question":
        this.ask("followup", false);
        break;
      case "hesitant_question":
        this.ask("followup", true);
        break;
      case "usage":
        this.write({ type: "usage", inputTokens: 3, outputTokens: 2 });
        break;
      case "retry":
        this.write({ type: "retry", attempt: 1, atMs: 5_000 });
        break;
      case "background":
        this.write({ type: "background", count: random.below(3) });
        break;
      case "end":
        this.endTurn();
        return;
    }
    this.workOn();
  }

  private say(end = "\n"): void {
    const text = `${this.runId}#${this.texts.length} `;
    this.texts.push(text);
    this.act({ type: "text", text, messageId: `${this.runId}-${this.turn}` }, end);
  }

  private useTool(): void {
    const callId = this.openCalls.shift();
    if (callId !== undefined) {
      this.act({ type: "tool_done", callId, ok: this.host.random.chance(0.8), output: "so" });
      return;
    }
    const opened = `${this.runId}-call-${this.written}`;
    this.openCalls.push(opened);
    this.act({ type: "tool", callId: opened, name: "sh", input: { command: "ls" } });
  }

  private ask(ask: (typeof APPROVALS)[number] | "followup", hesitates: boolean): void {
    this.askCount += 1;
    const askId = `${this.runId}-ask-${this.askCount}`;
    const line = { type: "ask", askId, ask, title: ask, detail: `number ${this.askCount}` } as const;
    if (hesitates) this.write({ ...line, partial: true });
    // Some never send the final form.
    const isComplete = !hesitates || this.host.random.chance(0.5);
    if (isComplete) this.act(line);
    this.openAsks.set(askId, isComplete ? ask : "unknown");
    this.lastAsk = isComplete ? ask : "unknown";
    this.mode = "asking";
  }

  private closeAsk(askId: string): void {
    if (!this.openAsks.delete(askId)) return;
    if (this.host.random.chance(0.3)) this.write({ type: "ask_closed", askId });
    this.goOnWithoutAsks();
  }

  private withdrawAsk(): void {
    const askId = [...this.openAsks.keys()].at(-1);
    if (askId === undefined) return;
    this.openAsks.delete(askId);
    this.write({ type: "ask_closed", askId });
    this.goOnWithoutAsks();
  }

  private goOnWithoutAsks(): void {
    this.lastAsk = [...this.openAsks.values()].at(-1) ?? null;
    if (this.mode === "asking" && this.openAsks.size === 0) this.mode = "working";
  }

  private endTurn(): void {
    const { random, exit, isCalm } = this.host;
    switch (random.weighted(isCalm() ? CALM_ENDS : ENDS)) {
      case "done":
        this.act({ type: "done" });
        this.rest("completion_result");
        return;
      case "fail": {
        const code = random.pick(FAILURES);
        this.act({ type: "fail", code, message: "as it happens" });
        this.rest(code);
        return;
      }
      case "stream_error":
        this.act({ type: "stream_error", message: "broken", recoverable: random.chance(0.5) });
        this.rest("unknown");
        return;
      case "exit":
        // Nobody makes it end its last line.
        if (random.chance(0.5)) this.say("");
        exit({ code: 0, signal: null });
        return;
      case "crash":
        exit(random.chance(0.5) ? { code: 3, signal: null } : { code: null, signal: "SIGSEGV" });
        return;
      case "hang":
        this.mode = "hung";
        return;
    }
  }

  private interrupt(): void {
    const isBusy = this.mode === "working" || this.mode === "asking";
    if (!isBusy || (!this.host.isCalm() && this.host.random.chance(0.1))) return;
    this.mode = "leaving";
    this.host.after(this.host.random.between(1, 500), () => {
      this.act({ type: "interrupted" });
      this.rest("unknown");
    });
  }

  private rest(how: LastAsk | "unknown"): void {
    this.mode = "idle";
    this.lastAsk = how;
    this.openAsks.clear();
  }

  /** A line that shows that it does something. */
  private act(line: Unnumbered<AgentLine>, end = "\n"): void {
    this.hasActed = true;
    this.write(line, end);
  }

  private write(line: Unnumbered<AgentLine>, end = "\n"): void {
    this.written += 1;
    this.host.print(`${JSON.stringify({ n: this.written, ...line })}${end}`);
  }
}
