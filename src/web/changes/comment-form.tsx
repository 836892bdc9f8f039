import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

interface Props {
  readonly label: string;
  readonly initial: string;
  /** False: it was drawn before, and whoever scrolls back to it has not asked for it again. */
  readonly takesFocus: boolean;
  readonly submitWords: string;
  readonly onSubmit: (text: string) => Promise<void>;
  readonly onCancel: () => void;
  /** What was written so far, for a form that is drawn again. */
  readonly onText?: (text: string) => void;
}

const LENGTH_MAX = 10_000;

/** Ctrl or ⌘ with Enter adds it, Escape leaves it. */
export function CommentForm(props: Props): ReactNode {
  const { label, initial, submitWords, onSubmit, onCancel, onText } = props;
  const [text, setText] = useState(initial);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const takesFocus = useRef(props.takesFocus);
  useEffect(() => {
    if (takesFocus.current) field.current?.focus({ preventScroll: true });
  }, []);
  const submit = async (): Promise<void> => {
    if (text.trim() === "" || isBusy) return;
    setBusy(true);
    await onSubmit(text.trim());
    setBusy(false);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.preventDefault();
      onCancel();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <div className="comment comment-form">
      <textarea
        ref={field}
        className="textarea"
        aria-label={label}
        placeholder={label}
        rows={3}
        maxLength={LENGTH_MAX}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onText?.(event.target.value);
        }}
        onKeyDown={onKey}
      />
      <p className="comment-actions">
        <button
          className="button button-primary button-small"
          disabled={text.trim() === "" || isBusy}
          onClick={() => void submit()}
        >
          {submitWords} <kbd className="keys-note">Ctrl ↵</kbd>
        </button>
        <button className="button button-small" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </div>
  );
}
