/** Google's Gemini API: `generateContent` and `streamGenerateContent`. */
import {
  isBody,
  listIn,
  textIn,
  type Body,
  type Conversation,
  type ToolSchema,
  type Utterance,
} from "./conversation.js";
import type { Reply } from "./reply.js";
import { RATE_LIMITED, TOKENS, type Failure, type Frame, type Wire } from "./wire.js";

const PATH = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

export const geminiWire: Wire = {
  name: "gemini",
  matches: (path) => PATH.test(path),
  read,
  whole: (reply) =>
    chunk(reply, [...thoughts(reply), { text: reply.text.join("") }, ...callParts(reply)], "STOP"),
  frames,
  failure,
};

function read(body: Body, path: string): Conversation {
  const [, model = "", call = ""] = PATH.exec(path) ?? [];
  const utterances = listIn(body["contents"]).flatMap(utterancesOf);
  const config = isBody(body["generationConfig"]) ? body["generationConfig"] : {};
  const wantsJson = config["responseMimeType"] === "application/json";
  const answerSchema = (config["responseJsonSchema"] ?? config["responseSchema"] ?? {}) as ToolSchema;
  return {
    model,
    stream: call === "streamGenerateContent",
    utterances,
    tools: listIn(body["tools"])
      .flatMap((group) => listIn(group["functionDeclarations"]))
      .map((tool) => ({
        name: textIn(tool["name"]),
        schema: tool["parametersJsonSchema"] ?? tool["parameters"] ?? {},
        freeform: false,
      })),
    setting: [partsText(body["systemInstruction"]), ...utterances.map(({ text }) => text)].join("\n"),
    ...(wantsJson ? { answerSchema } : {}),
  };
}

function partsText(content: unknown): string {
  const parts = isBody(content) ? listIn(content["parts"]) : [];
  return parts.map((part) => textIn(part["text"])).join("\n");
}

function utterancesOf(content: Body): readonly Utterance[] {
  const role = content["role"] === "model" ? "assistant" : "user";
  return listIn(content["parts"]).flatMap((part): readonly Utterance[] => {
    const result = part["functionResponse"];
    if (isBody(result)) return [{ role: "tool", text: JSON.stringify(result["response"]) }];
    return typeof part["text"] === "string" ? [{ role, text: part["text"] }] : [];
  });
}

const thoughts = ({ think }: Reply): readonly Body[] =>
  think === null ? [] : [{ text: think, thought: true }];

function callParts({ id, calls }: Reply): readonly Body[] {
  return calls.map((call, index) => ({
    // The first call of an answer is signed, and its signature is wanted back.
    ...(index === 0 ? { thoughtSignature: `signed-${id}` } : {}),
    functionCall: {
      id: `call_${id}${index}`,
      name: call.name,
      args: "input" in call ? call.input : { input: call.text },
    },
  }));
}

function chunk({ id, model }: Reply, parts: readonly Body[], finishReason?: "STOP"): Body {
  const candidate = { content: { role: "model", parts }, index: 0 };
  return {
    candidates: [finishReason === undefined ? candidate : { ...candidate, finishReason }],
    usageMetadata: {
      promptTokenCount: TOKENS.input,
      cachedContentTokenCount: TOKENS.cached,
      candidatesTokenCount: TOKENS.output,
      totalTokenCount: TOKENS.input + TOKENS.output,
    },
    modelVersion: model,
    responseId: id,
  };
}

function* frames(reply: Reply): Iterable<Frame> {
  for (const part of thoughts(reply)) yield { data: chunk(reply, [part]), piece: "think" };
  for (const text of reply.text) yield { data: chunk(reply, [{ text }]), piece: "text" };
  const calls = callParts(reply);
  yield { data: chunk(reply, calls.length > 0 ? calls : [{ text: "" }], "STOP") };
}

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function failure({ status, message, retryAfterS }: Failure) {
  const error = { code: status, message, status: STATUSES[status] ?? "INTERNAL" };
  if (status !== RATE_LIMITED) return { headers: {}, body: { error } };
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterS}s` };
  return { headers: { "retry-after": String(retryAfterS) }, body: { error: { ...error, details: [retry] } } };
}
