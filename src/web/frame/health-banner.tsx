import { useEffect, useRef, useState, type ReactNode } from "react";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { useClient, useConnection } from "../../react/hooks.js";
import "./connection-banner.css";

const REPEAT_MS = 15_000;

/** What stands in everybody's way, in words; other checks are for `signalbox doctor`. */
const URGENT: ReadonlyMap<string, string> = new Map([
  ["journal", "The journal is damaged"],
  ["disk", "The disk is full"],
  ["keeper", "Agents cannot be reached"],
]);

/** Full disk, silent keeper, damaged journal: said wherever one is on the page. */
export function HealthBanner(): ReactNode {
  const checks = useFailedChecks();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const { style } = document.documentElement;
    // A view that fills the window leaves room for it.
    const measure = new ResizeObserver(() =>
      style.setProperty("--banner-height", `${element.getBoundingClientRect().height}px`),
    );
    measure.observe(element);
    return () => {
      measure.disconnect();
      style.removeProperty("--banner-height");
    };
  }, []);
  return (
    <div ref={place} role="status" aria-live="polite">
      {checks.map(({ name, detail, remedy }) => (
        <div key={name} className="health-banner" data-check={name}>
          <p>
            <strong>{URGENT.get(name) ?? name}.</strong> {sentence(detail)} {remedy ?? ""}
          </p>
        </div>
      ))}
    </div>
  );
}

function useFailedChecks(): readonly HealthCheck[] {
  const client = useClient();
  const isLive = useConnection().type === "live";
  const [checks, setChecks] = useState<readonly HealthCheck[]>([]);
  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false;
    const read = () => {
      client.getHealth({}).then(
        (health) => {
          if (!isOver) setChecks(health.checks.filter(({ ok, name }) => !ok && URGENT.has(name)));
        },
        () => undefined, // The daemon is away, which is said elsewhere; it is asked again.
      );
    };
    read();
    const timer = setInterval(read, REPEAT_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [client, isLive]);
  return checks;
}

function sentence(words: string): string {
  const whole = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
