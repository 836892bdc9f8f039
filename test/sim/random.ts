/** The only source of chance in a simulation: the same seed gives the same run. The generator is sfc32. */
export class Random {
  private a = 0x9e3779b9;
  private b = 0x243f6a88;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    this.c = seed | 0;
    for (let round = 0; round < 15; round += 1) this.word();
  }

  /** A whole number from 0 up to, not including, `end`. */
  below(end: number): number {
    return Math.floor((this.word() / 2 ** 32) * end);
  }

  /** From `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(share: number): boolean {
    return this.word() / 2 ** 32 < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  /** One of the names, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const names = Object.keys(weights) as K[];
    let left = this.below(names.reduce((sum, name) => sum + weights[name], 0));
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    throw new Error("all weights are zero");
  }

  private word(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
}
