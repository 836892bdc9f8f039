import type { AnswerAsk } from "../../../protocol/api-schemas.js";
import type { PersonRequest } from "../../../runtime/submission.js";
import type { Handler } from "../call-handler.js";
import { flawed, type Failure } from "../problem.js";
import { partOf } from "../receipt.js";
import { detailOf, inboxOf } from "../summarize.js";
import { writeInbox } from "../written-inbox.js";
import { requestAndShow } from "./session-replies.js";

export const listAsks: Handler<"listAsks"> = (_input, { board }) => {
  const asks = [...board.sessions()]
    .flatMap((record) =>
      inboxOf(record, board.suggest).map((item) => ({ item, ask: detailOf(record, item.askId) })),
    )
    .toSorted(
      ({ item: a }, { item: b }) => a.openedAtMs - b.openedAtMs || (a.sessionId < b.sessionId ? -1 : 1),
    );
  return { ok: true, json: writeInbox(asks) };
};

export const answerAsk: Handler<"answerAsk"> = ({ params, body, receipt, caller }, desk) => {
  const flaw = answerFlaw(body, "");
  return flaw ?? requestAndShow(desk, params.id, requestFor(params.askId, body), receipt, caller.principal);
};

/** One after the other, in the order given. A bad answer spoils the whole request; a refused one only itself. */
export const answerAsks: Handler<"answerAsks"> = async ({ body, receipt, caller }, { board }) => {
  for (const [index, answer] of body.answers.entries()) {
    const flaw = answerFlaw(answer, `answers[${index}].`);
    if (flaw) return flaw;
  }
  const items = [];
  for (const [index, answer] of body.answers.entries()) {
    const { sessionId, askId } = answer;
    const request = requestFor(askId, answer);
    const outcome = await board.submit(
      { type: "request", sessionId, request },
      partOf(receipt, `${index}`),
      caller.principal,
    );
    const why = outcome.ok ? {} : { code: outcome.code, detail: outcome.message };
    items.push({ sessionId, askId, ok: outcome.ok, ...why });
  }
  return { ok: true, value: { items } };
};

type Given = Pick<AnswerAsk, "decision" | "scope" | "message">;

/** What would be left unsaid is refused, so that nobody believes it was said. */
function answerFlaw({ decision, scope, message }: Given, prefix: string): Failure | null {
  if (decision === "approve" && message !== undefined) return flawed(`${prefix}message`, "Only with reject");
  if (decision === "reject" && scope !== undefined && scope !== "once")
    return flawed(`${prefix}scope`, "Only with approve");
  return null;
}

function requestFor(askId: string, { decision, scope, message }: Given): PersonRequest {
  if (decision === "approve")
    return { type: "approve_action", askId, ...(scope === undefined ? {} : { scope }) };
  return { type: "reject_action", askId, ...(message === undefined ? {} : { text: message }) };
}
