import { useEffect, useId, useState, type ReactNode } from "react";
import { agentName } from "../../core/index.js";
import type { Race, RaceRow } from "../../protocol/race.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { DiffView } from "../session/text/diff-view.js";

/** Of one change; the rest is on the session's own page. */
const LINES_MAX = 5_000;
const LINES_SHOWN = 400;

/** Two changes next to each other, each whole. */
export function RaceDiffs({ race }: { readonly race: Race }): ReactNode {
  const rows = race.entries.filter(({ sessionId, status }) => sessionId !== null && status !== null);
  const [left, setLeft] = useState<string | null>(null);
  const [right, setRight] = useState<string | null>(null);
  if (rows.length === 0) return null;
  const first = left ?? rows[0]?.sessionId ?? "";
  const second = right ?? rows.find(({ sessionId }) => sessionId !== first)?.sessionId ?? first;
  return (
    <section className="race-diffs" aria-label="Two changes side by side">
      <Side label="Left" rows={rows} shown={first} choose={setLeft} />
      {rows.length > 1 && <Side label="Right" rows={rows} shown={second} choose={setRight} />}
    </section>
  );
}

interface SideProps {
  readonly label: string;
  readonly rows: readonly RaceRow[];
  readonly shown: string;
  readonly choose: (sessionId: string) => void;
}

function Side({ label, rows, shown, choose }: SideProps): ReactNode {
  const id = useId();
  const row = rows.find(({ sessionId }) => sessionId === shown);
  return (
    <div className="race-side">
      <label className="visually-hidden" htmlFor={id}>
        {label} change
      </label>
      <select id={id} className="select" value={shown} onChange={(event) => choose(event.target.value)}>
        {rows.map(({ sessionId, harness, model, branch }) => (
          <option key={sessionId} value={sessionId ?? ""}>
            {model === null ? agentName(harness) : `${agentName(harness)}, ${model}`}
            {branch === null ? "" : ` (${branch})`}
          </option>
        ))}
      </select>
      {row && (
        <Patch key={`${shown} ${row.status ?? ""} ${row.added ?? 0} ${row.removed ?? 0}`} sessionId={shown} />
      )}
    </div>
  );
}

function Patch({ sessionId }: { readonly sessionId: string }): ReactNode {
  const client = useClient();
  const [diff, setDiff] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    client.getPatch(sessionId, { limit: LINES_MAX }).then(
      ({ lines }) => {
        if (!isOver) setDiff(lines.join("\n"));
      },
      (error: unknown) => {
        if (!isOver) setProblem(readFailureWords(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, sessionId]);
  if (problem !== null) return <p className="quiet">{problem}</p>;
  if (diff === null) return <p className="quiet">Reading…</p>;
  return diff === "" ? (
    <p className="quiet">Nothing was changed.</p>
  ) : (
    <DiffView diff={diff} linesMax={LINES_SHOWN} />
  );
}
