/**
 * What the built-in agent and the daemon say to each other: one JSON object per line on the agent's stdin and stdout.
 *
 * The agent tells what happened; the daemon tells what a person or a rule decided. Permission is decided by the daemon
 * alone: every tool call goes out as an `ask` under the call's own id, and its `answer` comes back.
 */
import { z } from "zod";
import type { Json } from "../core/index.js";

const id = z.string().min(1);
const text = z.string();
// The same values; ours cannot be changed.
const json = z.json() as z.ZodType as z.ZodType<Json>;
const count = z.number().int().nonnegative();

/** What a person may want of a suggested command, of running tools, or of the conversation (002, 003). */
export const agentCommandSchema = z.discriminatedUnion("command", [
  z.object({ command: z.literal("execute") }),
  z.object({ command: z.literal("insert") }),
  z.object({ command: z.literal("interrupt_tools") }),
  z.object({ command: z.literal("new") }),
  z.object({ command: z.literal("slash"), name: id, arguments: text.optional() }),
  z.object({ command: z.literal("skill"), name: id, arguments: text.optional() }),
]);
export type AgentCommand = z.infer<typeof agentCommandSchema>;

export const toAgentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("prompt"), messageId: id, text }),
  z.object({
    type: z.literal("answer"),
    askId: id,
    decision: z.enum(["approve", "reject", "reply"]),
    by: z.enum(["user", "rule", "auto"]),
    scope: z.enum(["once", "session", "project", "always"]).optional(),
    /** Why it was rejected, or what was replied. */
    text: text.nullable(),
  }),
  /** Nobody will answer these any more. */
  z.object({ type: z.literal("void"), askIds: z.array(id) }),
  z.object({ type: z.literal("interrupt") }),
  /** Go on where the last turn broke off. */
  z.object({ type: z.literal("continue"), why: z.enum(["resume", "retry"]) }),
  z.object({ type: z.literal("command"), command: agentCommandSchema }),
]);
export type ToAgent = z.infer<typeof toAgentSchema>;

/** What a tool would change, for the person who is asked. */
export const toolPreviewSchema = z.object({
  diff: text.optional(),
  /** The newest lines of a running command. */
  lines: z.array(text).optional(),
  exitCode: z.number().int().nullable().optional(),
});
export type ToolPreview = z.infer<typeof toolPreviewSchema>;

export const fromAgentSchema = z.discriminatedUnion("type", [
  /** It can be spoken to; `sessionId` names its conversation. */
  z.object({ type: z.literal("ready"), sessionId: id, model: text }),
  /** What can be chosen and said beside the conversation, as it is now. */
  z.object({
    type: z.literal("controls"),
    model: text,
    commands: z.array(z.object({ name: id, description: text, hint: text.nullable() })),
    skills: z.array(z.object({ name: id, description: text })),
  }),
  z.object({ type: z.literal("request") }),
  z.object({ type: z.literal("text"), messageId: id, text }),
  z.object({ type: z.literal("thinking"), messageId: id, text }),
  z.object({ type: z.literal("tool_call"), callId: id, name: text, input: json }),
  z.object({ type: z.literal("tool_started"), callId: id, name: text }),
  /** What it shows just now; each replaces the one before. */
  z.object({ type: z.literal("tool_preview"), callId: id, lines: z.array(text) }),
  z.object({
    type: z.literal("tool_result"),
    callId: id,
    isError: z.boolean(),
    content: text,
    /** It never ran. */
    canceled: z.boolean().optional(),
    /** A person or a rule said no. */
    rejected: z.boolean().optional(),
    diff: text.optional(),
  }),
  z.object({
    type: z.literal("ask"),
    askId: id,
    ask: z.enum(["tool", "command", "use_mcp_server", "followup"]),
    title: text,
    detail: text,
    name: text,
    input: json,
  }),
  z.object({ type: z.literal("ask_closed"), askId: id }),
  z.object({
    type: z.literal("usage"),
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    costUsd: z.number().nonnegative().nullable(),
  }),
  z.object({ type: z.literal("retry"), attempt: count, delayMs: count, message: text }),
  z.object({ type: z.literal("hooks_started") }),
  z.object({ type: z.literal("hooks_finished"), ok: z.boolean() }),
  /** A command for the person's own shell (002). */
  z.object({
    type: z.literal("suggestion"),
    command: text,
    description: text,
    danger: z.enum(["low", "medium", "high"]),
    dangerNotes: text.optional(),
    confidence: z.enum(["low", "medium", "high"]).optional(),
    confidenceNotes: text.optional(),
  }),
  /** A dangerous command is run only when it is wanted once more within this time (002). */
  z.object({ type: z.literal("confirm"), command: text, withinMs: count }),
  /** The suggested command is wanted: for whoever is at the prompt, not for us. */
  z.object({
    type: z.literal("exit"),
    action: z.discriminatedUnion("type", [
      z.object({ type: z.literal("execute"), command: text }),
      z.object({ type: z.literal("insert"), command: text }),
      z.object({ type: z.literal("cancel") }),
    ]),
  }),
  /** A command that makes no sense now. */
  z.object({ type: z.literal("refused"), command: text, message: text }),
  /** For the person, not for the model: what a slash command says. `boundary`: what was before is archived. */
  z.object({ type: z.literal("note"), text, boundary: z.literal(true).optional() }),
  z.object({ type: z.literal("interrupted") }),
  z.object({
    type: z.literal("failed"),
    code: z.enum(["api_req_failed", "invalid_model", "payment_required_prompt", "login_required"]),
    message: text,
  }),
  /** The turn is over. */
  z.object({ type: z.literal("done") }),
]);
export type FromAgent = z.infer<typeof fromAgentSchema>;
