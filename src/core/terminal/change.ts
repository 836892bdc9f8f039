/**
 * One step of a terminal in the making. What must hold of the order of facts is written here once: a turn begins and ends
 * once; an ask is closed before the next one opens; whatever shows work is told only of a screen that is understood; that
 * it is understood is told after what it shows, because the session hands over what has waited for that; and a program
 * that asks or works before it was ready has its first prompt put into the queue instead of typed into whatever it shows.
 */
import type { EVIDENCE } from "../roster/events.js";
import type { Step } from "../step.js";
import type { TerminalEffect, TerminalFact, TerminalRefusalCode } from "./effects.js";
import type { TerminalEvent } from "./events.js";
import type { Addressee } from "./program.js";
import {
  askIn,
  isShellRun,
  SCREEN_TURN,
  turnIn,
  TYPINGS_MAX,
  type OpenAsk,
  type TerminalActivity,
  type TerminalState,
  type ToldRequest,
  type Turn,
} from "./state.js";

export type TerminalStep = Step<TerminalState, TerminalEffect, TerminalRefusalCode>;

/** What an ask is told with. */
export type AskWords = Pick<ToldRequest, "fact" | "title" | "detail" | "tool">;

export class Change {
  state: TerminalState;
  private readonly effects: TerminalEffect[] = [];
  /** It is understood again, which is yet to be told. */
  private isUnderstood = false;

  constructor(
    private readonly before: TerminalState,
    private readonly event: TerminalEvent,
  ) {
    this.state = before;
  }

  done(): TerminalStep {
    this.tellUnderstood();
    const isSame = this.state === this.before || JSON.stringify(this.state) === JSON.stringify(this.before);
    return { state: isSame ? this.before : this.state, effects: this.effects, result: "ok" };
  }

  set(part: Partial<TerminalState>): void {
    this.state = { ...this.state, ...part };
  }

  become(activity: TerminalActivity): void {
    this.set({ activity });
  }

  act(effect: TerminalEffect): void {
    this.effects.push(effect);
  }

  tell(fact: TerminalFact): void {
    this.act({ type: "tell", fact });
  }

  /** Only requests have no time of their own, and none of them changes what is known. */
  get atMs(): number {
    return "atMs" in this.event ? this.event.atMs : 0;
  }

  // What is known

  /** The screen is understood, or hooks speak. */
  known(): void {
    if (this.state.unknown === null) return;
    this.set({ unknown: null });
    this.isUnderstood = true;
  }

  private tellUnderstood(): void {
    if (!this.isUnderstood) return;
    this.isUnderstood = false;
    this.tell({ type: "certainty_changed", certainty: "known", sinceMs: this.atMs });
  }

  becomeUnknown(): void {
    if (this.state.unknown !== null) return;
    this.tellUnderstood();
    const sinceMs = this.atMs;
    this.set({ unknown: { sinceMs, isStillTold: false } });
    this.tell({ type: "certainty_changed", certainty: "unknown", sinceMs });
  }

  /** Nothing has moved for long, once for each time that it is not understood. */
  still(): void {
    const { unknown } = this.state;
    if (unknown === null || unknown.isStillTold) return;
    this.set({ unknown: { ...unknown, isStillTold: true } });
    this.tell({ type: "screen_still", sinceMs: unknown.sinceMs });
  }

  /** It is there. Some agents tell their own id, now or later. */
  ready(sessionId: string | undefined = this.state.sessionId ?? undefined): void {
    if (this.state.isReady && sessionId === undefined) return;
    this.set({ isReady: true, sessionId: null });
    this.tell({ type: "session_created", ...(sessionId === undefined ? {} : { sessionId }) });
  }

  // Turns

  /** It works, by itself or on what it was given; a turn that goes on is not begun anew. */
  begin(by: Turn["by"], sawWork: boolean): void {
    this.known();
    const { activity } = this.state;
    const turn = turnIn(this.state);
    if (turn === null) {
      this.tell({ type: "api_req_started" });
      this.queuePrompt();
      this.become({ type: sawWork ? "working" : "given", turn: { ...SCREEN_TURN, by } });
      return;
    }
    const told: Turn = by === "hooks" ? { ...turn, by } : turn;
    if (activity.type === "asking" || activity.type === "answering") this.become({ ...activity, turn: told });
    else if (activity.type === "ending" && by === "screen") return;
    else this.become({ type: activity.type === "given" && !sawWork ? "given" : "working", turn: told });
  }

