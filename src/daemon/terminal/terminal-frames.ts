/** What is said on a terminal's WebSocket. Bytes of the program go as binary frames, everything else as JSON. */
import type { RawData } from "ws";
import { z } from "zod";
import { TERMINAL_SIZE_MAX } from "../../protocol/keeper-format.js";

/** An emulator is never narrower than two columns. */
export const terminalSizeSchema = z.strictObject({
  cols: z.number().int().min(2).max(TERMINAL_SIZE_MAX),
  rows: z.number().int().min(1).max(TERMINAL_SIZE_MAX),
});
export type TerminalSize = Readonly<z.infer<typeof terminalSizeSchema>>;

const clientFrameSchema = z.union([
  z.strictObject({ input: z.string() }),
  z.strictObject({ resize: terminalSizeSchema }),
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

export type ServerFrame =
  /** Everything before `offset`; binary frames go on from there. Comes first, and again after a client was too slow. */
  | (TerminalSize & { readonly type: "snapshot"; readonly data: string; readonly offset: number })
  /** How large the terminal is, and whether this client is the one that decides it. */
  | (TerminalSize & { readonly type: "size"; readonly owner: boolean })
  | { readonly type: "exit"; readonly code: number | null; readonly signal: string | null };

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
  unreadable: { code: 1011, reason: "the terminal cannot be read; the daemon's log has more" },
  notTaken: { code: 1013, reason: "the program does not take input now" },
} as const satisfies Readonly<Record<string, Closing>>;

export function parseClientFrame(data: RawData, isBinary: boolean): ClientFrame | Closing {
  if (isBinary || !(data instanceof Buffer)) return CLOSINGS.notAFrame;
  let value: unknown;
  try {
    value = JSON.parse(data.toString("utf8"));
  } catch {
    return CLOSINGS.notJson;
  }
  return clientFrameSchema.safeParse(value).data ?? CLOSINGS.notAFrame;
}
