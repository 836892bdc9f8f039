/** `[notify]` of a person's `config.toml`, and what is told. */
import { z } from "zod";
import { statusSchema } from "./state-event.js";

export const NOTIFICATION_TYPES = ["ask", "error", "completed"] as const;

export const notifyConfigSchema = z.strictObject({
  /** What is told: that an agent waits for a person, has failed, or is done. */
  on: z.array(z.enum(NOTIFICATION_TYPES)).default(["ask", "error"]),
  /** By `notify-send` or `osascript`. */
  desktop: z.boolean().default(false),
  /** Of `top` and `run`. */
  bell: z.boolean().default(true),
  /** A program and its arguments; it gets the notification as JSON on its stdin. */
  command: z.array(z.string().min(1)).min(1).max(100).optional(),
  /** Gets the notification as JSON by POST. */
  webhook: z.url({ protocol: /^https?$/ }).optional(),
  /** The same of the same session is not told again so soon. */
  cooldown_s: z.number().min(0).max(86_400).default(10),
});
export type NotifyConfig = z.infer<typeof notifyConfigSchema>;

export const notificationSchema = z.object({
  type: z.enum(NOTIFICATION_TYPES),
  sessionId: z.string(),
  title: z.string(),
  harness: z.string(),
  cwd: z.string(),
  status: statusSchema,
  /** What is asked for, or what went wrong; without secrets, and cut. */
  text: z.string(),
  askId: z.string().nullable(),
  atMs: z.number(),
});
export type Notification = z.infer<typeof notificationSchema>;
