/** Lets in what there is room for; the others wait, in order. */
export class Gate {
  private readonly waiting: { readonly size: number; readonly admit: () => void }[] = [];

  constructor(private room: number) {}

  /** `size` must not be larger than the whole room: it would wait for ever. */
  async enter(size: number): Promise<void> {
    if (this.waiting.length === 0 && size <= this.room) {
      this.room -= size;
      return;
    }
    await new Promise<void>((resolve) => {
      this.waiting.push({ size, admit: resolve });
    });
  }

  leave(size: number): void {
    this.room += size;
    for (let next = this.waiting[0]; next && next.size <= this.room; next = this.waiting[0]) {
      this.waiting.shift();
      this.room -= next.size;
      next.admit();
    }
  }
}
