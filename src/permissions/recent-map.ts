/** Keeps what was used last, up to a number of entries. */
export class RecentMap<V> {
  // A map remembers in which order its keys came.
  private readonly entries = new Map<string, V>();

  constructor(private readonly sizeMax: number) {}

  get(key: string): V | undefined {
    const value = this.entries.get(key);
    if (value === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.sizeMax && oldest !== undefined) this.entries.delete(oldest);
  }
}
