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

/** Why its newest run has none. */
export function whyNone({ state, wall, settings }: SessionRecord): string {
  if (wall?.run === state.run) return wall.because ?? "nobody knows why";
  if (state.run === 0 || wall !== undefined) return "its run has not been started";
  return settings.wall === "off"
    ? "a person wanted none for this session"
    : "it was started before there were walls, or is being started";
}
