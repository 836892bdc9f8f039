/** How often each thing happened: a simulation without crashes would prove nothing about them. */
export class Counts {
  private readonly byName = new Map<string, number>();

  add(name: string, more = 1): void {
    this.byName.set(name, this.of(name) + more);
  }

  of(name: string): number {
    return this.byName.get(name) ?? 0;
  }

  merge(other: Counts): void {
    for (const [name, count] of other.byName) this.add(name, count);
  }

  toString(): string {
    const sorted = [...this.byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return sorted.map(([name, count]) => `${name}: ${count}`).join(", ");
  }
}
