import type { Slice } from "./slice.js";

const SIZE_BYTES_MAX = 4 * 1024 * 1024;
const SLICES_MAX = 2_048;

/**
 * The newest slices of what everybody is told. A client that is a little behind is served from here, at no cost, instead
 * of from the journal.
 */
export class RecentSlices {
  /** Oldest first. Between one slice and the next there is nothing to tell. */
  #slices: Slice[] = [];
  #sizeBytes = 0;

  push(slices: readonly Slice[]): void {
    for (const slice of slices) {
      this.#slices.push(slice);
      this.#sizeBytes += slice.bytes.length;
    }
    let dropped = 0;
    while (this.#sizeBytes > SIZE_BYTES_MAX || this.#slices.length - dropped > SLICES_MAX) {
      this.#sizeBytes -= this.#slices[dropped]?.bytes.length ?? 0;
      dropped += 1;
    }
    if (dropped > 0) this.#slices.splice(0, dropped);
  }

  clear(): void {
    this.#slices = [];
    this.#sizeBytes = 0;
  }

  /** The slice that tells exactly what comes after `position`, or null where there is none. */
  after(position: number): Slice | null {
    const index = this.#indexAfter(position);
    const slice = this.#slices[index];
    if (!slice || slice.from < position) return null;
    // Before the oldest slice there may have been others.
    return slice.from === position || index > 0 ? slice : null;
  }

  /** The next position after `position` from which slices follow, or null where there is none. */
  edgeAfter(position: number): number | null {
    const slice = this.#slices[this.#indexAfter(position)];
    if (!slice) return null;
    return slice.from > position ? slice.from : slice.to;
  }

  /** Of the first slice that ends after `position`. */
  #indexAfter(position: number): number {
    let low = 0;
    let high = this.#slices.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#slices[middle]?.to ?? Infinity) > position) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
