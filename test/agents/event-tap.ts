/** Everything that the daemon told, by session, in order, and a way to wait for what comes next. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/index.js";
import type { EventItem } from "../../src/client/event-item.js";

export type Told = Extract<EventItem, { readonly type: "event" }> & {
  /** When it reached us. */
  readonly atMs: number;
};

const OPEN_MAX_MS = 10_000;

export class EventTap {
  private readonly told = new Map<string, Told[]>();
  private readonly listeners = new Set<() => void>();
  private abort = new AbortController();
  private reading: Promise<void> = Promise.resolve();
  private position: number | null = null;

  /** Resolves when nothing can be missed any more. */
  async attach(client: Client): Promise<void> {
    this.abort = new AbortController();
    const { signal } = this.abort;
    const opened = new Promise<string>((resolve) => {
      this.reading = this.read(client, signal, () => resolve("open"));
    });
    const late = sleep(OPEN_MAX_MS, "late", { ref: false });
    const outcome = await Promise.race([opened, this.reading, late]);
    if (outcome !== "open") throw new Error("no stream of events");
  }

  async detach(): Promise<void> {
    this.abort.abort();
    await this.reading;
  }

  of(sessionId: string): readonly Told[] {
    return this.told.get(sessionId) ?? [];
  }

  /** Of every session. */
  all(): readonly Told[] {
    return [...this.told.values()].flat();
  }

  /** Resolves after something more was told; rejects when `signal` is aborted. */
  async more(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => {
        this.listeners.delete(listener);
        signal.removeEventListener("abort", onAbort);
        act();
      };
      const listener = () => settle(resolve);
      const onAbort = () => settle(() => reject(signal.reason as Error));
      this.listeners.add(listener);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    });
  }

  private async read(client: Client, signal: AbortSignal, onOpen: () => void): Promise<void> {
    const after = this.position === null ? {} : { after: this.position };
    for await (const item of client.events({ ...after, signal, onOpen })) {
      if (item.type === "reset") throw new Error("the journal lost its end");
      this.position = item.position;
      const { sessionId } = item.event;
      const list = this.told.get(sessionId) ?? [];
      this.told.set(sessionId, list);
      list.push({ ...item, atMs: Date.now() });
      for (const listener of [...this.listeners]) listener();
    }
  }
}
