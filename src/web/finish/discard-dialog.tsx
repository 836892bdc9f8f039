import type { ReactNode } from "react";
import type { Workspace } from "../../protocol/workspace.js";
import { Dialog } from "../parts/dialog.js";
import { proseText } from "../session/text/visible-text.js";
import { loseWords } from "./finish-plan.js";

interface Props {
  readonly workspace: Workspace;
  /** With the observation that was shown; null: there is none. */
  readonly discard: (observation: string | null) => void;
  readonly onClose: () => void;
}

/** Says what only the workspace holds, as it was seen. What changes meanwhile is not meant. */
export function DiscardDialog({ workspace, discard, onClose }: Props): ReactNode {
  const { branch, observed } = workspace;
  const lost = loseWords(workspace);
  return (
    <Dialog title={`Remove the workspace of ${branch}?`} onClose={onClose}>
      {lost === null ? (
        <p>All that was made in it is in the repository.</p>
      ) : (
        <p>
          <strong>Only this workspace holds {proseText(lost)}.</strong>
        </p>
      )}
      <p>Its directory moves to the trash, and stays there for 14 days.</p>
      <div className="dialog-actions">
        <button className="button" onClick={onClose}>
          Keep it
        </button>
        <button
          className={lost === null ? "button button-primary" : "button button-danger"}
          onClick={() => discard(observed?.id ?? null)}
        >
          {lost === null ? "Remove it" : "Remove it with that"}
        </button>
      </div>
    </Dialog>
  );
}
