/** Which sessions the board shows, and in which order. */
import { agentName, provenWord } from "../../core/index.js";
import { isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";

export const GROUPS = ["all", "attention", "working", "resting"] as const;
export type Group = (typeof GROUPS)[number];

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  all: "All",
  attention: "Need you",
  working: "Working",
  resting: "Idle",
};

export interface Filter {
  readonly group: Group;
  /** Empty: of any. */
  readonly harness: string;
  /** Words that must all occur in what a row says. */
  readonly search: string;
}

export const NO_FILTER: Filter = { group: "all", harness: "", search: "" };

export interface Arranged {
  readonly rows: readonly AgentSession[];
  /** Of those that fit the search and the harness. */
  readonly counts: Readonly<Record<Group, number>>;
}

/** Who needs a person first, then who works, then the rest; within each, the newest first, so that rows keep their place. */
export function arrange(sessions: readonly AgentSession[], filter: Filter): Arranged {
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const byGroup: Record<Place, AgentSession[]> = { attention: [], unknown: [], working: [], resting: [] };
  for (const session of sessions) {
    if (filter.harness !== "" && session.harness !== filter.harness) continue;
    if (words.length > 0 && !matches(session, words)) continue;
    byGroup[groupOf(session)].push(session);
  }
  const { attention, unknown, working, resting } = byGroup;
  const all = [...attention, ...unknown, ...working, ...resting];
  const rows = filter.group === "all" ? all : byGroup[filter.group];
  const counts = {
    all: all.length,
    attention: attention.length,
    working: working.length,
    resting: resting.length,
  };
  return { rows, counts };
}

/** Of one whose screen nobody understands, neither work nor rest is known. */
type Place = Exclude<Group, "all"> | "unknown";

function groupOf({ ui, certainty }: AgentSession): Place {
  if (ui.needsAttention) return "attention";
  if (certainty === "unknown") return "unknown";
  return ui.isActive ? "working" : "resting";
}

export function harnessesOf(sessions: readonly AgentSession[]): readonly string[] {
  return [...new Set(sessions.map(({ harness }) => harness))].toSorted();
}

/** Made once for a session as it is: thousands are looked through at every letter. */
const texts = new WeakMap<AgentSession, string>();

function matches(session: AgentSession, words: readonly string[]): boolean {
  let text = texts.get(session);
  if (text === undefined) {
    const { id, title, harness, cwd, model, status, agent } = session;
    const words = `${provenWord(session)}\n${isShellSession(session) ? "" : status.replace("_", " ")}`;
    text = [id, title, harness, agentName(harness), cwd, model ?? "", agent?.name ?? "", words]
      .join("\n")
      .toLowerCase();
    texts.set(session, text);
  }
  const searched = text;
  return words.every((word) => searched.includes(word));
}
