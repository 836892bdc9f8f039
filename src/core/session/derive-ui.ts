/** What a screen shows for a session, from its state alone. */
import { TABLE } from "./table.js";
import { STATUSES, isResting, isUnknown, isWithoutAgent, type SessionState, type Status } from "./state.js";

export interface UiState {
  readonly showSpinner: boolean;
  readonly showCancelButton: boolean;
  readonly showResumeButton: boolean;
  readonly showRetryButton: boolean;
  /** Wherever `cancel_session` is accepted. */
  readonly canCancel: boolean;
  readonly showAutoModeWarning: boolean;
  readonly inputEnabled: boolean;
  readonly isActive: boolean;
  readonly needsAttention: boolean;
  /** Its process has ended because it was idle; the next message resumes it. */
  readonly resting: boolean;
}

type ByStatus = Omit<UiState, "showAutoModeWarning" | "needsAttention" | "canCancel" | "resting">;

// prettier-ignore
const BY_STATUS: Readonly<Record<Status, ByStatus>> = {
  idle:             { showSpinner: false, showCancelButton: false, showResumeButton: false, showRetryButton: false, inputEnabled: false, isActive: false },
  creating:         { showSpinner: true,  showCancelButton: true,  showResumeButton: false, showRetryButton: false, inputEnabled: false, isActive: true },
  streaming:        { showSpinner: true,  showCancelButton: true,  showResumeButton: false, showRetryButton: false, inputEnabled: false, isActive: true },
  waiting_approval: { showSpinner: false, showCancelButton: true,  showResumeButton: false, showRetryButton: false, inputEnabled: false, isActive: true },
  waiting_input:    { showSpinner: false, showCancelButton: true,  showResumeButton: false, showRetryButton: false, inputEnabled: true,  isActive: true },
  completed:        { showSpinner: false, showCancelButton: false, showResumeButton: true,  showRetryButton: false, inputEnabled: true,  isActive: false },
  paused:           { showSpinner: false, showCancelButton: false, showResumeButton: true,  showRetryButton: false, inputEnabled: true,  isActive: false },
  error:            { showSpinner: false, showCancelButton: false, showResumeButton: false, showRetryButton: true,  inputEnabled: false, isActive: false },
  stopped:          { showSpinner: false, showCancelButton: false, showResumeButton: true,  showRetryButton: false, inputEnabled: true,  isActive: false },
};

export function deriveUi(state: SessionState): UiState {
  const byStatus = BY_STATUS[state.status];
  return {
    ...byStatus,
    // Nobody knows that it works, so nothing says so.
    showSpinner: byStatus.showSpinner && !isUnknown(state),
    inputEnabled: byStatus.inputEnabled && !isWithoutAgent(state),
    canCancel: canCancel(state),
    showAutoModeWarning: byStatus.showSpinner && state.approve === "auto",
    needsAttention:
      state.status === "error" ||
      state.unknownNotified ||
      state.wallAsks.length > 0 ||
      state.asks.some((ask) => ask.needsHuman),
    resting: isResting(state),
  };
}

function canCancel({ status, alive }: SessionState): boolean {
  const rule = TABLE.cancel_session[STATUSES.indexOf(status)];
  return rule === "cancel" || (rule === "cancelShell" && alive);
}
