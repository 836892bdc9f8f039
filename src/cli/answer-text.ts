import type { EventItem } from "../client/event-item.js";
import { readPayload } from "../core/thread/payloads.js";

/** What an agent said, as one text. */
export class AnswerText {
  private readonly messages = new Map<string, string>();

  take(item: EventItem): void {
    if (item.type !== "event" || item.channel !== "stream") return;
    const { event } = item;
    const note = event.type === "metadata" ? event.payload["note"] : undefined;
    if (typeof note === "string") this.messages.set(event.eventId, note);
    if (event.type !== "text_delta") return;
    const { text = "", replace } = readPayload("text_delta", event.payload);
    const id = event.messageId ?? event.streamId;
    this.messages.set(id, replace === true ? text : (this.messages.get(id) ?? "") + text);
  }

  get whole(): string {
    return [...this.messages.values()].join("\n\n").trim();
  }
}
