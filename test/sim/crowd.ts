/** People and programs with requests: sensible ones, senseless ones, and the same one again. */
import { APPROVALS } from "../../src/core/index.js";
import { TOKEN_PRINCIPAL } from "../../src/protocol/principal.js";
import { isDeepStrictEqual } from "node:util";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { Answer, PersonRequest, ReceiptDraft, Submission } from "../../src/runtime/submission.js";
import type { Ledger } from "./ledger.js";
import type { SimWorld } from "./sim-world.js";

const SESSIONS_MAX = 4;

const WISHES = {
  send: 34,
  approve: 14,
  reject: 6,
  interrupt: 5,
  cancel: 4,
  resume: 8,
  retry: 5,
  start: 5,
  remove: 2,
  rename: 1,
  connect: 2,
  route: 5,
  auto_approve: 2,
  stranger: 1,
  repeat: 6,
  conflict: 1,
} as const;

/** One wish, however often it was sent. */
interface Wish {
  readonly submission: Submission;
  readonly receipt: ReceiptDraft | null;
  readonly text: string | null;
  /** Final: everything but "not now". */
  answer: Answer | null;
  isWaiting: boolean;
}

export class Crowd {
  /** The journal reached so far when the last request was answered. */
  acknowledgedTo = 0;
  readonly sessionIds: string[] = [];
  private readonly wishes: Wish[] = [];
  private textCount = 0;

  constructor(
    private readonly world: SimWorld,
    private readonly ledger: Ledger,
  ) {}

  /** Nobody will hear the answers that were still to come. */
  daemonEnded(): void {
    for (const wish of this.wishes) wish.isWaiting = false;
  }

  act(runtime: Runtime): void {
    const { random } = this.world;
    const unanswered = this.wishes.find(({ answer, isWaiting, receipt }) => !answer && !isWaiting && receipt);
    if (unanswered && random.chance(0.5)) {
      this.world.counts.add("requests sent again");
      this.send(runtime, unanswered);
    } else if (this.sessionIds.length === 0 || (this.sessionIds.length < SESSIONS_MAX && random.chance(0.1)))
      this.wish(runtime, this.creation());
    else this.wishSomething(runtime);
  }

  wish(runtime: Runtime, submission: Submission, clientId?: string): void {
    const text = textIn(submission);
    const id = clientId ?? (this.world.random.chance(0.7) ? `client-${this.wishes.length}` : null);
    const receipt = id === null ? null : { clientId: id, fingerprint: JSON.stringify(submission) };
    const wish: Wish = { submission, receipt, text, answer: null, isWaiting: false };
    this.wishes.push(wish);
    this.send(runtime, wish);
    if (receipt && this.world.random.chance(0.1)) this.send(runtime, wish);
  }

  newText(): string {
    this.textCount += 1;
    return `message ${this.textCount}`;
  }

  private wishSomething(runtime: Runtime): void {
    const { random } = this.world;
    const sessionId = random.pick(this.sessionIds);
    const kind = random.weighted(WISHES);
    switch (kind) {
      case "repeat":
      case "conflict":
        this.repeat(runtime, kind === "conflict");
        return;
      case "stranger":
        this.wish(runtime, { type: "request", sessionId: "nobody", request: { type: "interrupt" } });
        return;
      case "remove":
        this.wish(runtime, { type: "remove", sessionId });
        return;
      case "rename":
        this.wish(runtime, { type: "rename", sessionId, title: this.newText() });
        return;
      case "connect":
        this.wish(runtime, { type: "connect", sessionId });
        return;
      case "route":
        this.wish(runtime, {
          type: "route",
          sessionId: random.chance(0.5) ? sessionId : null,
          text: this.newText(),
        });
        return;
      default:
        this.wish(runtime, { type: "request", sessionId, request: this.request(kind, runtime, sessionId) });
    }
  }

