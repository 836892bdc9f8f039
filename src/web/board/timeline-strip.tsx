import { memo, type ReactNode } from "react";
import { STATUS_WORDS, type Status } from "../../core/index.js";
import type { StatusChange } from "../../react/timelines.js";
import { useNowMs } from "../time/now.js";
import { spanWords } from "../time/time-words.js";
import { stretchesOf, type Stretch } from "./stretches.js";
import "./timeline-strip.css";

interface Props {
  readonly changes: readonly StatusChange[];
  /** The last status still goes on. */
  readonly isActive: boolean;
}

const WIDTH = 120;
const SPAN_MIN_MS = 30_000;
const STEP_S = 5;

/** In which status the session was for how long, from the left to now. */
export const TimelineStrip = memo(function TimelineStrip({ changes, isActive }: Props): ReactNode {
  const nowMs = useNowMs(STEP_S);
  const stretches = stretchesOf(changes, isActive ? nowMs : null);
  const first = stretches[0];
  const last = stretches.at(-1);
  if (!first || !last) return <span className="strip" />;
  const spanMs = Math.max(SPAN_MIN_MS, last.toMs - first.fromMs);
  const x = (ms: number) => ((ms - first.fromMs) / spanMs) * WIDTH;
  return (
    <svg
      className="strip"
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      role="img"
      aria-label={wordsFor(stretches)}
    >
      {stretches.map(({ status, fromMs, toMs }) => (
        <rect
          key={fromMs}
          className="strip-part"
          data-status={status}
          x={x(fromMs)}
          y={0}
          width={Math.max(1, x(toMs) - x(fromMs))}
          height={8}
        />
      ))}
    </svg>
  );
});

function wordsFor(stretches: readonly Stretch[]): string {
  const sums = new Map<Status, number>();
  for (const { status, fromMs, toMs } of stretches) sums.set(status, (sums.get(status) ?? 0) + toMs - fromMs);
  const parts = [...sums].map(([status, ms]) => `${STATUS_WORDS[status]} ${spanWords(ms)}`);
  return `Lately: ${parts.join(", ")}`;
}
