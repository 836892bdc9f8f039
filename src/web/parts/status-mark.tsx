import type { ReactNode } from "react";
import type { Status, UiState } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { isShellSession } from "../../protocol/session-words.js";
import { STATUS_WORDS } from "./status-words.js";
import "./status-mark.css";

interface Props {
  readonly status: Status;
  readonly ui: UiState;
  readonly certainty: AgentSession["certainty"];
  /** The mark alone; the word is still there to be heard. */
  readonly isBare?: boolean;
}

/** A session's status, with a spinner exactly when there is to be one; what is not known is not shown as if it were. */
export function StatusMark({ status, ui, certainty, isBare = false }: Props): ReactNode {
  const isKnown = certainty === "known";
  const words = isShellSession({ status, ui }) ? "Shell" : STATUS_WORDS[status];
  return (
    <span
      className="status-mark"
      data-status={isKnown ? status : "unknown"}
      data-spinner={ui.showSpinner}
      title={isKnown ? undefined : `Last known: ${words}`}
    >
      <span className={ui.showSpinner ? "spinner" : "status-dot"} aria-hidden="true" />
      <span className={isBare ? "visually-hidden" : "status-word"}>{isKnown ? words : "Not known"}</span>
    </span>
  );
}
