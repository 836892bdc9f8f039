import type { ReactNode } from "react";

/** A signal with three lamps, the lowest lit. */
export function Mark(): ReactNode {
  return (
    <svg className="mark" viewBox="0 0 16 24" width="12" height="18" aria-hidden="true">
      <rect x="1" y="0.5" width="14" height="23" rx="7" className="mark-case" />
      <circle cx="8" cy="6.5" r="2.6" className="mark-lamp" />
      <circle cx="8" cy="12" r="2.6" className="mark-lamp" />
      <circle cx="8" cy="17.5" r="2.6" className="mark-lamp mark-lit" />
    </svg>
  );
}
