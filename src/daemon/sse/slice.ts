/** Events as the bytes that clients get. Built once, and the same bytes are written to every client. */
import type { WorkspaceChange } from "../../protocol/workspace.js";
import type { HealthReport } from "../../protocol/api-schemas.js";
import { SSE_EVENTS } from "../../protocol/sse.js";
import type { Entry } from "../../runtime/ports.js";

/** Small enough that a client that cannot take one costs little, large enough that a write is worth its call. */
const SLICE_LENGTH = 128 * 1024;

export interface Slice {
  /** All that is told of the positions after `from`, up to and with `to`. */
  readonly from: number;
  readonly to: number;
  readonly bytes: Buffer;
  /** How many events it has. */
  readonly events: number;
}

/** Requests and facts are the daemon's own business. */
export function isTold(entry: Entry): boolean {
  return entry.kind === "stream" || entry.kind === "state";
}

export const TOLD_KINDS = ["stream", "state"] as const;

/** The slices that tell `entries`, all of them told ones; what else lies between `from` and `to` is not told. */
export function slicesOf(entries: readonly Entry[], from: number, to: number): readonly Slice[] {
  const slices: Slice[] = [];
  let text = "";
  let events = 0;
  let sliceFrom = from;
  for (const entry of entries) {
    text += frame(entry);
    events += 1;
    if (text.length < SLICE_LENGTH) continue;
    slices.push({ from: sliceFrom, to: entry.position, bytes: Buffer.from(text), events });
    sliceFrom = entry.position;
    text = "";
    events = 0;
  }
  if (events > 0) slices.push({ from: sliceFrom, to, bytes: Buffer.from(text), events });
  return slices;
}

/** The body is one line of JSON, and stays as it is, byte for byte. */
function frame({ position, kind, body }: Entry): string {
  const name = kind === "stream" ? SSE_EVENTS.stream : SSE_EVENTS.state;
  return `id: ${position}\nevent: ${name}\ndata: ${body}\n\n`;
}

/** Sets the client's position without an event, so that it can resume even if it is cut off before the first one. */
export function openingFrame(position: number): string {
  return `: connected\nretry: 1000\nid: ${position}\n\n`;
}

/** It stands outside of the journal, and leaves the client's position alone. */
export function healthFrame(report: HealthReport): string {
  return `event: ${SSE_EVENTS.health}\ndata: ${JSON.stringify(report)}\n\n`;
}

/** The same of a workspace. */
export function workspaceFrame(change: WorkspaceChange): string {
  return `event: ${SSE_EVENTS.workspace}\ndata: ${JSON.stringify(change)}\n\n`;
}

export function noticeFrame(event: "reset" | "lagged", position: number): string {
  return `id: ${position}\nevent: ${SSE_EVENTS[event]}\ndata: {"position":${position}}\n\n`;
}
