import { useEffect, useState, type ReactNode } from "react";
import { useConnection } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import "./connection-banner.css";

/** A daemon that comes back at once is not worth a banner. */
const PATIENCE_MS = 1_200;

export function ConnectionBanner(): ReactNode {
  const { type } = useConnection();
  const store = useStore();
  const isLost = useAfter(type !== "live" && type !== "signed_out", PATIENCE_MS);
  return (
    <div className="connection-banner-place" role="status" aria-live="polite">
      {isLost && (
        <div className="connection-banner">
          <p>
            {type === "connecting"
              ? "The daemon does not answer yet."
              : "Connection lost. You see the last known state; the page continues by itself when the daemon is back."}
          </p>
          <button className="button button-small" onClick={() => store.reconnect()}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}

/** True once it was true for so long. */
function useAfter(condition: boolean, delayMs: number): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!condition) return undefined;
    const timer = setTimeout(() => setLong(true), delayMs);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [condition, delayMs]);
  return condition && isLong;
}
