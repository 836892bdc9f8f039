import type { Writable } from "node:stream";

const BATCH_LENGTH_MAX = 64 * 1024;

/**
 * Writes many small pieces as a few large ones, and each only when the one before is out: a slow reader makes us wait
 * instead of making us remember.
 */
export class BatchWriter {
  private batch = "";
  private gone = false;

  constructor(private readonly stream: Writable) {
    // Every failure is also told to the write that failed.
    stream.on("error", () => undefined);
  }

  /** Nobody reads any more (`| head -1`): a reason to end, not a fault. */
  get readerIsGone(): boolean {
    return this.gone;
  }

  /** Takes a piece; the promise, when there is one, is to be awaited before the next. */
  write(piece: string): Promise<void> | undefined {
    this.batch += piece;
    return this.batch.length < BATCH_LENGTH_MAX ? undefined : this.flush();
  }

  async flush(): Promise<void> {
    const batch = this.batch;
    this.batch = "";
    if (batch === "" || this.gone) return;
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      this.stream.write(batch, resolve);
    });
    if (!failure) return;
    if (!("code" in failure) || failure.code !== "EPIPE") throw failure;
    this.gone = true;
  }
}
