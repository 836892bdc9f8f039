import type { ReactNode } from "react";
import { NOT_KNOWN_WORD, provenWord, type Status, type UiState } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import "./status-mark.css";

interface Props {
  readonly status: Status;
  readonly ui: UiState;
  readonly certainty: AgentSession["certainty"];
  /** Done after work is green; done without any is not. */
  readonly hasWorked?: boolean;
  /** The mark alone; the word is still there to be heard. */
  readonly isBare?: boolean;
}

/** A session's status, with a spinner exactly when there is to be one; what is not known is not shown as if it were. */
export function StatusMark({ status, ui, certainty, hasWorked = true, isBare = false }: Props): ReactNode {
  const isKnown = certainty === "known";
  const words = provenWord({ status, ui });
  return (
    <span
      className="status-mark"
      data-status={isKnown ? status : "unknown"}
      data-spinner={ui.showSpinner}
      data-quiet={!hasWorked || undefined}
      title={isKnown ? undefined : `Last known: ${words}`}
    >
      <span className={ui.showSpinner ? "spinner" : "status-dot"} aria-hidden="true" />
      <span className={isBare ? "visually-hidden" : "status-word"}>{isKnown ? words : NOT_KNOWN_WORD}</span>
    </span>
  );
}
