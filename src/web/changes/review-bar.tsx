import { useState, type ReactNode } from "react";
import type { Comments } from "./use-comments.js";

/** Sends all open comments as one message. */
export function ReviewBar({ comments }: { readonly comments: Comments }): ReactNode {
  const { open, actions } = comments;
  const [text, setText] = useState("");
  const [sent, setSent] = useState<string | null>(null);
  const send = async (): Promise<void> => {
    const words = open === 0 ? "Sent." : `Sent with ${open} ${open === 1 ? "comment" : "comments"}.`;
    if (!(await comments.send(text))) return;
    setText("");
    setSent(words);
  };
  const isNothing = open === 0 && text.trim() === "";
  return (
    <footer className="review-bar">
      <input
        className="input"
        aria-label="What you say of the whole change"
        placeholder="About the whole change…"
        maxLength={10_000}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setSent(null);
        }}
      />
      <button
        className="button button-primary"
        disabled={isNothing || actions.pending !== null}
        onClick={() => void send()}
      >
        {actions.pending === "send" ? "Sending…" : `Send review (${open})`}
      </button>
      <p className="review-news" role="status">
        {open === 0 ? sent : null}
      </p>
      {actions.problem !== null && (
        <p className="review-problem" role="alert">
          {actions.problem}{" "}
          <button className="link-button" onClick={actions.dismiss}>
            Dismiss
          </button>
        </p>
      )}
    </footer>
  );
}
