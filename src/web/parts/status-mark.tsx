import type { ReactNode } from "react";
import type { Status, UiState } from "../../core/index.js";
import { STATUS_WORDS } from "./status-words.js";
import "./status-mark.css";

interface Props {
  readonly status: Status;
  readonly ui: UiState;
  /** The mark alone; the word is still there to be heard. */
  readonly isBare?: boolean;
}

/** A session's status, with a spinner exactly when there is to be one. */
export function StatusMark({ status, ui, isBare = false }: Props): ReactNode {
  return (
    <span className="status-mark" data-status={status} data-spinner={ui.showSpinner}>
      <span className={ui.showSpinner ? "spinner" : "status-dot"} aria-hidden="true" />
      <span className={isBare ? "visually-hidden" : "status-word"}>{STATUS_WORDS[status]}</span>
    </span>
  );
}
