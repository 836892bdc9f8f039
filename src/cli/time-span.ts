const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Roughly how long, in one unit: `3h`. */
export function timeSpan(spanMs: number): string {
  const unit = UNITS.find(([, sizeMs]) => spanMs >= sizeMs);
  return unit === undefined ? "0s" : `${Math.floor(spanMs / unit[1])}${unit[0]}`;
}

/** Roughly how long ago. A clock that was set back does not show. */
export function timeAgo(atMs: number): string {
  return timeSpan(Math.max(0, Date.now() - atMs));
}
