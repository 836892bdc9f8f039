/**
 * Finds the text deltas of a stream that may be written together.
 *
 * All deltas of a message become one entry in the place of the last, with the whole text. So a reader who resumes before
 * it gets the whole text, whatever part he has seen, and one who resumes after it has seen it all. A message belongs to
 * one stream; `startedSeq` and `startedAtMs` let a replay show it where it began.
 */
import type { StreamEvent } from "../core/index.js";
import { readPayload } from "../core/thread/payloads.js";

/** A longer text stays in pieces. */
export const COMPACTED_LENGTH_MAX = 8 * 1024 * 1024;

/** What of an entry matters here. */
export interface StreamEntry {
  readonly position: number;
  readonly body: string;
}

export interface Compacted {
  readonly rewritten: readonly StreamEntry[];
  readonly removedPositions: readonly number[];
}

/** An event that adds to a text, or the one that ends its stream: what comes after that is shown nowhere. */
export type Writing = StreamEvent & { readonly type: "text_delta" | "thinking_delta" | "completed" };

type Delta = Writing & { readonly type: "text_delta" | "thinking_delta" };

interface Message {
  readonly positions: number[];
  last: Delta;
  text: string;
  tooLong: boolean;
  /** Of the first delta that had text. */
  started: { readonly seq: number; readonly atMs: number } | null;
}

/** The event in a body, when it matters here. */
export function readWriting(body: string): Writing | null {
  // Tells most of the others from them before the costly parse.
  if (!/"(text_delta|thinking_delta|completed)"/.test(body)) return null;
  // What is in the journal was a stream event when it was written.
  const event = JSON.parse(body) as StreamEvent;
  return isWriting(event) ? event : null;
}

/** Takes the events of one stream, from its first, in order. */
export class StreamCompaction {
  private readonly messages = new Map<string, Message>();
  /** Whatever comes now changes nothing. */
  hasEnded = false;

  take(position: number, event: Writing): void {
    if (this.hasEnded) return;
    if (isDelta(event)) this.takeDelta(position, event);
    else this.hasEnded = true;
  }

  finish(): Compacted {
    const rewritten: StreamEntry[] = [];
    const removedPositions: number[] = [];
    for (const { positions, last, text, started } of this.messages.values()) {
      const position = positions.at(-1);
      // A message whose text was taken back is shown as empty; nothing is shown for an empty text alone.
      if (position === undefined || positions.length === 1 || text === "" || !started) continue;
      const payload = { text, replace: true, startedSeq: started.seq, startedAtMs: started.atMs };
      rewritten.push({ position, body: JSON.stringify({ ...last, payload }) });
      for (const other of positions.slice(0, -1)) removedPositions.push(other);
    }
    return { rewritten, removedPositions };
  }

  private takeDelta(position: number, delta: Delta): void {
    const { text, replace, startedSeq, startedAtMs } = readPayload(delta.type, delta.payload);
    // Nobody shows a delta without text, so it stays as it is.
    if (text === undefined) return;
    const message = this.messageOf(delta);
    message.positions.push(position);
    message.last = delta;
    if (replace === true) message.text = "";
    message.tooLong ||= message.text.length + text.length > COMPACTED_LENGTH_MAX;
    message.text = message.tooLong ? "" : message.text + text;
    if (text === "") return;
    // A delta that was compacted before knows better where the message began.
    message.started ??= {
      seq: (replace === true ? startedSeq : undefined) ?? delta.seq,
      atMs: (replace === true ? startedAtMs : undefined) ?? delta.timestampMs,
    };
  }

  private messageOf(delta: Delta): Message {
    const key = `${delta.type} ${delta.messageId ?? delta.streamId}`;
    const known = this.messages.get(key);
    if (known) return known;
    const message = { positions: [], last: delta, text: "", tooLong: false, started: null };
    this.messages.set(key, message);
    return message;
  }
}

function isWriting(event: StreamEvent): event is Writing {
  return event.type === "text_delta" || event.type === "thinking_delta" || event.type === "completed";
}

function isDelta(event: Writing): event is Delta {
  return event.type !== "completed";
}
