/**
 * Keeps what was used last: at least `count` entries, at most twice as many. In two halves, so that nothing has to be moved
 * when what is in the newer one is used again.
 */
export class RecentMap<V> {
  private newer = new Map<string, V>();
  private older = new Map<string, V>();

  constructor(private readonly count: number) {}

  get(key: string): V | undefined {
    const value = this.newer.get(key);
    if (value !== undefined) return value;
    const old = this.older.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (this.newer.size >= this.count && !this.newer.has(key)) {
      this.older = this.newer;
      this.newer = new Map();
    }
    this.newer.set(key, value);
  }
}
