import { useEffect, useState, type ReactNode } from "react";
import { agentName } from "../../core/index.js";
import type { Race, RaceRow } from "../../protocol/race.js";
import type { Workspace } from "../../protocol/workspace.js";
import { useClient } from "../../react/hooks.js";
import { planFor, type FinishChoice } from "../finish/finish-plan.js";
import { readFailureWords } from "../parts/failure-words.js";
import { Dialog } from "../parts/dialog.js";
import { proseText } from "../session/text/visible-text.js";

const WAYS = ["squash", "merge", "rebase", "branch"] as const satisfies readonly FinishChoice[];
type Way = (typeof WAYS)[number];

interface Props {
  readonly race: Race;
  readonly row: RaceRow;
  readonly sessionId: string;
  readonly choose: (finish: {
    readonly how: Way;
    readonly message: string;
    readonly observation?: string;
  }) => void;
  readonly onClose: () => void;
}

/** What the choice will do to the repository, and to the others. */
export function ChooseDialog({ race, row, sessionId, choose, onClose }: Props): ReactNode {
  const { workspace, problem } = useLook(sessionId);
  const [how, setHow] = useState<Way>("squash");
  const [message, setMessage] = useState(race.title);
  const plan = workspace && planFor(workspace, how);
  const others = race.entries.length - 1;
  return (
    <Dialog title={`Choose ${agentName(row.harness)}?`} onClose={onClose}>
      <div className="field">
        <label htmlFor="race-message">Commit message</label>
        <textarea
          id="race-message"
          className="textarea"
          rows={2}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor="race-how">How</label>
        <select
          id="race-how"
          className="select"
          value={how}
          onChange={(event) => setHow(WAYS.find((way) => way === event.target.value) ?? "squash")}
        >
          <option value="squash">Squash into {race.base.branch}</option>
          <option value="merge">Merge into {race.base.branch}</option>
          <option value="rebase">Rebase onto {race.base.branch}</option>
          <option value="branch">Only make its branch</option>
        </select>
      </div>
      {plan === null ? <p className="quiet">{problem ?? "Looking at its workspace…"}</p> : null}
      {plan?.will != null && <p>{proseText(plan.will)}</p>}
      {plan?.hindrances.map(({ key, words, blocks }) => (
        <p key={key} className={blocks ? "race-problem" : "quiet"}>
          {proseText(words)}
        </p>
      ))}
      <p>
        {others === 1 ? "The other one is" : `The ${others} others are`} stopped where they still work, and
        parked: their branches come to the repository, their workspaces stay.
      </p>
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          Not now
        </button>
        <button
          className="button button-primary"
          disabled={plan?.canFinish !== true}
          onClick={() =>
            choose({
              how,
              message,
              ...(workspace?.observed ? { observation: workspace.observed.id } : {}),
            })
          }
        >
          Choose it
        </button>
      </div>
    </Dialog>
  );
}

function useLook(sessionId: string): {
  readonly workspace: Workspace | null;
  readonly problem: string | null;
} {
  const client = useClient();
  const [seen, setSeen] = useState<{ workspace: Workspace | null; problem: string | null }>({
    workspace: null,
    problem: null,
  });
  useEffect(() => {
    let isOver = false;
    client.listWorkspaces({ id: sessionId, look: "1" }).then(
      ({ items: [item] }) => {
        if (!isOver) setSeen({ workspace: item ?? null, problem: item ? null : "Its workspace is gone." });
      },
      (error: unknown) => {
        if (!isOver) setSeen({ workspace: null, problem: readFailureWords(error) });
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, sessionId]);
  return seen;
}
