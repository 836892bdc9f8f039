import type { ReactNode } from "react";
import type { Counts } from "./counts.js";

export function CountsLine({
  counts,
  total,
}: {
  readonly counts: Counts;
  readonly total: number;
}): ReactNode {
  return (
    <p className="counts">
      <span>
        <b>{counts.attention - counts.failed}</b> need you
      </span>
      {counts.failed > 0 && (
        <span>
          <b>{counts.failed}</b> failed
        </span>
      )}
      <span>
        <b>{counts.working}</b> working
      </span>
      <span>
        <b>{total}</b> in all
      </span>
    </p>
  );
}
