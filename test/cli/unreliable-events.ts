/** A server of events that cuts its connections in every way it can. */
import type { ServerResponse } from "node:http";
import { problem, sse, startEventStream, type Exchange, type Script } from "./scripted-server.js";
import { streamEvent } from "./wire-values.js";

/** The position in the request that the stream is to go on from. */
export function startOf({ line, headers }: Exchange): number {
  const header = headers["last-event-id"];
  return Number(header ?? new URLSearchParams(line.split("?")[1]).get("after") ?? 0);
}

/** The event at a position. */
export const textAt = (position: number) => streamEvent("text_delta", { text: `Zeile ${position} – ✓` });

/** A small generator of numbers below 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const EVENT_COUNT = 300;

/** Answers each connection with what is left, and ends it at a random byte in a random way. */
export function unreliable(random: () => number): Script {
  return (exchange, response) => {
    if (random() < 0.2) return random() < 0.5 ? problem(503, "internal", "busy") : destroyed(response);
    startEventStream(response);
    const start = startOf(exchange);
    const positions = Array.from({ length: EVENT_COUNT - start }, (_, index) => start + index + 1);
    // Some servers repeat what the client has seen.
    const repeated = random() < 0.3 ? [start - 1, start].filter((position) => position > 0) : [];
    const events = [...repeated, ...positions].map((at) => sse("agent:stream_event", textAt(at), at));
    if (random() < 0.3) {
      response.end(events.slice(0, Math.floor(random() * 30)).join("") + sse("lagged", {}));
      return null;
    }
    const bytes = Buffer.from(events.join(""));
    const end = Math.floor(random() * Math.min(bytes.length, 9_000));
    for (let at = 0; at < end;) {
      const next = Math.min(end, at + 1 + Math.floor(random() * 700));
      response.write(bytes.subarray(at, next));
      at = next;
    }
    if (random() < 0.5) response.end();
    else setTimeout(() => response.destroy(), 1);
    return null;
  };
}

export function destroyed(response: ServerResponse): null {
  response.destroy();
  return null;
}
