import type { ReactNode } from "react";
import "./line-counts.css";

interface Props {
  readonly total: { readonly added: number; readonly removed: number };
}

/** Lines added and removed; what is none is not shown. */
export function LineCounts({ total: { added, removed } }: Props): ReactNode {
  return (
    <span className="line-counts">
      {added > 0 && <span className="line-added">+{added}</span>}
      {removed > 0 && <span className="line-removed">−{removed}</span>}
    </span>
  );
}
