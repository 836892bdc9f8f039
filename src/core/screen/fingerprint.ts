/**
 * A short name for a prompt: the same for the same words, however they are wrapped and whichever option is highlighted.
 * Not a secret and no proof: it only tells the prompt that was answered from the next one.
 */
export function fingerprintOf(parts: readonly string[]): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (const part of parts) {
    for (const char of `${part.replace(/\s+/g, "")}\u0000`) {
      const code = char.codePointAt(0) ?? 0;
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code ^ (low >>> 13), 0x85ebca6b);
    }
  }
  return (high >>> 0).toString(16).padStart(8, "0") + (low >>> 0).toString(16).padStart(8, "0");
}
