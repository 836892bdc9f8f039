import { useEffect, useId, useRef, type ReactNode } from "react";
import "./dialog.css";

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  /** At the window's edge, from top to bottom. */
  readonly isDrawer?: boolean;
  readonly children: ReactNode;
}

/** In front of everything, until it is closed; then the focus is where it was. */
export function Dialog({ title, onClose, isDrawer = false, children }: Props): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isDrawer ? "dialog drawer" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose();
      }}
    >
      <div className="dialog-content">
        <div className="dialog-header">
          <h2 id={titleId}>{title}</h2>
          <button className="button button-plain button-small" onClick={onClose} aria-label="Close">
            <span aria-hidden="true">✕</span>
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
