/** What is kept of a race, and what follows from it and from how its sessions and workspaces are now. */
import type { EntryFacts, RaceFacts, RaceStatus } from "../../core/race/race-steps.js";
import type { WorkspaceState } from "../../core/workspace/state.js";
import type { Principal } from "../../protocol/principal.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { WorkspaceRecord } from "../../workspace/workspace-desk.js";

export type RaceFinishWay = "merge" | "squash" | "rebase" | "branch";

export interface KeptCheck {
  /** The end of the turn that it was for. */
  readonly doneAtMs: number;
  readonly status: "passed" | "failed";
  readonly exitCode: number | null;
  readonly output: string;
  readonly atMs: number;
}

export interface RaceEntry {
  readonly harness: string;
  readonly model: string | null;
  readonly args: readonly string[];
  readonly title: string;
  /** Names its workspace before there is one: what is made twice is made once. */
  readonly workspaceId: string;
  readonly sessionId: string | null;
  readonly check: KeptCheck | null;
  readonly isStopAsked: boolean;
  readonly isFinishAsked: boolean;
  readonly isParked: boolean;
  readonly problem: string | null;
}

export interface RaceRecord {
  readonly id: string;
  readonly title: string;
  readonly prompt: string;
  readonly directory: string;
  readonly projectId: string;
  readonly base: { readonly branch: string; readonly commit: string };
  readonly check: string | null;
  readonly status: RaceStatus;
  readonly chosen: {
    readonly entry: number;
    readonly how: RaceFinishWay;
    readonly message: string;
    readonly observation: string | null;
  } | null;
  readonly problem: string | null;
  readonly by: Principal;
  /** Who asked for it by which request; null: the client did not name it. */
  readonly receipt: { readonly key: string; readonly fingerprint: string } | null;
  readonly entries: readonly RaceEntry[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface RaceWorld {
  session(id: string): SessionRecord | null;
  workspace(id: string): WorkspaceRecord | null;
  /** Null: nothing says whether what was made is good. */
  checkCommand(race: RaceRecord, workspace: WorkspaceRecord | null): string | null;
  /** The end of the turn that is being checked now. */
  checking(race: RaceRecord, entry: number): number | null;
}

export function factsOf(race: RaceRecord, world: RaceWorld): RaceFacts {
  const entries = race.entries.map((entry, index) => factsOfEntry(race, entry, index, world));
  const hasCheck = race.entries.some(
    ({ workspaceId }) => world.checkCommand(race, world.workspace(workspaceId)) !== null,
  );
  return { status: race.status, hasCheck, chosen: race.chosen?.entry ?? null, entries };
}

function factsOfEntry(race: RaceRecord, entry: RaceEntry, index: number, world: RaceWorld): EntryFacts {
  const record = entry.sessionId === null ? null : world.session(entry.sessionId);
  const workspace = world.workspace(entry.workspaceId)?.state ?? null;
  const session = sessionOf(entry, record);
  return {
    isStarted: entry.sessionId !== null,
    isGivenUp: entry.sessionId === null && entry.problem !== null,
    session,
    doneAtMs: session === "done" ? (record?.statusSinceMs ?? null) : null,
    checkedDoneAtMs: world.checking(race, index) ?? entry.check?.doneAtMs ?? null,
    workspace: placeOf(workspace),
    isFinished: race.chosen?.entry === index && isFinishedAs(workspace, race.chosen.how),
    isFinishAsked: entry.isFinishAsked,
    isStopAsked: entry.isStopAsked,
    isParked: entry.isParked,
  };
}

function sessionOf({ sessionId }: RaceEntry, record: SessionRecord | null): EntryFacts["session"] {
  if (sessionId === null) return "none";
  if (record === null || record.removing) return "gone";
  switch (record.state.status) {
    case "completed":
      return "done";
    case "stopped":
    case "error":
      return "ended";
    case "idle":
    case "creating":
    case "streaming":
    case "waiting_approval":
    case "waiting_input":
    case "paused":
      return "working";
  }
}

function placeOf(state: WorkspaceState | null): EntryFacts["workspace"] {
  switch (state?.status) {
    case "ready":
    case "merged":
      return "open";
    case "preparing":
    case "finishing":
      return "busy";
    case "conflicted":
      return "conflicted";
    case "none":
    case "failed":
    case "gone":
    case undefined:
      return "closed";
  }
}

function isFinishedAs(state: WorkspaceState | null, how: RaceFinishWay): boolean {
  return state?.status === "merged" && state.finished?.how === how;
}
