import { EMPTY_ROSTER, transitionRoster, type RosterEvent, type RosterState } from "../core/index.js";
import type { RosterChanged } from "../core/roster/effects.js";
import type { Refusal } from "../core/step.js";
import type { Batch } from "./batch.js";
import type { Output } from "./harness.js";

/** The roster, live: who sits where, and who gets messages. Written in the same transaction as what changed it. */
export class RosterDesk {
  private live: RosterState;

  constructor(private durable: RosterState | null) {
    this.live = durable ?? EMPTY_ROSTER;
  }

  get state(): RosterState {
    return this.live;
  }

  /** As the journal has it. */
  get committedState(): RosterState {
    return this.durable ?? EMPTY_ROSTER;
  }

  apply(
    event: RosterEvent,
    batch: Batch,
    tell: (change: RosterChanged) => void,
  ): Refusal<"no_agent" | "seat_unknown"> | null {
    const step = transitionRoster(this.live, event);
    if (step.error) return step.error;
    if (step.state !== this.live) {
      this.live = step.state;
      batch.roster = step.state;
    }
    for (const effect of step.effects) tell(effect);
    return null;
  }

  committed(batch: Batch): void {
    if (batch.roster) this.durable = batch.roster;
  }

  restore(): void {
    this.live = this.durable ?? EMPTY_ROSTER;
  }
}

/** What an agent that came or went means for its seat. */
export function seatEvent(
  seat: string,
  { agent, evidence }: Extract<Output, { readonly type: "agent" }>,
): RosterEvent {
  if (agent === null) return { type: "agent_terminated", seat, evidence };
  return { type: "agent_started", seat, agent };
}
