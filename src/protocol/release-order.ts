/** By the numbers of the release; what follows them does not count. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  const index = a.findIndex((number, at) => number !== b[at]);
  return index >= 0 && (a[index] ?? 0) > (b[index] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, major = "0", minor = "0", patch = "0"] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return [major, minor, patch].map(Number);
}
