/** Records of an older version, brought to this one's. */
import { initialSession, messageLine, type SessionState } from "../core/index.js";
import { addresseeOf } from "./addressee-of.js";
import type { SessionRecord } from "./session-record.js";

export function upgradedRecord(record: SessionRecord): SessionRecord {
  if (Object.hasOwn(record.state, "wallAsks") && Object.hasOwn(record.state, "checkpoints")) return record;
  // Who was started before there were checkpoints has none.
  if (Object.hasOwn(record.state, "approve"))
    return { ...record, state: { ...initialSession, ...record.state } };
  const { autoApprove, ...known } = record.state as Partial<SessionState> & {
    readonly autoApprove?: boolean;
  };
  const approve = autoApprove === true ? "auto" : "ask";
  // Who was started before there was rest never rests.
  if (Object.hasOwn(known, "addressee"))
    return { ...record, state: { ...initialSession, ...known, approve } };
  // Version 0.1 knew none of the fields that came with it.
  const addressee = addresseeOf(record.settings);
  const state: SessionState = { ...initialSession, ...known, approve, addressee };
  return { ...record, state: addressee === "agent" ? withoutAgent(state) : state };
}

/** Nobody knows whom its messages were for, so they come back; who is in front is told anew. */
function withoutAgent(state: SessionState): SessionState {
  const returned: SessionState = {
    ...state,
    returned: messageLine(state),
    delivering: null,
    prompt: null,
    queue: [],
  };
  if (!state.alive || state.stopRequested) return returned;
  const { run, alive, asksClose, approve, timerCount } = returned;
  return {
    ...initialSession,
    run,
    alive,
    asksClose,
    approve,
    timerCount,
    addressee: "agent",
    returned: returned.returned,
  };
}