  private request(
    kind: Exclude<
      keyof typeof WISHES,
      "repeat" | "conflict" | "stranger" | "remove" | "rename" | "connect" | "route"
    >,
    runtime: Runtime,
    sessionId: string,
  ): PersonRequest {
    const { random } = this.world;
    const askIds = runtime.session(sessionId)?.state.asks.map(({ askId }) => askId) ?? [];
    const named = askIds.length > 0 && random.chance(0.7) ? { askId: random.pick(askIds) } : {};
    switch (kind) {
      case "send":
        return { type: "send_message", text: this.newText() };
      case "approve":
        return { type: "approve_action", ...named };
      case "reject":
        return { type: "reject_action", ...named, ...(random.chance(0.5) ? { text: this.newText() } : {}) };
      case "interrupt":
        return { type: "interrupt" };
      case "cancel":
        return { type: "cancel_session" };
      case "resume":
        return { type: "resume_session" };
      case "retry":
        return { type: "retry" };
      case "start":
        return { type: "start_session", ...(random.chance(0.7) ? { text: this.newText() } : {}) };
      case "auto_approve":
        return { type: "set_approve", approve: random.pick(APPROVALS) };
    }
  }

  private creation(): Submission {
    const { random } = this.world;
    return {
      type: "create",
      settings: { harness: "script", title: "", cwd: ".", model: null, args: [], env: {} },
      text: random.chance(0.8) ? this.newText() : null,
      approve: random.chance(0.2) ? "auto" : "ask",
    };
  }

  /** The same request with the same id gets the same answer; another request with that id gets none. */
  private repeat(runtime: Runtime, otherwise: boolean): void {
    const { random, counts } = this.world;
    const known = this.wishes.filter(({ receipt, answer }) => receipt && answer);
    if (known.length === 0) return;
    const wish = random.pick(known);
    if (!otherwise) {
      counts.add("requests repeated");
      this.send(runtime, wish);
      return;
    }
    const submission: Submission = { type: "rename", sessionId: "nobody", title: this.newText() };
    const receipt = { clientId: wish.receipt?.clientId ?? "", fingerprint: JSON.stringify(submission) };
    this.world.expect(runtime.submit(submission, receipt, TOKEN_PRINCIPAL), (answer) => {
      if (answer.ok || answer.code !== "conflict")
        this.world.fail(`another request with a used id: ${JSON.stringify(answer)}`);
    });
  }

  private send(runtime: Runtime, wish: Wish): void {
    this.world.counts.add("requests");
    wish.isWaiting = true;
    this.world.trace.note(`request ${JSON.stringify(wish.submission)} ${wish.receipt?.clientId ?? ""}`);
    this.world.expect(runtime.submit(wish.submission, wish.receipt, TOKEN_PRINCIPAL), (answer) =>
      this.answered(wish, answer),
    );
  }

  private answered(wish: Wish, answer: Answer): void {
    this.world.trace.note(`answer ${JSON.stringify(answer)}`);
    wish.isWaiting = false;
    const message = wish.text === null ? null : this.ledger.messageByText(wish.text);
    if (!answer.ok && answer.unavailable) {
      this.world.counts.add("requests refused by a full disk");
      if (message && !wish.answer)
        this.world.fail(`refused, and yet done: ${JSON.stringify(wish.submission)}`);
      return;
    }
    if (wish.answer && !isDeepStrictEqual(wish.answer, answer))
      this.world.fail(`answered ${JSON.stringify(wish.answer)} and then ${JSON.stringify(answer)}`);
    const isFirst = wish.answer === null;
    wish.answer = answer;
    if (isFirst && answer.ok) this.ledger.checkAnswered(answer.value);
    this.acknowledgedTo = Math.max(this.acknowledgedTo, this.ledger.syncedTo);
    if (!isFirst) return;
    if (!answer.ok) {
      if (message) this.world.fail(`rejected, and yet there: ${JSON.stringify(wish.submission)}`);
      return;
    }
    const { sessionId, messageId } = answer.value;
    if (wish.submission.type === "create") this.sessionIds.push(sessionId);
    if (this.ledger.removedIds.has(sessionId)) return;
    if (!this.ledger.sessions.get(sessionId)?.record)
      this.world.fail(`${sessionId} was granted, and is not there`);
    if (wish.text !== null && message?.messageId !== messageId)
      this.world.fail(`the message ${messageId ?? "?"} was taken, and is not there`);
  }
}

function textIn(submission: Submission): string | null {
  if (submission.type === "request")
    return "text" in submission.request ? (submission.request.text ?? null) : null;
  return submission.type === "create" || submission.type === "route" ? submission.text : null;
}
