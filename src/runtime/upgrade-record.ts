/** Records of an older version, brought to this one's. */
import { initialSession, messageLine, type SessionState } from "../core/index.js";
import { addresseeOf } from "./addressee-of.js";
import type { SessionRecord } from "./session-record.js";

export function upgradedRecord(record: SessionRecord): SessionRecord {
  if (Object.hasOwn(record.state, "rest")) return record;
  // Who was started before there was rest never rests.
  if (Object.hasOwn(record.state, "addressee"))
    return { ...record, state: { ...initialSession, ...record.state } };
  // Version 0.1 knew none of the fields that came with it.
  const addressee = addresseeOf(record.settings);
  const state: SessionState = { ...initialSession, ...record.state, addressee };
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
  const { run, alive, asksClose, autoApprove, timerCount } = returned;
  return {
    ...initialSession,
    run,
    alive,
    asksClose,
    autoApprove,
    timerCount,
    addressee: "agent",
    returned: returned.returned,
  };
}
