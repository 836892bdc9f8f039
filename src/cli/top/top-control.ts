/** What a person does in `top`: chooses, answers, writes. */
import type { Client } from "../../client/client.js";
import { SignalboxError, UnreachableError } from "../../client/signalbox-error.js";
import { questionOf } from "../../core/session/question-of.js";
import { hasNobody, isNotKnown, isShellSession } from "../../protocol/session-words.js";
import type { AnswerAsk } from "../../protocol/api-schemas.js";
import type { AskSummary, SessionSummary } from "../../protocol/session.js";
import { openInBrowser } from "../browser.js";
import { clipped, oneLine, visibleLine } from "../plain-text.js";
import { byAttention, matchesFilter, needsPerson, openAsk } from "./attention.js";
import { SessionBoard } from "./session-board.js";
import { askPart, type AskPart, type Mode, type ScreenSize, type TopView } from "./top-view.js";

/** What was not on the screen for so long, nobody can have read: a key that was meant for something else. */
const READ_MIN_MS = 700;
const NOTICE_MS = 8_000;
/** Changes are shown at most this often. */
const SHOW_DELAY_MS = 100;
const TEXT_LENGTH_MAX = 10_000;

/** A key as Ink names it. */
export interface Key {
  readonly input: string;
  readonly name:
    "up" | "down" | "pageUp" | "pageDown" | "tab" | "return" | "escape" | "backspace" | "ctrl" | "text";
}

export interface TopOptions {
  readonly client: Client;
  readonly size: () => ScreenSize;
  /** Something is to be shown anew. */
  readonly onChange: () => void;
  readonly onLeave: (error?: unknown) => void;
  /** An ask came that waits for a person. */
  readonly onAsk: () => void;
}

/** The ask on the screen, the first of its lines there and since when, and whether the last was. */
interface AskInView {
  readonly askId: string;
  readonly line: number;
  readonly sinceMs: number;
  readonly isSeen: boolean;
}

export class TopControl {
  readonly board: SessionBoard;
  private mode: Mode = { type: "list" };
  private filter = "";
  private selectedId: string | null = null;
  private notice = { text: "", untilMs: 0 };
  private inView: AskInView | null = null;
  private known: ReadonlySet<string> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private ordered: { readonly of: unknown; readonly sessions: readonly SessionSummary[] } | null = null;

  constructor(private readonly options: TopOptions) {
    this.board = new SessionBoard(
      options.client,
      () => this.changed(),
      (error) => this.say(problem(error)),
    );
  }

  view(): TopView {
    const all = this.all();
    const shown = all.filter((session) => matchesFilter(session, this.filter));
    const selected = shown.find(({ id }) => id === this.selectedId) ?? shown[0] ?? null;
    this.selectedId = selected?.id ?? null;
    const nowMs = Date.now();
    this.look(selected, nowMs);
    const { mode, filter } = this;
    const notice = nowMs < this.notice.untilMs ? this.notice.text : "";
    const linesOf = (id: string, count: number) => this.board.linesOf(id, count);
    const doingOf = (id: string) => this.board.doingOf(id);
    const { link, seats, problems } = this.board;
    const askLine = this.inView?.line ?? 0;
    const state = { link, seats, problems };
    const view = { shown, all, selected, filter, mode, notice, ...state, linesOf, doingOf, askLine, nowMs };
    return { ...view, isAskSeen: this.see({ ...view, isAskSeen: false }) };
  }

  press(key: Key): void {
    if (key.name === "ctrl" && key.input === "c") this.options.onLeave();
    else if (this.mode.type === "list") this.pressInList(key);
    else if (this.mode.type === "help") this.mode = { type: "list" };
    else if (this.mode.type === "stop") this.confirmStop(this.mode, key);
    else this.write(this.mode, key);
    this.options.onChange();
  }

  close(): void {
    clearTimeout(this.timer);
  }

  private all(): readonly SessionSummary[] {
    const of = this.board.sessions;
    if (this.ordered?.of !== of) this.ordered = { of, sessions: byAttention(of.values()) };
    return this.ordered.sessions;
  }

  private look(selected: SessionSummary | null, nowMs: number): void {
    const ask = selected && openAsk(selected);
    const id = ask ? `${selected.id} ${ask.askId}` : null;
    if (id !== (this.inView?.askId ?? null))
      this.inView = id === null ? null : { askId: id, line: 0, sinceMs: nowMs, isSeen: false };
    if (selected) void this.board.recall(selected.id);
  }

  /** Whether the ask on the screen was shown to its end, now or before. */
  private see(view: TopView): boolean {
    const part = askPart(view, this.options.size());
    if (this.inView === null || part === null) return false;
    if (view.mode.type !== "help" && isLast(part)) this.inView = { ...this.inView, isSeen: true };
    return this.inView.isSeen;
  }

  private scroll(by: 1 | -1): void {
    const view = this.view();
    const part = askPart(view, this.options.size());
    if (this.inView === null || part === null) return;
    const line = Math.max(0, Math.min(part.total - part.count, part.first + by * part.count));
    if (line !== part.first) this.inView = { ...this.inView, line, sinceMs: view.nowMs };
  }

