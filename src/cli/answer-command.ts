import type { AnswerAsk } from "../protocol/api-schemas.js";
import { chooseApproval } from "./ask-choice.js";
import { openClient } from "./client-options.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { personOnly } from "./person-only.js";
import { clipped, visibleLine } from "./plain-text.js";
import { print, printJson } from "./print.js";

interface AnswerValues {
  readonly json?: boolean | undefined;
  readonly "data-dir"?: string | undefined;
  readonly ask?: string | undefined;
}

/** Answers one approval and says which one it was. */
export async function answerApproval(
  values: AnswerValues,
  sessionId: string | undefined,
  answer: AnswerAsk,
): Promise<ExitCode> {
  personOnly("answering an approval");
  const client = await openClient(values);
  const item = await chooseApproval(client, sessionId, values.ask);
  const session = await client.answerAsk(item.sessionId, item.askId, answer);
  const done = answer.decision === "approve" ? "approved" : "rejected";
  if (values.json) await printJson(session);
  else await print(`${done} ${item.ask} in ${item.sessionId}: ${clipped(visibleLine(item.title), 200)}\n`);
  return EXIT.ok;
}
