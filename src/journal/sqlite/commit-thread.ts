/**
 * The commit thread's program: what writes to the disk runs here, so that waiting for the disk never stops the daemon's
 * event loop. It is started by `ThreadLink`, with the journal's path.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { JournalError, type JournalErrorCode } from "../journal-error.js";
import { Writer } from "./writer.js";
import type { Write } from "./writes.js";

export type ThreadAction =
  | { readonly type: "commit"; readonly sync: "full" | "normal"; readonly writes: readonly Write[] }
  | { readonly type: "compact"; readonly sessionKey: number; readonly streamId: string }
  | { readonly type: "prune"; readonly receiptsBeforeMs: number; readonly entriesBeforeMs: number | null }
  /** What is in the log goes into the tables, and is on the disk for good. */
  | { readonly type: "empty_log" }
  /** The last one. */
  | { readonly type: "close" };

export interface ThreadCall {
  readonly id: number;
  readonly action: ThreadAction;
}

export interface ThreadReply {
  /** Of the call. The first reply answers the start of the thread. */
  readonly id: number | "opening";
  readonly failure: { readonly code: JournalErrorCode; readonly message: string } | null;
}

/** Until a log that somebody reads in is tried again. */
const ERASE_DELAY_MS = 250;

class CommitThread {
  private isClosing = false;
  private isSweeping = false;
  private isSweepWanted = false;

  constructor(
    private readonly writer: Writer,
    private readonly port: MessagePort,
  ) {}

  async answer({ id, action }: ThreadCall): Promise<void> {
    reply(this.port, id, await failureOf(() => this.act(action)));
    if (action.type === "close") this.port.close();
    else if (action.type === "commit" && action.writes.some(({ statement }) => statement === "removeSession"))
      await this.sweep();
  }

  /** Deletes what removed sessions left. When it cannot, it goes on after the next removal or start. */
  async sweep(): Promise<void> {
    this.isSweepWanted = true;
    if (this.isSweeping) return;
    this.isSweeping = true;
    while (this.isSweepWanted && !this.isClosing) {
      this.isSweepWanted = false;
      await failureOf(() => this.inTurns(this.writer.deleteRemoved()));
    }
    this.isSweeping = false;
    if (this.writer.isEraseOwed && !this.isClosing)
      setTimeout(() => void this.sweep(), ERASE_DELAY_MS).unref();
  }

  private act(action: ThreadAction): void | Promise<void> {
    switch (action.type) {
      case "commit":
        return this.writer.commit(action.sync, action.writes);
      case "compact":
        return this.inTurns(this.writer.compact(action.sessionKey, action.streamId));
      case "prune":
        return this.inTurns(this.writer.deleteBefore(action.receiptsBeforeMs, action.entriesBeforeMs));
      case "empty_log":
        return this.writer.emptyLog();
      case "close":
        this.isClosing = true;
        return this.writer.close();
    }
  }

  /** Takes turns with the calls that come in. */
  private async inTurns(steps: Iterator<void>): Promise<void> {
    while (!steps.next().done) {
      await nextTurn();
      if (this.isClosing) throw new JournalError("closed", "The journal is closed.");
    }
  }
}

/** Failures of the journal are answers; anything else is a fault of the program, and ends the thread. */
async function failureOf(act: () => void | Promise<void>): Promise<ThreadReply["failure"]> {
  try {
    await act();
    return null;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { code: error.code, message: error.message };
  }
}

function reply(port: MessagePort, id: ThreadReply["id"], failure: ThreadReply["failure"]): void {
  port.postMessage({ id, failure } satisfies ThreadReply);
}

/** Without an open journal nothing listens, and the thread ends. */
async function main(port: MessagePort, path: string): Promise<void> {
  const failure = await failureOf(() => {
    const thread = new CommitThread(new Writer(path), port);
    port.on("message", (call: ThreadCall) => void thread.answer(call));
    setImmediate(() => void thread.sweep());
  });
  reply(port, "opening", failure);
}

if (!parentPort) throw new Error("This is the program of a thread, not of a process.");
await main(parentPort, workerData as string);
