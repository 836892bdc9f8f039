/** A race as clients see it. */
import { ChangesError } from "../../changes/points.js";
import type { Changes } from "../../changes/changes.js";
import { stateEventSchema } from "../../protocol/state-event.js";
import { mayBePerson } from "../../protocol/principal.js";
import type { Race, RaceRow } from "../../protocol/race.js";
import type { Journal } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { Workspaces } from "../workspaces/workspaces.js";
import type { RaceEntry, RaceRecord } from "./race-record.js";
import type { Races } from "./races.js";

export interface RaceSources {
  readonly races?: Races;
  readonly workspaces?: Workspaces;
  readonly changes?: Changes;
  readonly board: { readonly journal: Pick<Journal, "readNewest"> };
}

/** `cheap`: without what has to be counted in files and journals. */
type Depth = "cheap" | "full";

/** State entries that are read for the answers of a session. */
const ENTRIES_MAX = 2_000;

const OVER: ReadonlySet<string> = new Set(["completed", "stopped", "error"]);

export async function showRace(race: RaceRecord, sources: RaceSources, depth: Depth): Promise<Race> {
  const { id, title, prompt, directory, projectId, base, check, status, problem } = race;
  const entries = await Promise.all(race.entries.map((_, index) => rowOf(race, index, sources, depth)));
  const chosen = race.chosen && race.entries[race.chosen.entry];
  return {
    ...{ id, title, prompt, directory, projectId, base: { ...base }, check, status, problem },
    chosen: chosen?.sessionId == null ? null : { sessionId: chosen.sessionId, how: race.chosen?.how ?? "" },
    entries,
    ...{ createdAtMs: race.createdAtMs, updatedAtMs: race.updatedAtMs },
  };
}

async function rowOf(race: RaceRecord, index: number, sources: RaceSources, depth: Depth): Promise<RaceRow> {
  const entry = race.entries[index] as RaceEntry;
  const session = entry.sessionId === null ? null : (sources.races?.session(entry.sessionId) ?? null);
  const workspace = sources.workspaces?.desk.get(entry.workspaceId)?.state ?? null;
  const isFull = depth === "full" && session !== null;
  const counts = isFull ? await countsOf(session, sources) : null;
  return {
    ...{ harness: entry.harness, model: entry.model, sessionId: entry.sessionId },
    ...{ workspaceId: entry.workspaceId, branch: workspace?.branch ?? null, path: workspace?.path ?? null },
    status: session?.state.status ?? null,
    workspaceStatus: workspace?.status ?? null,
    needsPerson: session?.state.asks.some(({ needsHuman }) => needsHuman) ?? false,
    check: checkOf(race, index, entry, sources),
    ...{ files: counts?.files ?? null, added: counts?.added ?? null, removed: counts?.removed ?? null },
    timeMs:
      session && (OVER.has(session.state.status) ? session.statusSinceMs : Date.now()) - session.createdAtMs,
    usage: session && { ...session.usage },
    asksAnswered: isFull ? await answersIn(session.id, sources) : null,
    isChosen: race.chosen?.entry === index,
    ...{ isParked: entry.isParked, problem: entry.problem },
  };
}

function checkOf(
  race: RaceRecord,
  index: number,
  { check }: RaceEntry,
  { races }: RaceSources,
): RaceRow["check"] {
  if (races?.isChecking(race, index) === true)
    return { status: "running", exitCode: null, output: "", atMs: Date.now() };
  if (!check) return null;
  const { status, exitCode, output, atMs } = check;
  return { status, exitCode, output, atMs };
}

interface Counts {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/** Null: nothing is kept of its files, or they cannot be read now. */
async function countsOf({ id, settings }: SessionRecord, { changes }: RaceSources): Promise<Counts | null> {
  if (!changes) return null;
  try {
    const { files } = await changes.changes(id, settings.cwd, {
      from: { type: "base" },
      to: { type: "now" },
    });
    return {
      files: files.length,
      added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
      removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
    };
  } catch (error) {
    if (error instanceof ChangesError) return null;
    throw error;
  }
}

/** How often a person answered it. */
async function answersIn(sessionId: string, { board }: RaceSources): Promise<number> {
  const entries = await board.journal.readNewest(sessionId, ["state"], ENTRIES_MAX);
  return entries.filter(({ body, damaged }) => {
    if (damaged === true || !body.includes('"ask_closed"')) return false;
    const parsed = stateEventSchema.safeParse(JSON.parse(body));
    if (!parsed.success || parsed.data.payload.type !== "ask_closed") return false;
    const { by } = parsed.data.payload;
    return (
      by !== undefined && by.kind !== "rule" && by.kind !== "wall" && by.kind !== "auto" && mayBePerson(by)
    );
  }).length;
}
