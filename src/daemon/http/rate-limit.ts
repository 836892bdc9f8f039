/** How often something may happen within a minute, for each of those who do it. */
const WINDOW_MS = 60_000;
/** Whoever comes from ever new addresses gains nothing by it but room for others. */
const KEYS_MAX = 256;

export class RateLimit {
  /** Since when is counted, and how often it was; the one that began first stands first. */
  readonly #counts = new Map<string, { readonly sinceMs: number; count: number }>();

  constructor(
    private readonly max: number,
    private readonly nowMs: () => number,
  ) {}

  /** Whether it may happen (again) now. */
  allows(key = ""): boolean {
    return (this.#current(key)?.count ?? 0) < this.max;
  }

  /** It happened. */
  count(key = ""): void {
    const current = this.#current(key);
    if (current) {
      current.count += 1;
      return;
    }
    this.#counts.set(key, { sinceMs: this.nowMs(), count: 1 });
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= KEYS_MAX) break;
      this.#counts.delete(oldest);
    }
  }

  #current(key: string): { readonly sinceMs: number; count: number } | undefined {
    const found = this.#counts.get(key);
    if (found && this.nowMs() - found.sinceMs < WINDOW_MS) return found;
    this.#counts.delete(key);
    return undefined;
  }
}
