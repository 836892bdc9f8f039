/** A text that may be endless: its beginning and its end are kept, and how much is missing between them. */
export class BoundedText {
  private head = "";
  private tail = "";
  private lost = 0;

  constructor(private readonly lengthMax: number) {}

  add(text: string): void {
    const half = Math.floor(this.lengthMax / 2);
    const room = half - this.head.length;
    if (room > 0) this.head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === "") return;
    this.tail += rest;
    // Cut now and then, not with every piece.
    if (this.tail.length > 2 * half) this.cut(half);
  }

  text(): string {
    this.cut(Math.floor(this.lengthMax / 2));
    return this.lost > 0
      ? `${this.head}\n[${this.lost} characters left out]\n${this.tail}`
      : this.head + this.tail;
  }

  private cut(length: number): void {
    const excess = this.tail.length - length;
    if (excess <= 0) return;
    this.tail = this.tail.slice(excess);
    this.lost += excess;
  }
}