  /** The turn is over; what was asked in it is void. `settling`: the screen does not show it yet. */
  over(how: "completed" | "interrupted" | "failed", to: "settling" | "waiting", text?: string): void {
    this.queuePrompt();
    const ends = this.state.ends + 1;
    this.set({ ends, requests: [] });
    this.become({ type: to });
    const askId = `run-${this.state.run}-end-${ends}`;
    switch (how) {
      case "completed":
        this.tell({ type: "ask:completion_result", askId });
        return;
      case "interrupted":
        this.tell({ type: "turn_interrupted" });
        return;
      case "failed":
        this.tell({ type: "ask:api_req_failed", askId, ...(text === undefined ? {} : { text }) });
    }
  }

  /** A first prompt that can no longer be first: the session took its run to be at work on it, and is corrected. */
  queuePrompt(): void {
    const { activity, run } = this.state;
    if (activity.type !== "starting" || activity.first?.type !== "prompt") return;
    const { messageId } = activity.first;
    this.become({ type: "starting", first: null });
    const error = "The program was busy with something else first.";
    this.tell({ type: "delivery_failed", run, messageId, error });
  }

  // Asks

  openAsk({ fact, title, detail, tool }: AskWords, known: Omit<OpenAsk, "askId">): void {
    const turn = turnIn(this.state) ?? SCREEN_TURN;
    this.known();
    this.closeAsk();
    const askCount = this.state.askCount + 1;
    const askId = `run-${this.state.run}-ask-${askCount}`;
    this.set({ askCount });
    this.act({ type: "describe_ask", askId, title, detail, tool });
    this.tell({ type: fact, askId });
    this.queuePrompt();
    this.become({ type: "asking", turn: { ...turn, isRejected: false }, ask: { askId, ...known } });
    // After the ask: what the session would hand over to a run that is ready must not be typed into it.
    this.ready();
  }

  /** What is known of an ask that is open becomes better known. */
  redescribeAsk(ask: OpenAsk, { title, detail, tool }: AskWords): void {
    this.keepAsk(ask);
    this.act({ type: "describe_ask", askId: ask.askId, title, detail, tool });
  }

  keepAsk(ask: OpenAsk): void {
    const { activity } = this.state;
    if (activity.type === "asking") this.become({ ...activity, ask });
  }

  /** The prompt is gone: somebody answered it at the terminal, or the agent took it back. One that we answered is closed. */
  closeAsk(): void {
    const { activity } = this.state;
    const ask = this.forgetAsk();
    if (activity.type === "asking" && ask) this.tell({ type: "ask_closed", askId: ask.askId });
  }

  /** Nothing is told of it any more; its turn goes on. */
  forgetAsk(): OpenAsk | null {
    const ask = askIn(this.state);
    const turn = turnIn(this.state);
    if (!ask || !turn) return null;
    this.set({ lastFingerprint: ask.fingerprint ?? this.state.lastFingerprint });
    this.become({ type: "working", turn });
    return ask;
  }

  // Who is in front

  /** Which agent has the session's seat follows what is in the foreground (004). */
  seat(agent: string | null, evidence: (typeof EVIDENCE)[number] = "process_exit"): void {
    const { seated } = this.state;
    if (agent === seated) return;
    if (seated !== null) this.act({ type: "seat", agent: null, evidence });
    if (agent !== null) this.act({ type: "seat", agent, evidence });
    this.set({ seated: agent });
  }

  get addressee(): Addressee {
    const { front } = this.state;
    if (!front || (front.isOwn && !isShellRun(this.state))) return null;
    return { pid: front.pid, start: front.start };
  }

  /** Something is on its way into the terminal. */
  typing(kind: TerminalState["typing"][number]): void {
    this.set({ typing: [...this.state.typing, kind].slice(-TYPINGS_MAX) });
  }
}
