import type { Journal, Receipt } from "./ports.js";
import type { Answer, ReceiptDraft } from "./submission.js";

/** Requests that carry a `clientId` are carried out once, however often they come, also at the same time. */
export class Receipts {
  private readonly inFlight = new Map<
    string,
    { readonly fingerprint: string; readonly answer: Promise<Answer> }
  >();

  constructor(private readonly journal: Journal) {}

  /** `principal`: whose request it is, by its key. */
  answer(principal: string, draft: ReceiptDraft, carryOut: () => Promise<Answer>): Promise<Answer> {
    const key = JSON.stringify([principal, draft.clientId]);
    const running = this.inFlight.get(key);
    if (running?.fingerprint === draft.fingerprint) return running.answer;
    // Which of the two the id belongs to is known when the first is done: it may itself be the other one.
    const again = (): Promise<Answer> => this.answer(principal, draft, carryOut);
    if (running) return running.answer.then(again, again);
    const answer = this.answerFirst(principal, draft, carryOut).finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, { fingerprint: draft.fingerprint, answer });
    return answer;
  }

  private async answerFirst(
    principal: string,
    draft: ReceiptDraft,
    carryOut: () => Promise<Answer>,
  ): Promise<Answer> {
    const known = await this.journal.readReceipt(principal, draft.clientId);
    if (!known) return carryOut();
    return known.fingerprint === draft.fingerprint ? answerOf(known) : CONFLICT;
  }
}

const CONFLICT: Answer = {
  ok: false,
  code: "conflict",
  message: "This clientId was used for another request.",
};

function answerOf(receipt: Receipt): Answer {
  // We wrote it ourselves, as an answer.
  return JSON.parse(receipt.result) as Answer;
}
