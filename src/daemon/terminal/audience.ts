import type { RunExit } from "../../protocol/keeper.js";
import type { Closing, TerminalSize } from "../../protocol/terminal-frames.js";
import type { Snapshot } from "../../terminal/emulator/emulator.js";
import type { TerminalClient } from "./terminal-client.js";

/** Who looks at a terminal, and which of them decides its size: the one that asked for it last. */
export class Audience {
  readonly clients = new Set<TerminalClient>();
  /** Those who asked for a size, the newest last. */
  private askers: TerminalClient[] = [];

  add(client: TerminalClient): void {
    this.clients.add(client);
  }

  /** Whoever asked before the one that left decides from now on; the size itself stays. */
  remove(client: TerminalClient, size: TerminalSize | null): void {
    const wasOwner = this.isOwner(client);
    this.clients.delete(client);
    this.askers = this.askers.filter((asker) => asker !== client);
    const owner = this.askers.at(-1);
    if (wasOwner && owner && size) owner.sendSize(size, true);
  }

  isOwner(client: TerminalClient): boolean {
    return this.askers.at(-1) === client;
  }

  /** The client asks for a size, and is given the say about it. */
  claim(client: TerminalClient): void {
    this.askers = [...this.askers.filter((asker) => asker !== client), client];
  }

  get hasNewcomers(): boolean {
    return [...this.clients].some((client) => client.wantsSnapshot);
  }

  greet(snapshot: () => Snapshot): void {
    const newcomers = [...this.clients].filter((client) => client.wantsSnapshot);
    if (newcomers.length === 0) return;
    const shown = snapshot();
    for (const client of newcomers) client.sendSnapshot(shown, this.isOwner(client));
  }

  sendBytes(bytes: Buffer): void {
    for (const client of this.clients) client.sendBytes(bytes);
  }

  sendSize(size: TerminalSize): void {
    for (const client of this.clients) client.sendSize(size, this.isOwner(client));
  }

  fallBehind(): void {
    for (const client of this.clients) client.fallBehind();
  }

  sendExit(exit: RunExit, last: () => Snapshot | null): void {
    for (const client of this.clients) client.sendExit(exit, last);
  }

  close(closing: Closing): void {
    for (const client of this.clients) client.close(closing);
  }
}
