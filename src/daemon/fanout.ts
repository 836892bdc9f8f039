import type { Bus, Committed } from "../runtime/ports.js";

/** Tells everyone who listens, in the order they came. */
export class Fanout implements Bus {
  private readonly listeners: Bus[] = [];

  add(...listeners: readonly Bus[]): void {
    this.listeners.push(...listeners);
  }

  publish(committed: Committed): void {
    for (const listener of this.listeners) listener.publish(committed);
  }

  synced(): void {
    for (const listener of this.listeners) listener.synced?.();
  }
}
