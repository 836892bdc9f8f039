import type { Status } from "../../core/index.js";
import type { StatusChange } from "../../react/timelines.js";

/** A time in one status. */
export interface Stretch {
  readonly status: Status;
  readonly fromMs: number;
  readonly toMs: number;
}

/** `untilMs` null: the last status is where it ended, and takes no time. */
export function stretchesOf(changes: readonly StatusChange[], untilMs: number | null): readonly Stretch[] {
  return changes.flatMap(({ status, atMs }, index) => {
    const toMs = changes[index + 1]?.atMs ?? Math.max(atMs, untilMs ?? atMs);
    // Before it was started it was nothing.
    return status === "idle" || (toMs === atMs && index < changes.length - 1)
      ? []
      : [{ status, fromMs: atMs, toMs }];
  });
}
