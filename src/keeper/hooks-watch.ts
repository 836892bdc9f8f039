import { type FSWatcher, stat, watch } from "node:fs";

const POLL_MS = 500;

/** Notices how far a file reaches that others append to. */
export class HooksWatch {
  end = 0;
  private watcher: FSWatcher | null = null;
  private pollTimer: NodeJS.Timeout | null = null;
  private looking = false;
  private lookAgain = false;
  private closed = false;

  /** The file must be there. */
  constructor(
    private readonly path: string,
    private readonly onGrown: () => void,
  ) {
    try {
      this.watcher = watch(path, () => this.look());
      this.watcher.on("error", () => this.poll());
    } catch {
      // The system has no more watches to give.
      this.poll();
    }
    // Somebody may have been quicker than the watch.
    this.look();
  }

  look(): void {
    if (this.closed) return;
    this.lookAgain = this.looking;
    if (this.looking) return;
    this.looking = true;
    stat(this.path, (error, found) => {
      this.looking = false;
      if (this.closed) return;
      if (error === null && found.size > this.end) {
        this.end = found.size;
        this.onGrown();
      }
      if (this.lookAgain) this.look();
    });
  }

  close(): void {
    this.closed = true;
    this.watcher?.close();
    if (this.pollTimer !== null) clearInterval(this.pollTimer);
  }

  private poll(): void {
    this.watcher?.close();
    this.watcher = null;
    this.pollTimer ??= setInterval(() => this.look(), POLL_MS);
  }
}
