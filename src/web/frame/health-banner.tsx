import { useEffect, useRef, useState, type ReactNode } from "react";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { useClient, useConnection, useHealth } from "../../react/hooks.js";
import "./connection-banner.css";

const REPEAT_MS = 15_000;

/** What stands in everybody's way when it is wrong; other checks are for `signalbox doctor`. */
const URGENT: ReadonlySet<string> = new Set(["journal", "disk", "keeper", "wall"]);
/** What is worth knowing once also when it is no fault. */
const NOTED: ReadonlySet<string> = new Set(["journal"]);

function isSaid({ name, ok, heading }: HealthCheck): boolean {
  return ok ? heading !== undefined && NOTED.has(name) : URGENT.has(name);
}

/** Full disk, silent keeper, damaged journal, no wall: said wherever one is on the page. A note can be put away. */
export function HealthBanner(): ReactNode {
  const [putAway, setPutAway] = useState<ReadonlySet<string>>(new Set());
  const checks = useSaidChecks().filter(({ ok, detail }) => !ok || !putAway.has(detail));
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
      {checks.map((check) => (
        <div key={check.name} className="health-banner" data-check={check.name} data-ok={check.ok}>
          <p>
            <strong>{check.heading ?? check.name}.</strong> {sentence(check.detail)} {check.remedy ?? ""}
          </p>
          {check.ok && (
            <button
              type="button"
              className="button button-small"
              onClick={() => setPutAway((before) => new Set([...before, check.detail]))}
            >
              Dismiss
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

/** What is wrong is told by the stream at once; the rest is asked for, and again when that changes. */
function useSaidChecks(): readonly HealthCheck[] {
  const client = useClient();
  const told = useHealth();
  const isLive = useConnection().type === "live";
  const [checks, setChecks] = useState<readonly HealthCheck[]>([]);
  useEffect(() => {
    if (!isLive) return undefined;
    let isOver = false;
    const read = () => {
      client.getHealth({}).then(
        (health) => {
          if (!isOver) setChecks(health.checks.filter(isSaid));
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
  }, [client, isLive, told]);
  const wrong = told?.checks.filter(isSaid) ?? [];
  return [...wrong, ...checks.filter(({ name }) => !wrong.some((check) => check.name === name))];
}

function sentence(words: string): string {
  const whole = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
