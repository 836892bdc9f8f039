import type { ReactNode } from "react";
import { agentName } from "../../core/index.js";
import type { HarnessReport } from "../../protocol/api-schemas.js";

interface Props {
  readonly harnesses: readonly HarnessReport[];
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

/** Those that can be started, and below them those that are missing, with how to get them. */
export function HarnessChoice({ harnesses, chosen, choose }: Props): ReactNode {
  const shown = harnesses.filter(({ name }) => !INTERNAL.has(name));
  // What needs a command of its own stands last.
  const usable = shown
    .filter(({ installed }) => installed)
    .toSorted((a, b) => Number(TOLD_LAST.has(a.name)) - Number(TOLD_LAST.has(b.name)));
  const missing = shown.filter(({ installed }) => !installed);
  return (
    <fieldset className="harnesses">
      <legend className="field-label">Agent</legend>
      <div className="harness-grid">
        {usable.map((harness) => (
          <label key={harness.name} className="harness">
            <input
              type="radio"
              name="harness"
              value={harness.name}
              checked={chosen === harness.name}
              onChange={() => choose(harness.name)}
            />
            <span className="harness-card">
              <span className="harness-name">{agentName(harness.name)}</span>
              <span className="harness-note" title={harness.hint ?? noteFor(harness)}>
                {noteFor(harness)}
              </span>
            </span>
          </label>
        ))}
      </div>
      {missing.length > 0 && (
        <details className="missing" open={usable.length === 0}>
          <summary>{missing.length} more, not installed</summary>
          <ul className="missing-list">
            {missing.map((harness) => (
              <li key={harness.name}>
                <span className="harness-name">{agentName(harness.name)}</span>
                {harness.problems.length > 0 && <span className="quiet">{harness.problems.join(" ")}</span>}
                {harness.hint !== null && <code>{harness.hint}</code>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </fieldset>
  );
}

/** For the tests of Signalbox itself. */
export const INTERNAL: ReadonlySet<string> = new Set(["script"]);

const TOLD_LAST: ReadonlySet<string> = new Set(["acp", "terminal"]);

/** There is nothing to install: what they run is told to them. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ["acp", "any agent with an ACP mode"],
  ["terminal", "a shell or any program"],
  ["demo", "no account, no network"],
]);

function noteFor({ name, version, login, problems, note }: HarnessReport): string {
  if (login === "missing") return note ?? "not logged in";
  const [problem] = problems;
  return problem ?? version ?? NOTES.get(name) ?? "ready";
}
