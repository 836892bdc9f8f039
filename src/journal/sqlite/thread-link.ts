/** The way to the commit thread: every call is answered once, also when the thread dies. */
import { Worker } from "node:worker_threads";
import { JournalError } from "../journal-error.js";
import type { ThreadAction, ThreadCall, ThreadReply } from "./commit-thread.js";

interface Pending {
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

export class ThreadLink {
  private readonly pending = new Map<ThreadReply["id"], Pending>();
  private readonly thread: Worker;
  private lastId = 0;
  private hasEnded = false;
  private deathReason = "The journal is closed.";
  /** Settles with the thread's end, however it comes. */
  readonly ended: Promise<void>;

  private constructor(script: URL, journalPath: string) {
    // The flags of this process are not meant for it.
    this.thread = new Worker(script, { workerData: journalPath, execArgv: [] });
    this.ended = new Promise((resolve) => void this.thread.once("exit", () => resolve()));
    this.thread.on("message", (reply: ThreadReply) => this.settle(reply));
    this.thread.on("error", (error) => {
      this.deathReason = `The journal's commit thread died: ${error instanceof Error ? error.message : String(error)}`;
    });
    this.thread.once("exit", () => this.end());
  }

  /** Resolves when the thread has the journal open. */
  static async start(script: URL, journalPath: string): Promise<ThreadLink> {
    const link = new ThreadLink(script, journalPath);
    await new Promise<void>((resolve, reject) => void link.pending.set("opening", { resolve, reject }));
    return link;
  }

  call(action: ThreadAction): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.hasEnded) throw new JournalError("closed", this.deathReason);
      this.lastId += 1;
      this.thread.postMessage({ id: this.lastId, action } satisfies ThreadCall);
      this.pending.set(this.lastId, { resolve, reject });
    });
  }

  private settle({ id, failure }: ThreadReply): void {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (failure) pending?.reject(new JournalError(failure.code, failure.message));
    else pending?.resolve();
  }

  private end(): void {
    this.hasEnded = true;
    for (const { reject } of this.pending.values()) reject(new JournalError("closed", this.deathReason));
    this.pending.clear();
  }
}
