import { createHash } from "node:crypto";

/** Bounds what is remembered; the oldest is forgotten, and must be read again. */
const FILES_MAX = 10_000;

/** Which files the model has seen, and how they were then. */
export class FileMemory {
  private readonly seen = new Map<string, string>();

  /** `path` is absolute and real. */
  remember(path: string, content: string | Buffer): void {
    this.seen.delete(path);
    this.seen.set(path, hashOf(content));
    const [oldest] = this.seen.keys();
    if (this.seen.size > FILES_MAX && oldest !== undefined) this.seen.delete(oldest);
  }

  forget(): void {
    this.seen.clear();
  }

  /** Whether the model knows the file as it is now. */
  state(path: string, content: string | Buffer): "unread" | "stale" | "current" {
    const known = this.seen.get(path);
    if (known === undefined) return "unread";
    return known === hashOf(content) ? "current" : "stale";
  }
}

function hashOf(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}
