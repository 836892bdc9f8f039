/** A session's record while it changes: fields written in place, because most steps are one more piece of content. */
import type { Json, SessionState } from "../core/index.js";
import type { Usage } from "../protocol/session.js";
import type { WallState } from "../protocol/wall-state.js";
import { LineFramer } from "./line-framer.js";
import { OpenTools } from "./open-tools.js";
import type { SessionRecord, SessionSettings } from "./session-record.js";
import type { OpenThings } from "./state-payload.js";

export interface LiveSession {
  state: SessionState;
  settings: SessionSettings;
  removing: boolean;
  seatedRun: number;
  seq: number;
  callCount: number;
  updatedAtMs: number;
  statusSinceMs: number;
  open: OpenThings;
  usage: Usage;
  grants: readonly string[];
  wall: WallState | null;
  codec: Json;
  /** The run whose output is read. */
  run: number;
  outOffset: number;
  hooksOffset: number;
  framer: LineFramer;
}

export function liveFrom(record: SessionRecord): LiveSession {
  const { state, settings, removing, seatedRun, seq, callCount, updatedAtMs, usage, progress } = record;
  const { codec, run, outOffset, hooksOffset, skipping } = progress;
  const open = { askDetails: record.askDetails, openTools: new OpenTools(record.openTools) };
  const framer = new LineFramer(outOffset, skipping);
  return {
    state,
    settings,
    removing,
    seatedRun,
    seq,
    callCount,
    updatedAtMs,
    statusSinceMs: record.statusSinceMs,
    open,
    usage,
    grants: record.grants,
    wall: record.wall ?? null,
    codec,
    run,
    outOffset,
    hooksOffset,
    framer,
  };
}

export function enter(live: LiveSession, state: SessionState, nowMs: number): void {
  if (state.status !== live.state.status) live.statusSinceMs = nowMs;
  live.state = state;
}

/** Back to what the journal has. What is held of an unfinished line never was in it, and stays: it was fed for good. */
export function restoredTo(record: SessionRecord, before: LiveSession): LiveSession {
  const live = liveFrom(record);
  const { offset, skipping } = before.framer.skipped;
  const { outOffset, skipping: wasSkipping } = record.progress;
  const isInSameLine = before.run === live.run && offset === outOffset && skipping === wasSkipping;
  if (isInSameLine) live.framer = before.framer;
  return live;
}

export function recordOf(durable: SessionRecord, live: LiveSession): SessionRecord {
  const { offset, skipping } = live.framer.skipped;
  return {
    id: durable.id,
    createdAtMs: durable.createdAtMs,
    updatedAtMs: live.updatedAtMs,
    statusSinceMs: live.statusSinceMs,
    settings: live.settings,
    state: live.state,
    seq: live.seq,
    callCount: live.callCount,
    seatedRun: live.seatedRun,
    removing: live.removing,
    progress: {
      run: live.run,
      outOffset: skipping ? offset : live.outOffset,
      hooksOffset: live.hooksOffset,
      skipping,
      codec: live.codec,
    },
    askDetails: live.open.askDetails,
    openTools: live.open.openTools.snapshot(),
    usage: live.usage,
    grants: live.grants,
    ...(live.wall ? { wall: live.wall } : {}),
  };
}
