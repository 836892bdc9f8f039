/** A place in a text, as editors count: from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where each line of a text begins, so that many places can be found in a long one. */
export class LineIndex {
  private readonly starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
    this.starts = starts;
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.starts.length;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (this.starts[low] ?? 0) + 1 };
  }
}
