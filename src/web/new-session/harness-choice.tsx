import type { ReactNode } from "react";
import type { HarnessReport } from "../../protocol/api-schemas.js";

interface Props {
  readonly harnesses: readonly HarnessReport[];
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

/** Those that can be started, and below them those that are missing, with how to get them. */
export function HarnessChoice({ harnesses, chosen, choose }: Props): ReactNode {
  const usable = harnesses.filter(({ installed }) => installed);
  const missing = harnesses.filter(({ installed }) => !installed);
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
              <span className="harness-name">{harness.name}</span>
              <span className="harness-note" title={noteFor(harness)}>
                {noteFor(harness)}
              </span>
            </span>
          </label>
        ))}
      </div>
      {missing.length > 0 && (
        <details className="missing" open={usable.length === 0}>
          <summary>{missing.length} more that are not installed</summary>
          <ul className="missing-list">
            {missing.map((harness) => (
              <li key={harness.name}>
                <span className="harness-name">{harness.name}</span>
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

/** There is nothing to install: what they run is told to them. */
const NOTES: ReadonlyMap<string, string> = new Map([
  ["acp", "any agent that speaks ACP"],
  ["terminal", "any program, in a terminal"],
  ["script", "plays a file, for tests"],
]);

function noteFor({ name, version, login, problems, hint }: HarnessReport): string {
  if (login === "missing") return hint ?? "not logged in";
  const [problem] = problems;
  return problem ?? version ?? NOTES.get(name) ?? "ready";
}
