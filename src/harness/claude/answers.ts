/** What Claude is answered when it waits for a person. */
import type { Json, SessionEffect } from "../../core/index.js";
import type { Encoded } from "../../runtime/harness.js";
import { REQUESTS_MAX, toJson, type ClaudeState, type OpenRequest } from "./claude-state.js";
import { elicitationAnswer } from "./elicitation.js";
import { answersFrom, questionsIn } from "./questions.js";
import { refusalOf } from "./requests.js";
import { responseLine } from "./told-line.js";
import { objectOf } from "./wire-object.js";

type AnswerAsk = Extract<SessionEffect, { readonly type: "answer_ask" }>;

const REFUSALS = {
  user: "The person does not want this to be done.",
  rule: "A permission rule of Signalbox denies this.",
  wall: "The wall of Signalbox does not let this be done.",
  auto: "Signalbox does not want this to be done.",
} as const satisfies Record<AnswerAsk["by"], string>;

export function encodeAnswer(state: ClaudeState, effect: AnswerAsk, text: string | null): Encoded {
  const { askId } = effect;
  const request = state.requests.find((open) => open.askId === askId);
  if (!request)
    return { state: toJson(state), writes: [], failure: "Claude Code no longer waits for this answer" };
  const { callId } = request;
  const rejected = effect.decision === "reject" ? { rejected: true as const } : {};
  const answered = callId === null ? state.answered : [...state.answered, { askId, callId, ...rejected }];
  const next: ClaudeState = {
    ...state,
    requests: state.requests.filter((open) => open !== request),
    answered: answered.slice(-REQUESTS_MAX),
  };
  return { state: toJson(next), writes: [responseLine(askId, answerOf(request, effect, text))] };
}

function answerOf(request: OpenRequest, { decision, by }: AnswerAsk, text: string | null): Json {
  const { kind, input } = request;
  if (decision === "approve" && kind === "tool") return allow(input);
  if (decision === "reply" && text !== null) {
    const questions = questionsIn(input);
    if (kind === "elicitation") return elicitationAnswer(objectOf(input) ?? {}, text);
    if (questions.length > 0) return allow({ ...objectOf(input), answers: answersFrom(questions, text) });
  }
  return refusalOf(request, text ?? REFUSALS[by]);
}

/** Without an input, Claude takes the one that it asked about. */
function allow(input: Json): Json {
  return { behavior: "allow", ...(input === null ? {} : { updatedInput: input }) };
}

/** Nobody will answer any more. What Claude withdrew itself is not among the open ones. */
export function encodeVoid(state: ClaudeState, askIds: readonly string[]): Encoded {
  const isVoid = ({ askId }: OpenRequest) => askIds.includes(askId);
  const writes = state.requests
    .filter(isVoid)
    .map((request) => responseLine(request.askId, refusalOf(request, "Nobody answered this.")));
  const requests = state.requests.filter((request) => !isVoid(request));
  return { state: writes.length === 0 ? toJson(state) : toJson({ ...state, requests }), writes };
}
