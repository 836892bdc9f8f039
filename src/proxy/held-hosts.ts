/** Connections of a run to hosts that are not listed: they wait, those to the same host together, for one answer. */
import type { HeldHost } from "../protocol/proxy-format.js";
import type { Target } from "./policy.js";

export type HeldEnd =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly because: string }
  | { readonly type: "expired" }
  | { readonly type: "full" };

export interface HeldHostsOptions {
  readonly runId: string;
  readonly heldMsMax: number;
  readonly heldMax: number;
  readonly newHeldId: () => string;
  readonly onHeld: (held: HeldHost) => void;
  readonly onGivenUp: (held: HeldHost, why: "expired" | "gone") => void;
  readonly onTurnedAway: (target: Target) => void;
}

interface Question extends HeldHost {
  readonly waiting: Set<(end: HeldEnd) => void>;
  readonly timer: NodeJS.Timeout;
}

/** For so long a refusal holds without another question: agents try again, and again. */
const REFUSAL_MS = 5 * 60_000;
const REFUSALS_MAX = 1_000;

export class HeldHosts {
  private readonly questions = new Map<string, Question>();
  private readonly refusals = new Map<string, { readonly because: string; readonly untilMs: number }>();
  /** Of hosts that were allowed while nobody waited: until when whoever comes first passes. */
  private readonly passes = new Map<string, number>();
  private count = 0;

  constructor(private readonly options: HeldHostsOptions) {}

  /** `gone`: whoever waits has gone; the question stays. Resolves in any case, by the end of its time at the latest. */
  wait(target: Target, gone: AbortSignal): Promise<HeldEnd> {
    const key = keyOf(target);
    const refusal = this.refusals.get(key);
    if (refusal && refusal.untilMs > performance.now())
      return Promise.resolve({ type: "refused", because: refusal.because });
    this.refusals.delete(key);
    const passUntilMs = this.passes.get(key);
    this.passes.delete(key);
    if (passUntilMs !== undefined && passUntilMs > performance.now())
      return Promise.resolve({ type: "allowed" });
    const known = this.questions.get(key);
    const { heldMax } = this.options;
    if (this.count >= heldMax || (!known && this.questions.size >= heldMax)) {
      this.options.onTurnedAway(target);
      return Promise.resolve({ type: "full" });
    }
    const question = known ?? this.ask(target);
    this.count += 1;
    return new Promise((resolve) => {
      const settle = (end: HeldEnd): void => {
        gone.removeEventListener("abort", left);
        this.count -= 1;
        resolve(end);
      };
      const left = (): void => {
        // Its question stays: agents give up soon and try again, and people need longer to answer.
        question.waiting.delete(settle);
        settle({ type: "expired" });
      };
      question.waiting.add(settle);
      gone.addEventListener("abort", left, { once: true });
      if (gone.aborted) left();
    });
  }

  /** False: it is not asked any more. */
  answer(heldId: string, allow: boolean, because: string): boolean {
    const question = [...this.questions.values()].find((each) => each.heldId === heldId);
    if (!question) return false;
    if (allow && question.waiting.size === 0) {
      const [oldest] = this.passes.keys();
      if (this.passes.size >= this.options.heldMax && oldest !== undefined) this.passes.delete(oldest);
      this.passes.set(keyOf(question), performance.now() + this.options.heldMsMax);
    }
    if (!allow) {
      const [oldest] = this.refusals.keys();
      if (this.refusals.size >= REFUSALS_MAX && oldest !== undefined) this.refusals.delete(oldest);
      this.refusals.set(keyOf(question), { because, untilMs: performance.now() + REFUSAL_MS });
    }
    this.end(question, allow ? { type: "allowed" } : { type: "refused", because });
    return true;
  }

  /** The list is another one: who is on it goes on. What was refused was another host, or is on the list now. */
  reconsider(isAllowed: (target: Target) => boolean): void {
    for (const question of [...this.questions.values()])
      if (isAllowed(question)) {
        this.end(question, { type: "allowed" });
        this.options.onGivenUp(plain(question), "gone");
      }
  }

  get held(): readonly HeldHost[] {
    return [...this.questions.values()].map(plain);
  }

  /** The run has ended. */
  close(): void {
    for (const question of [...this.questions.values()]) this.end(question, { type: "expired" });
  }

  private ask(target: Target): Question {
    const { runId, heldMsMax, newHeldId, onHeld } = this.options;
    const question: Question = {
      ...{ runId, heldId: newHeldId(), host: target.host, port: target.port },
      waiting: new Set(),
      timer: setTimeout(() => this.expire(question), heldMsMax),
    };
    this.questions.set(keyOf(target), question);
    onHeld(plain(question));
    return question;
  }

  private expire(question: Question): void {
    this.end(question, { type: "expired" });
    this.options.onGivenUp(plain(question), "expired");
  }

  private end(question: Question, end: HeldEnd): void {
    clearTimeout(question.timer);
    this.questions.delete(keyOf(question));
    for (const settle of [...question.waiting]) settle(end);
    question.waiting.clear();
  }
}

function keyOf({ host, port }: Target): string {
  return `${host} ${port}`;
}

function plain({ runId, heldId, host, port }: HeldHost): HeldHost {
  return { runId, heldId, host, port };
}
