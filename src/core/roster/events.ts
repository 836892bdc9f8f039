/** What can happen to the roster. Each event is described once; its type and its parser come from that. */
import { id, oneOf, text, union, type Infer } from "../schema.js";

/** What shows that an agent really ended. A typed `/exit` is no evidence. */
export const EVIDENCE = ["process_exit", "shell_prompt", "goodbye", "shell_integration"] as const;

export const ROSTER_FACTS = {
  agent_started: { seat: id, agent: id },
  agent_terminated: { seat: id, evidence: oneOf(...EVIDENCE) },
  /** Its process was ended because it was idle: the next message resumes it. */
  agent_rested: { seat: id },
  seat_opened: { seat: id },
  seat_closed: { seat: id },
  input_entered: { seat: id, text },
} as const;

export const ROSTER_REQUESTS = {
  connect: { seat: id },
} as const;

export const rosterEventShape = union({ ...ROSTER_FACTS, ...ROSTER_REQUESTS });

export type RosterEvent = Infer<typeof rosterEventShape>;

/** The table's rows: each kind of event by its name. */
export type RosterRows = { readonly [T in RosterEvent["type"]]: Extract<RosterEvent, { type: T }> };
