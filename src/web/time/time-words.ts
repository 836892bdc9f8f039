const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `42s`, `7m 03s`, `3h 20m`, `2d 4h`: two parts at most, and never narrower than before within its kind. */
export function spanWords(spanMs: number): string {
  const ms = Math.max(0, spanMs);
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ${twoDigits((ms % MINUTE_MS) / SECOND_MS)}s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ${twoDigits((ms % HOUR_MS) / MINUTE_MS)}m`;
  return `${Math.floor(ms / DAY_MS)}d ${Math.floor((ms % DAY_MS) / HOUR_MS)}h`;
}

/** `42s`, `7m`, `3h`, `2d`: one part, where there is little room. */
export function shortSpanWords(spanMs: number): string {
  return spanWords(spanMs).split(" ")[0] ?? "";
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

/** `$0.42`, `$12`, `<1¢`. */
export function costWords(costUsd: number): string {
  if (costUsd === 0) return "$0";
  if (costUsd < 0.01) return "<1¢";
  return costUsd < 100 ? `$${costUsd.toFixed(2)}` : `$${Math.round(costUsd)}`;
}

/** `940`, `12.3k`, `4.5M`. */
export function countWords(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 100_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** A time of day, to the second. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}

const SOON_MS = 2 * MINUTE_MS;

/** When something will be, with as much of the date as is needed to know the day. */
export function momentWords(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  const time = atMs - nowMs < SOON_MS ? clockTime(atMs) : clockTime(atMs).slice(0, 5);
  if (at.toDateString() === now.toDateString()) return time;
  const part = (options: Intl.DateTimeFormatOptions) => at.toLocaleDateString("en", options);
  return `${part({ weekday: "short" })} ${part({ day: "numeric" })} ${part({ month: "short" })} ${time}`;
}
