import { useState, type ReactNode } from "react";
import type { Comment } from "../../protocol/review.js";
import { exactText, proseText } from "../session/text/visible-text.js";
import { useOwnDevice } from "../settings/own-role.js";
import { CommentForm } from "./comment-form.js";
import type { Comments } from "./use-comments.js";

interface Props {
  readonly comment: Comment;
  /** False: it is shown with the code that it was made on. */
  readonly isPlaced: boolean;
  readonly canComment: boolean;
  readonly comments: Comments;
}

const STATES = { open: "not sent yet", sent: "sent", resolved: "resolved" } as const;

export function CommentCard({ comment, isPlaced, canComment, comments }: Props): ReactNode {
  const { id, text, state, path, outdated, quoted } = comment;
  const [isEdited, setEdited] = useState(false);
  const own = useOwnDevice();
  const isBusy = comments.actions.pending !== null;
  if (isEdited)
    return (
      <CommentForm
        label={`Comment on ${linesOf(comment)}`}
        initial={text}
        takesFocus
        submitWords="Save"
        onSubmit={async (words) => {
          if (await comments.patch(id, { text: words })) setEdited(false);
        }}
        onCancel={() => setEdited(false)}
      />
    );
  return (
    <article
      className="comment"
      data-state={state}
      aria-label={`Comment on ${linesOf(comment)}, ${STATES[state]}`}
    >
      <p className="comment-head">
        <strong>{byOf(comment, own?.id)}</strong>{" "}
        <span className="quiet">
          on {linesOf(comment)}
          {comment.side === "old" ? " before the change" : ""}
          {isPlaced ? "" : ` of ${proseText(path)}`} · {STATES[state]}
        </span>
      </p>
      {outdated === true && (
        <p className="comment-outdated">The file has changed since this comment was made.</p>
      )}
      {!isPlaced && (
        <pre className="comment-quote">{exactText(quoted.join("\u2028")).replaceAll("\u2028", "\n")}</pre>
      )}
      <p className="comment-text">{proseText(text)}</p>
      {canComment && (
        <p className="comment-actions">
          {state === "open" && (
            <button className="link-button" disabled={isBusy} onClick={() => setEdited(true)}>
              Edit
            </button>
          )}
          <button
            className="link-button"
            disabled={isBusy}
            onClick={() => void comments.patch(id, { state: state === "resolved" ? "open" : "resolved" })}
          >
            {state === "resolved" ? "Open again" : "Resolve"}
          </button>
          <button className="link-button" disabled={isBusy} onClick={() => void comments.remove(id)}>
            Delete
          </button>
        </p>
      )}
    </article>
  );
}

export function linesOf({
  startLine,
  endLine,
}: {
  readonly startLine: number;
  readonly endLine: number;
}): string {
  return startLine === endLine ? `line ${startLine}` : `lines ${startLine}–${endLine}`;
}

function byOf({ by }: Comment, ownId: string | undefined): string {
  if (by.kind === "device" && by.id === ownId) return "You";
  return by.kind === "token" ? "You, in a terminal" : proseText(by.name);
}
