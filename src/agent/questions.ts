import type { FromAgent } from "../protocol/agent-wire.js";

/** Questions to the person that are open; each is answered once, or withdrawn. */
export class Questions {
  private readonly open = new Map<string, (reply: string | null) => void>();
  private count = 0;

  constructor(private readonly write: (line: FromAgent) => void) {}

  get isAsking(): boolean {
    return this.open.size > 0;
  }

  ask(question: string, detail: string, signal: AbortSignal): Promise<string | null> {
    this.count += 1;
    const askId = `question-${process.pid}-${this.count}`;
    const tool = { name: "ask_user", input: { question } };
    this.write({ type: "ask", askId, ask: "followup", title: question, detail, ...tool });
    return new Promise((resolve) => {
      const withdraw = (): void => {
        if (this.answer(askId, null)) this.write({ type: "ask_closed", askId });
      };
      this.open.set(askId, (reply) => {
        signal.removeEventListener("abort", withdraw);
        resolve(reply);
      });
      signal.addEventListener("abort", withdraw, { once: true });
      if (signal.aborted) withdraw();
    });
  }

  /** False when no such question is open. */
  answer(askId: string, reply: string | null): boolean {
    const resolve = this.open.get(askId);
    this.open.delete(askId);
    resolve?.(reply);
    return resolve !== undefined;
  }
}
