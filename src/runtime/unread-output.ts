/**
 * What an agent says and no codec can read is kept, so that a newer version of it can be understood; but a program that
 * prints something else for ever must not fill the disk. Of each run only so many such messages are kept. All are counted.
 */
import type { Output } from "./harness.js";

export const UNREAD_KEPT_MAX = 1_000;

const NO_MORE = `More than ${UNREAD_KEPT_MAX} messages of this run could not be read. The others are counted, and not kept.`;

export class UnreadOutput {
  private run = 0;
  private count = 0;

  /** Without what is too much, and at the place where that begins, a word of it. */
  bounded(outputs: readonly Output[], run: number): readonly Output[] {
    if (run !== this.run) [this.run, this.count] = [run, 0];
    return outputs.flatMap((output) => {
      if (output.type !== "stream" || !("unknown" in output.payload)) return [output];
      this.count += 1;
      if (this.count <= UNREAD_KEPT_MAX) return [output];
      return this.count === UNREAD_KEPT_MAX + 1 ? [{ ...output, payload: { problem: NO_MORE } }] : [];
    });
  }
}
