const LENGTH_MAX = 40;

/** What happened last, for whoever has to understand a failure. */
export class Trace {
  private readonly lines: string[] = [];
  steps = 0;

  constructor(private readonly nowMs: () => number) {}

  note(text: string): void {
    this.steps += 1;
    this.lines.push(`${this.steps} ${this.nowMs()} ${text}`);
    if (this.lines.length > LENGTH_MAX) this.lines.shift();
  }

  get last(): readonly string[] {
    return this.lines;
  }
}

/** Something that must hold does not. */
export class Violation extends Error {
  override readonly name = "Violation";
}