  private changed(): void {
    this.notifyOfAsks();
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.options.onChange();
    }, SHOW_DELAY_MS);
  }

  private notifyOfAsks(): void {
    const asks = new Set(
      this.all().flatMap(({ id, asks: open }) =>
        open.filter((ask) => ask.needsHuman).map((ask) => `${id} ${ask.askId}`),
      ),
    );
    // What waited before we came was told to somebody else.
    if (this.known !== null && [...asks].some((id) => !this.known?.has(id))) this.options.onAsk();
    if (this.board.link === "live") this.known = asks;
  }

  private pressInList(key: Key): void {
    if (key.name === "up" || key.input === "k") this.move(-1);
    else if (key.name === "down" || key.input === "j") this.move(1);
    else if (key.name === "pageUp" || key.input === "b") this.scroll(-1);
    else if (key.name === "pageDown" || key.input === " ") this.scroll(1);
    else if (key.name === "tab" || key.input === "n") this.nextWaiting();
    else if (key.name === "escape") this.filter = "";
    else if (key.name === "text" && key.input.length > 1) this.takeAtOnce(key.input);
    else if (key.name === "text") this.pressLetter(key.input);
  }

  /** Typed ahead on a slow line, or pasted by mistake: what acts on an agent must be pressed by itself. */
  private takeAtOnce(input: string): void {
    const rest = input.slice(1).replace(/[\r\n]+/g, " ");
    if (input.startsWith("/")) this.mode = { type: "filter", text: rest };
    else if (/^[jk]+$/.test(input)) for (const letter of input) this.move(letter === "j" ? 1 : -1);
    else if (input.startsWith("m") && this.selectedId !== null) this.beginMessage(rest);
    else this.say("several keys at once; press them one by one");
    if (this.mode.type === "filter") this.filter = this.mode.text;
  }

  private pressLetter(letter: string): void {
    switch (letter) {
      case "q":
        return this.options.onLeave();
      case "?":
      case "h":
        this.mode = { type: "help" };
        return;
      case "/":
        this.mode = { type: "filter", text: this.filter };
        return;
      case "o":
        return this.attempt("the page was opened", () => this.openPage());
      case "a":
        return this.approve({ decision: "approve" }, "approved");
      case "s":
        return this.approve({ decision: "approve", scope: "session" }, "approved for this session");
      case "p":
        return this.approve(
          { decision: "approve", scope: "project" },
          "approved in this project from now on",
        );
      case "A":
        return this.approve({ decision: "approve", scope: "always" }, "approved from now on");
      default:
        return this.pressForSession(letter);
    }
  }

  private pressForSession(letter: string): void {
    const { selected: session } = this.view();
    if (session === null) return;
    if (letter === "r") {
      const found = this.readableApproval();
      if (found !== null)
        this.mode = { type: "reject", text: "", sessionId: session.id, askId: found.ask.askId };
    } else if (letter === "m") this.beginMessage("");
    else if (letter === "f") this.beginForced(session);
    else if (letter === "x") this.mode = { type: "stop", sessionId: session.id };
    else if (letter === "i") this.attempt("interrupted", () => this.options.client.interrupt(session.id));
    else this.pressAfterTurn(letter, session);
  }

  /** What can be done with a session that has ended its turn. */
  private pressAfterTurn(letter: string, { id, ui }: SessionSummary): void {
    const { client } = this.options;
    if (letter === "t" && ui.showRetryButton) this.attempt("trying again", () => client.retry(id));
    else if (letter === "t") this.say("there is nothing to retry: it has not failed");
    else if (letter === "u" && ui.showResumeButton) this.attempt("resumed", () => client.resume(id));
    else if (letter === "u") this.say("there is nothing to resume: it has not ended");
    else if (letter === "w") this.attempt("a new turn has begun", () => client.start(id));
    else if (letter === "c")
      this.attempt("connected: messages without an ID go to it", () => client.connect({ sessionId: id }));
    else this.say(`${JSON.stringify(letter)} is no key here; ? shows the keys`);
  }

  private beginMessage(text: string, force = false): void {
    const { selected } = this.view();
    if (selected === null) return;
    const { id: sessionId } = selected;
    const question = questionOf(selected);
    const asked = selected.asks.find(({ askId }) => askId === question);
    if (asked?.atTerminal === true) this.say(`it is answered in the terminal: signalbox attach ${sessionId}`);
    else if (isShellSession(selected) || hasNobody(selected))
      this.say(`no agent is there to take a message; signalbox attach ${sessionId}`);
    else this.mode = { type: "message", text, sessionId, question, force };
  }

  private beginForced(session: SessionSummary): void {
    if (isNotKnown(session)) this.beginMessage("", true);
    else this.say("what it shows is understood: m sends a message");
  }

  private move(by: 1 | -1): void {
    const { shown, selected } = this.view();
    const index = shown.findIndex(({ id }) => id === selected?.id);
    this.selectedId = shown[Math.max(0, Math.min(shown.length - 1, index + by))]?.id ?? null;
  }

  private nextWaiting(): void {
    const { shown, selected } = this.view();
    const waiting = shown.filter(needsPerson);
    const index = waiting.findIndex(({ id }) => id === selected?.id);
    const next = waiting[(index + 1) % Math.max(1, waiting.length)];
    if (next) this.selectedId = next.id;
    else this.say("no session waits for you");
  }

  /** The approval on the screen, if somebody can have read it. */
  private readableApproval(): { readonly session: SessionSummary; readonly ask: AskSummary } | null {
    const { selected: session, nowMs } = this.view();
    const ask = session && openAsk(session);
    if (!ask) this.say("this session asks for nothing");
    else if (ask.atTerminal === true)
      this.say(`it is answered in the terminal: signalbox attach ${session.id}`);
    else if (ask.ask === "followup") this.say("a question is answered with m");
    else if (this.inView === null || nowMs - this.inView.sinceMs < READ_MIN_MS)
      this.say("it has only just come up: look at it, then press again");
    else return { session, ask };
    return null;
  }

  private approve(answer: AnswerAsk, done: string): void {
    const found = this.readableApproval();
    if (found === null) return;
    const { session, ask } = found;
    if (this.inView?.isSeen !== true) {
      this.say("not all of it was shown: Space shows more; make the terminal larger if it does not");
      return;
    }
    if (answer.scope !== undefined && ask.suggestions.length === 0) {
      this.say("no rule can allow this from now on; a approves it once");
      return;
    }
    this.attempt(`${done}: ${clipped(visibleLine(ask.title), 60)}`, () =>
      this.options.client.answerAsk(session.id, ask.askId, answer),
    );
  }

  private confirmStop({ sessionId }: Extract<Mode, { readonly type: "stop" }>, key: Key): void {
    this.mode = { type: "list" };
    if (key.input === "y" && this.isThere(sessionId))
      this.attempt("stopped", () => this.options.client.cancel(sessionId));
  }

  private isThere(sessionId: string): boolean {
    const isKnown = this.board.sessions.has(sessionId);
    if (!isKnown) this.say("that session is gone; nothing was done");
    return isKnown;
  }

  private write(mode: Extract<Mode, { readonly text: string }>, key: Key): void {
    if (key.name === "escape") {
      this.mode = { type: "list" };
      if (mode.type === "filter") this.filter = "";
    } else if (key.name === "return") this.finish(mode);
    else this.mode = { ...mode, text: edited(mode.text, key) };
    if (this.mode.type === "filter") this.filter = this.mode.text;
  }

  private finish(mode: Extract<Mode, { readonly text: string }>): void {
    const said = mode.text.trim();
    this.mode = { type: "list" };
    if (mode.type === "filter") this.filter = said;
    else if (mode.type === "reject") this.reject(mode, said);
    else if (said !== "" && this.isThere(mode.sessionId)) {
      const { sessionId, question, force } = mode;
      const how = { ...(question === null ? {} : { askId: question }), ...(force ? { force } : {}) };
      this.attempt("sent", () => this.options.client.sendMessage(sessionId, { text: said, ...how }));
    }
  }

  private reject({ sessionId, askId }: Extract<Mode, { readonly type: "reject" }>, said: string): void {
    const ask = this.board.sessions.get(sessionId)?.asks.find((each) => each.askId === askId);
    if (!ask) {
      this.say("it was answered or withdrawn meanwhile");
      return;
    }
    const answer = { decision: "reject", ...(said === "" ? {} : { message: said }) } as const;
    this.attempt(`rejected: ${clipped(visibleLine(ask.title), 60)}`, () =>
      this.options.client.answerAsk(sessionId, askId, answer),
    );
  }

  private async openPage(): Promise<void> {
    const { url } = await this.options.client.createLoginLink({ role: "own" });
    if (!(await openInBrowser(url))) throw new Error(`no browser here; the link works once: ${url}`);
  }

  private attempt(done: string, act: () => Promise<unknown>): void {
    act().then(
      () => this.say(done),
      (error: unknown) => this.say(problem(error)),
    );
  }

  private say(text: string): void {
    this.notice = { text: oneLine(text), untilMs: Date.now() + NOTICE_MS };
    this.changed();
  }
}

function isLast({ first, count, total }: AskPart): boolean {
  return count > 0 && first + count >= total;
}

function edited(text: string, key: Key): string {
  if (key.name === "backspace") return Array.from(text).slice(0, -1).join("");
  if (key.name === "ctrl") return key.input === "u" ? "" : text;
  // A paste comes at once; its lines become one.
  return key.name === "text" ? (text + key.input.replace(/[\r\n]+/g, " ")).slice(0, TEXT_LENGTH_MAX) : text;
}

function problem(error: unknown): string {
  if (error instanceof SignalboxError) return error.detail;
  if (error instanceof UnreachableError) return "the daemon does not answer; nothing was done";
  return error instanceof Error ? error.message : String(error);
}
