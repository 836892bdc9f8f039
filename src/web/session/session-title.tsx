import { useEffect, useRef, useState, type ReactNode } from "react";
import { proseText } from "./text/visible-text.js";

interface Props {
  readonly title: string;
  readonly rename: (title: string) => Promise<boolean>;
}

const LENGTH_MAX = 500;

export function SessionTitle({ title, rename }: Props): ReactNode {
  const [draft, setDraft] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEditing = draft !== null;
  useEffect(() => {
    if (isEditing) field.current?.select();
  }, [isEditing]);
  if (draft === null)
    return (
      <div className="session-title">
        <h1 tabIndex={-1} title={title}>
          {proseText(title)}
        </h1>
        <button className="link-button" onClick={() => setDraft(title)}>
          Rename
        </button>
      </div>
    );
  const save = async () => {
    const next = draft.trim();
    if (next === "" || next === title || (await rename(next))) setDraft(null);
  };
  return (
    <form
      className="session-title"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={field}
        className="input"
        aria-label="Title"
        maxLength={LENGTH_MAX}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setDraft(null);
        }}
      />
      <button className="button button-small">Save</button>
    </form>
  );
}
