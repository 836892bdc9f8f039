import type { SessionWall } from "../../protocol/wall-state.js";
import type { SessionRecord } from "../../runtime/session-record.js";

const NETWORK_WORDS = {
  open: "the network is open",
  closed: "there is no network",
  listed: "of the network there are only the hosts that are listed",
} as const;

/** What stands around a session's newest run, in one sentence. */
export function sessionWallOf(record: SessionRecord): SessionWall {
  const { state, wall } = record;
  if (wall?.run === state.run && wall.isWalled) {
    const network = wall.network ?? "open";
    const sentence = `The kernel keeps it in: it writes only in its folder, sees of your home folder only what it needs, and no process outside; ${NETWORK_WORDS[network]}.`;
    return { label: "walled", network, sentence };
  }
  return { label: "none", network: null, sentence: `No wall: ${whyNone(record)}.` };
}

export const STARTED_BEFORE_WALLS =
  "it was started by a Signalbox without walls; stop and resume it, and its next run has one where walls are on";

/** Why its newest run has none. */
export function whyNone(record: SessionRecord): string {
  const { state, wall, settings } = record;
  if (wall?.run === state.run) return wall.because ?? "nobody knows why";
  if (settings.wall === "off") return "a person wanted none for this session";
  const isOfBefore = wall === undefined && state.run > 0 && !state.alive;
  return isOfBefore ? "its last run was of a Signalbox without walls" : "its run has not been started";
}

/** Its agent was started by a Signalbox without walls, and has outlived it. */
export function isFromBefore({ state, wall }: SessionRecord): boolean {
  return state.alive && wall?.run === state.run && wall.because === STARTED_BEFORE_WALLS;
}
