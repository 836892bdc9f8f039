/** What the scripted agent and its codec say to each other: one JSON object per line, each numbered, so that a line that is missing or repeated is seen on either side. */
import { z } from "zod";

const n = z.number().int().positive();
const text = z.string();
const id = z.string().min(1);

export const agentLineSchema = z.discriminatedUnion("type", [
  z.object({ n, type: z.literal("ready"), sessionId: id }),
  /** It has started to ask its model. */
  z.object({ n, type: z.literal("request") }),
  z.object({ n, type: z.literal("text"), text, messageId: id.optional() }),
  z.object({ n, type: z.literal("thinking"), text }),
  z.object({ n, type: z.literal("tool"), callId: id, name: text, input: z.json().optional() }),
  z.object({ n, type: z.literal("tool_done"), callId: id, ok: z.boolean(), output: text.optional() }),
  z.object({
    n,
    type: z.literal("ask"),
    askId: id,
    ask: z.enum(["tool", "command", "browser_action_launch", "use_mcp_server", "followup"]),
    title: text.optional(),
    detail: text.optional(),
    /** The call that it is about; without it, one named like the ask, with the detail as its input. */
    tool: z.object({ name: text, input: z.json() }).optional(),
    partial: z.boolean().optional(),
  }),
  z.object({ n, type: z.literal("ask_closed"), askId: id }),
  z.object({
    n,
    type: z.literal("usage"),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number().optional(),
  }),
  z.object({ n, type: z.literal("retry"), attempt: z.number().int(), atMs: z.number() }),
  z.object({ n, type: z.literal("background"), count: z.number().int().nonnegative() }),
  z.object({ n, type: z.literal("interrupted") }),
  z.object({ n, type: z.literal("stream_error"), message: text, recoverable: z.boolean() }),
  z.object({
    n,
    type: z.literal("fail"),
    code: z.enum(["api_req_failed", "mistake_limit_reached", "invalid_model", "payment_required_prompt"]),
    message: text,
  }),
  z.object({ n, type: z.literal("done") }),
  /** A line of ours did not come, or came twice. */
  z.object({ n, type: z.literal("stdin_fault"), expected: z.number(), got: z.number() }),
]);
export type AgentLine = z.infer<typeof agentLineSchema>;

type Numbered<T> = T & { readonly n: number };

/** What the agent is told. */
export type ToldLine = Numbered<
  | { readonly type: "prompt"; readonly text: string }
  | {
      readonly type: "answer";
      readonly askId: string;
      readonly decision: "approve" | "reject" | "reply";
      readonly text: string | null;
    }
  | { readonly type: "void"; readonly askIds: readonly string[] }
  | { readonly type: "interrupt" }
  | { readonly type: "continue" }
>;
