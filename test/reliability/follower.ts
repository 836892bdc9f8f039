import { threadFrom, type StreamEvent } from "../../src/core/index.js";
import type { Client } from "../../src/client/index.js";

/** A subscriber that goes from daemon to daemon, and notes whatever comes twice or out of order. */
export class Follower {
  readonly faults: string[] = [];
  private position = 0;
  private readonly events: StreamEvent[] = [];
  private stop: AbortController | null = null;
  private following: Promise<void> = Promise.resolve();

  /** Goes on at the position where it is. */
  attach(client: Client): void {
    const controller = new AbortController();
    this.stop = controller;
    this.following = this.follow(client, controller.signal);
  }

  async detach(): Promise<void> {
    this.stop?.abort();
    await this.following;
  }

  get lastPosition(): number {
    return this.position;
  }

  /** What it has read of a session, as one text. */
  textOf(sessionId: string): string {
    const own = this.events.filter((event) => event.sessionId === sessionId);
    return textOfThread(own);
  }

  private async follow(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const item of client.events({ after: this.position, signal })) {
        if (item.type === "reset") {
          this.faults.push(`reset at ${this.position}`);
          continue;
        }
        if (item.position <= this.position) this.faults.push(`${item.position} after ${this.position}`);
        this.position = item.position;
        if (item.channel === "stream") this.events.push(item.event);
      }
    } catch (error) {
      if (!signal.aborted) this.faults.push(String(error));
    }
  }
}

/** Everything that the agent wrote, in the order of reading. */
export function textOfThread(events: readonly StreamEvent[]): string {
  return threadFrom(events)
    .items.map((item) => (item.type === "assistant_message" ? item.text : ""))
    .join("");
}
