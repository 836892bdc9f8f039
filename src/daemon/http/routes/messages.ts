import type { z } from "zod";
import type { FileReference, sendMessageBody } from "../../../protocol/api-schemas.js";
import type { MessageStatus } from "../../../protocol/state-event.js";
import type { Answer, MessageRequest, ResendRequest } from "../../../runtime/submission.js";
import type { Handler } from "../call-handler.js";
import { flawed, type Failure } from "../problem.js";

export const sendMessage: Handler<"sendMessage"> = async (
  { params, body, receipt, caller },
  { board, changes },
) => {
  const request = messageRequest(body);
  if (request === null) return flawed("text", "Either a text or a message to resend is needed");
  const note = isForAgent(request) && board.session(params.id) ? await changes?.noteFor(params.id) : null;
  const noted =
    request.type === "send_message" && note ? { ...request, text: `${note}\n\n${request.text}` } : request;
  const sent = acceptedMessage(
    await board.submit({ type: "request", sessionId: params.id, request: noted }, receipt, caller.principal),
  );
  if (!sent.ok) return sent;
  if (noted !== request) await changes?.forgetNote(params.id);
  const { messageId, status } = sent.value;
  return { ok: true, value: { messageId, status } };
};

/** A command of its own, and an answer, must stand alone. */
function isForAgent(request: MessageRequest | ResendRequest): boolean {
  return request.type === "send_message" && request.askId === undefined && !/^\s*[/!]/.test(request.text);
}

function messageRequest(body: z.output<typeof sendMessageBody>): MessageRequest | ResendRequest | null {
  const { text, resend, unlessAsked = false, askId, force } = body;
  const how = {
    unlessAsked,
    ...(askId === undefined ? {} : { askId }),
    ...(force === undefined ? {} : { force }),
  };
  if (text !== undefined && resend === undefined) return { type: "send_message", text, ...how };
  if (resend === undefined || text !== undefined) return null;
  return { type: "resend_message", messageId: resend, ...how };
}

export const dropMessage: Handler<"dropMessage"> = async ({ params, caller }, { board }) => {
  const request = { type: "drop_message", messageId: params.messageId } as const;
  const answer = await board.submit(
    { type: "request", sessionId: params.id, request },
    null,
    caller.principal,
  );
  return answer.ok ? { ok: true, value: null } : answer;
};

export const routeMessage: Handler<"routeMessage"> = async ({ body, receipt, caller }, { board }) => {
  const files = body.files ?? [];
  const flaw = fileFlaw(files);
  if (flaw) return flaw;
  const text = [body.text, ...files.map(referenceTo)].join("\n");
  const sessionId = body.sessionId ?? null;
  const { fallback } = body;
  const how = fallback === undefined ? {} : { fallback };
  return acceptedMessage(
    await board.submit({ type: "route", sessionId, text, ...how }, receipt, caller.principal),
  );
};

interface Accepted {
  readonly sessionId: string;
  readonly messageId: string;
  readonly status: MessageStatus;
}

export function acceptedMessage(answer: Answer): { readonly ok: true; readonly value: Accepted } | Failure {
  if (!answer.ok) return answer;
  const { sessionId, messageId, messageStatus } = answer.value;
  if (messageId === undefined || messageStatus === undefined)
    throw new Error("an accepted message has an id and a status");
  return { ok: true, value: { sessionId, messageId, status: messageStatus } };
}

/** A reference is one line of the message. */
function fileFlaw(files: readonly FileReference[]): Failure | null {
  for (const [index, { path, startLine, endLine }] of files.entries()) {
    if (/[\r\n]/.test(path)) return flawed(`files[${index}].path`, "Has a line break");
    if (endLine === undefined) continue;
    if (startLine === undefined) return flawed(`files[${index}].startLine`, "Needed with endLine");
    if (endLine < startLine) return flawed(`files[${index}].endLine`, "Before startLine");
  }
  return null;
}

/** `@path`, `@path#L5` or `@path#L1-L5`. */
function referenceTo({ path, startLine, endLine }: FileReference): string {
  if (startLine === undefined) return `@${path}`;
  const isOneLine = endLine === undefined || endLine === startLine;
  return `@${path}#L${startLine}${isOneLine ? "" : `-L${endLine}`}`;
}
