/**
 * What is said on a terminal's WebSocket. Bytes of the program go as binary frames, everything else as JSON.
 *
 * One client owns the size: the one that asked for it last. When it leaves, the one that asked before it; when nobody is
 * left who asked, the size stays as it is. The others show the terminal in the size that it has.
 */
import { z } from "zod";
import { TERMINAL_SIZE_MAX } from "./keeper-format.js";

/** What a client may send at once: one frame, or the keys of one request. */
export const TERMINAL_INPUT_BYTES_MAX = 64 * 1024;

/** An emulator is never narrower than two columns. */
export const terminalSizeSchema = z.strictObject({
  cols: z.number().int().min(2).max(TERMINAL_SIZE_MAX),
  rows: z.number().int().min(1).max(TERMINAL_SIZE_MAX),
});
export type TerminalSize = Readonly<z.infer<typeof terminalSizeSchema>>;

export const clientFrameSchema = z.union([
  z.strictObject({ input: z.string() }),
  z.strictObject({ resize: terminalSizeSchema }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

const size = { cols: z.number().int(), rows: z.number().int() };

export const serverFrameSchema = z.discriminatedUnion("type", [
  /** Everything before `offset`; binary frames go on from there. Comes first, and again after a client was too slow. */
  z.object({ type: z.literal("snapshot"), ...size, data: z.string(), offset: z.number().int() }),
  /** How large the terminal is, and whether this client is the one that decides it. */
  z.object({ type: z.literal("size"), ...size, owner: z.boolean() }),
  z.object({ type: z.literal("exit"), code: z.number().int().nullable(), signal: z.string().nullable() }),
]);
export type ServerFrame = Readonly<z.infer<typeof serverFrameSchema>>;

/** Why a connection is closed, for its last frame. */
export interface Closing {
  readonly code: number;
  /** At most 123 bytes. */
  readonly reason: string;
}

export const CLOSINGS = {
  ended: { code: 1000, reason: "the program has ended" },
  goingAway: { code: 1001, reason: "the daemon is going away" },
  notJson: { code: 1007, reason: "a frame is not JSON" },
  notAFrame: { code: 1008, reason: 'a frame must be {"input":TEXT} or {"resize":{"cols":N,"rows":N}}' },
  mayNotType: { code: 1008, reason: "typing needs the role operate, and a person: agents may only look" },
  unreadable: { code: 1011, reason: "the terminal cannot be read; the daemon's log has more" },
  notTaken: { code: 1013, reason: "the program does not take input now" },
} as const satisfies Readonly<Record<string, Closing>>;

export function parseClientFrame(text: string): ClientFrame | Closing {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return CLOSINGS.notJson;
  }
  return clientFrameSchema.safeParse(value).data ?? CLOSINGS.notAFrame;
}
