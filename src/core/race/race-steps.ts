/**
 * What a race does next: from what is kept of it, and from how its sessions and workspaces are.
 *
 * Nothing is remembered beside that. Whoever carries a step out writes it down, and asks again; after a crash the answer is
 * the same step, or the one after it.
 */

/** `running`: entries work. `choosing`: one is being finished. `chosen`: it is; the others are parked. `stopped`: by a person. */
export const RACE_STATUSES = ["running", "choosing", "chosen", "stopped"] as const;
export type RaceStatus = (typeof RACE_STATUSES)[number];

export interface EntryFacts {
  /** The race knows its session. */
  readonly isStarted: boolean;
  /** It could not be started, which is written down. */
  readonly isGivenUp: boolean;
  /** `gone`: deleted by a person. `working`: also while it waits for a person. */
  readonly session: "none" | "gone" | "working" | "done" | "ended";
  /** When it was done last; null unless it is. */
  readonly doneAtMs: number | null;
  /** The end of a turn that was checked, or is being checked by this daemon; null: none. */
  readonly checkedDoneAtMs: number | null;
  /** `open`: something can be begun with it. `closed`: gone, lost, failed or never made. */
  readonly workspace: "open" | "busy" | "conflicted" | "closed";
  /** It was finished as the person chose. */
  readonly isFinished: boolean;
  /** Its finish was asked for, and is written down as such. */
  readonly isFinishAsked: boolean;
  /** Its session was told to stop, which is done once: a person may go on with it. */
  readonly isStopAsked: boolean;
  readonly isParked: boolean;
}

export interface RaceFacts {
  readonly status: RaceStatus;
  readonly hasCheck: boolean;
  /** Which entry a person chose. */
  readonly chosen: number | null;
  readonly entries: readonly EntryFacts[];
}

export type RaceStep =
  /** Makes its workspace and its session, or finds them. */
  | { readonly type: "start"; readonly entry: number }
  | { readonly type: "check"; readonly entry: number }
  | { readonly type: "stop"; readonly entry: number }
  /** Asks for the finish that the person chose. */
  | { readonly type: "finish"; readonly entry: number }
  /** The chosen one is finished: the race is decided. */
  | { readonly type: "decide" }
  /** What was chosen was not finished: the race goes on. */
  | { readonly type: "unchoose"; readonly entry: number }
  /** Its branch goes to the original, its workspace stays. */
  | { readonly type: "branch"; readonly entry: number }
  | { readonly type: "park"; readonly entry: number };

export function nextSteps(facts: RaceFacts): readonly RaceStep[] {
  const { status, entries } = facts;
  switch (status) {
    case "running":
      return entries.flatMap((entry, index) => whileRunning(facts, entry, index));
    case "choosing":
      return whileChoosing(facts);
    case "chosen":
      return entries.flatMap((entry, index) => (index === facts.chosen ? [] : parking(entry, index)));
    case "stopped":
      return entries.flatMap((entry, index) => (mustStop(entry) ? [{ type: "stop", entry: index }] : []));
  }
}

function whileRunning({ hasCheck }: RaceFacts, entry: EntryFacts, index: number): readonly RaceStep[] {
  if (entry.isGivenUp) return [];
  if (!entry.isStarted) return [{ type: "start", entry: index }];
  const isDue = hasCheck && entry.doneAtMs !== null && entry.checkedDoneAtMs !== entry.doneAtMs;
  return isDue && entry.session === "done" && entry.workspace === "open"
    ? [{ type: "check", entry: index }]
    : [];
}

function whileChoosing({ entries, chosen }: RaceFacts): readonly RaceStep[] {
  const entry = chosen === null ? undefined : entries[chosen];
  if (chosen === null || !entry) return [];
  if (entry.isFinished) return [{ type: "decide" }];
  switch (entry.workspace) {
    case "busy":
    case "conflicted":
      // A person or an agent goes on with it there.
      return [];
    case "open":
      return [{ type: entry.isFinishAsked ? "unchoose" : "finish", entry: chosen }];
    case "closed":
      return [{ type: "unchoose", entry: chosen }];
  }
}

function parking(entry: EntryFacts, index: number): readonly RaceStep[] {
  if (entry.isParked) return [];
  if (mustStop(entry)) return [{ type: "stop", entry: index }];
  // It was told to stop, and has not yet.
  if (entry.session === "working") return [];
  if (entry.workspace === "busy") return [];
  // What was seen of it last may be older than its last work: whether there is a branch to keep is found out then.
  if (entry.workspace === "open" && !entry.isFinishAsked) return [{ type: "branch", entry: index }];
  return [{ type: "park", entry: index }];
}

function mustStop({ session, isStopAsked }: EntryFacts): boolean {
  return session === "working" && !isStopAsked;
}
