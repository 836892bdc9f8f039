/** `agent:stream_event`: content from an agent, in one envelope whatever the agent. */
import type { StreamEvent, StreamEventType } from "../core/index.js";
import { z } from "zod";

const TYPES = {
  text_delta: true,
  thinking_delta: true,
  tool_call_delta: true,
  artifact_delta: true,
  tool_call_completed: true,
  completed: true,
  error: true,
  status: true,
  metadata: true,
  user_message: true,
  ask: true,
} as const satisfies Record<StreamEventType, true>;

export const streamEventTypeSchema = z.enum(Object.keys(TYPES) as [StreamEventType, ...StreamEventType[]]);

export const streamEventSchema: z.ZodType<StreamEvent> = z.object({
  schemaVersion: z.literal("1.0"),
  eventId: z.string().min(1),
  sessionId: z.string().min(1),
  harness: z.string().min(1),
  provider: z.string().min(1).exactOptional(),
  streamId: z.string().min(1),
  /** Rises within a stream. */
  seq: z.number().int().nonnegative(),
  timestampMs: z.number(),
  type: streamEventTypeSchema,
  payload: z.record(z.string(), z.json()),
  messageId: z.string().min(1).exactOptional(),
  parentMessageId: z.string().min(1).exactOptional(),
});

export type { StreamEvent, StreamEventType };
