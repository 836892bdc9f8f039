import { useState, type ReactNode } from "react";
import type { Workspace } from "../../protocol/workspace.js";
import { Dialog } from "../parts/dialog.js";
import { OutputView } from "../session/text/output-view.js";
import { checkWords } from "./finish-plan.js";

interface Props {
  readonly workspace: Workspace;
  readonly isBusy: boolean;
  readonly run: () => void;
}

/** What the project's check said, and whether that was of what is there now; nothing for a project without one. */
export function CheckMark({ workspace, isBusy, run }: Props): ReactNode {
  const [isShown, setShown] = useState(false);
  const { check, checkCommand } = workspace;
  if (check === null && checkCommand === null) return null;
  const told = checkWords(workspace);
  return (
    <span className="finish-check" data-check={told.outcome}>
      {check !== null && check.output !== "" ? (
        <button type="button" className="link-button" onClick={() => setShown(true)}>
          {told.words}
        </button>
      ) : (
        <span>{told.words}</span>
      )}
      {told.canRun && (
        <button type="button" className="button button-small" disabled={isBusy} onClick={run}>
          {check === null ? "Run the check" : "Run it again"}
        </button>
      )}
      {isShown && check !== null && (
        <Dialog title={`Check: ${check.command}`} onClose={() => setShown(false)}>
          <p>{told.words}</p>
          <OutputView text={check.output} linesMax={200} label="What the check said" />
        </Dialog>
      )}
    </span>
  );
}
