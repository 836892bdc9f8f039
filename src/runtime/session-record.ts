/** Everything that is kept of a session beside its log: one row of the journal, loaded at every start. */
import type { Json, SessionState } from "../core/index.js";
import type { Usage } from "../protocol/session.js";
import type { WallNetwork } from "../protocol/wall.js";
import type { WallState } from "../protocol/wall-state.js";

/** What the session was asked to be. */
export interface SessionSettings {
  readonly harness: string;
  readonly title: string;
  readonly cwd: string;
  readonly model: string | null;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `on`: never without a wall. `off`: a person wants none. Absent: as it is configured. */
  readonly wall?: "on" | "off";
  /** Of a run behind a wall. Absent: as it is configured. */
  readonly network?: WallNetwork;
  /** The workspace that `cwd` is; it is not started before that is ready. */
  readonly workspaceId?: string;
}

export interface AskDetail {
  readonly title: string;
  readonly detail: string;
  readonly openedAtMs: number;
  /** Of the tool call that the ask is about, as the agent gave it; rules are matched against it. */
  readonly tool: Json;
  /** Absent: the agent asks. */
  readonly source?: "wall";
}

export interface OpenTool {
  readonly toolName: string;
  readonly startedAtMs: number;
}

/** How far a run's output has been read, and what its codec knows. */
export interface RunProgress {
  readonly run: number;
  readonly outOffset: number;
  readonly hooksOffset: number;
  /** A line beyond the bound is being skipped. */
  readonly skipping: boolean;
  readonly codec: Json;
}

export interface SessionRecord {
  readonly id: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When it got its status. */
  readonly statusSinceMs: number;
  readonly settings: SessionSettings;
  readonly state: SessionState;
  /** Of its newest entry. */
  readonly seq: number;
  /** How many calls that entry has made so far: together they name the next one. */
  readonly callCount: number;
  /** The run whose process has its seat in the roster; 0: none. */
  readonly seatedRun: number;
  /** It is to be deleted as soon as its agent has ended. */
  readonly removing: boolean;
  readonly progress: RunProgress;
  readonly askDetails: Readonly<Record<string, AskDetail>>;
  readonly openTools: Readonly<Record<string, OpenTool>>;
  readonly usage: Usage;
  /** Rules that a person granted for this session. */
  readonly grants: readonly string[];
  /** Of the newest run that was started; absent: none was since there are walls. */
  readonly wall?: WallState;
}
