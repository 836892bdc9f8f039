import type { Client } from "../client/client.js";
import type { EventItem } from "../client/event-item.js";

/**
 * Sends a message and gives what happens from the moment that the agent gets it. The stream is open before the message is
 * sent, so that nothing of the answer is missed.
 */
export async function* answerEvents(
  client: Client,
  sessionId: string,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<EventItem, void, undefined> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  signal.addEventListener("abort", stop, { once: true });
  let onOpen = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    onOpen = resolve;
  });
  const failures: unknown[] = [];
  const sent = opened
    .then(() => client.sendMessage(sessionId, { text }))
    .catch((error: unknown) => {
      failures.push(error);
      stop();
      return null;
    });
  let isTheirs = false;
  try {
    for await (const item of client.events({ session: sessionId, signal: abort.signal, onOpen })) {
      const messageId = (await sent)?.messageId;
      isTheirs ||= isTaken(item, messageId);
      if (isTheirs) yield item;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
  for (const failure of failures) throw failure;
}

/** Until then the agent was busy with somebody else's. */
function isTaken(item: EventItem, messageId: string | undefined): boolean {
  if (item.type !== "event" || item.channel !== "state") return false;
  const { payload } = item.event;
  return payload.type === "message_status" && payload.messageId === messageId && payload.status !== "queued";
}
