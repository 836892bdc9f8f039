import type { ReactNode } from "react";
import { wordsForFailure, type Item } from "../../core/index.js";
import type { PastFailure } from "./session-past.js";
import { isLongText, LongText } from "./text/long-text.js";
import { proseText } from "./text/visible-text.js";

type Note = Extract<Item, { readonly type: "note" }>;

/** What the agent told beside the conversation. */
export function NoteView({ note }: { readonly note: Note }): ReactNode {
  const text = proseText(note.text);
  if (note.kind === "boundary")
    return (
      <p className="boundary">
        <span>A new conversation. What is above is archived.</span>
      </p>
    );
  return (
    <div className="note" data-kind={note.kind} role="note">
      <div className="note-text">{isLongText(text) ? <LongText text={text} /> : text}</div>
      {note.times > 1 && <span className="note-times">{note.times} times</span>}
    </div>
  );
}

/** An attempt that failed: it leaves its trace also when the next one does not. */
export function FailureView({ failure }: { readonly failure: PastFailure }): ReactNode {
  const words = wordsForFailure(failure.code);
  return (
    <div className="notice" role="note">
      <strong>{words?.what ?? "It failed"}</strong>
      <p>{proseText(failure.message)}</p>
      <span className="notice-code">{failure.code}</span>
    </div>
  );
}
