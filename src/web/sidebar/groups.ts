/** Sessions as the sidebar has them: who needs a person, then by project, then shells. */
import { isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import type { PlaceOf } from "../places/place-of.js";

export interface Group {
  /** What its folding is remembered by. */
  readonly key: string;
  readonly name: string;
  readonly sessions: readonly AgentSession[];
  /** How many of the project's sessions need a person: those stand above, and are not among its own. */
  readonly needing: number;
}

export type SideRow =
  | { readonly type: "group"; readonly group: Group; readonly isFolded: boolean }
  | { readonly type: "session"; readonly session: AgentSession };

export const NEEDING_KEY = "needs-you";
export const SHELLS_KEY = "shells";

/** A failure asks nothing: it stays where it is, and is marked. */
export function needsYou({ ui, status }: AgentSession): boolean {
  return ui.needsAttention && status !== "error";
}

/** Within a group the newest first, so that rows keep their place while agents work; who has waited longest comes first. */
export function groupSessions(sessions: readonly AgentSession[], placeOf: PlaceOf): readonly Group[] {
  const needing: AgentSession[] = [];
  const shells: AgentSession[] = [];
  const projects = new Map<string, { name: string; sessions: AgentSession[]; needing: number }>();
  for (const session of sessions) {
    const needs = needsYou(session);
    if (needs) needing.push(session);
    if (!needs && isShellSession(session)) {
      shells.push(session);
      continue;
    }
    const { key, name } = placeOf(session);
    let project = projects.get(key);
    if (!project) projects.set(key, (project = { name, sessions: [], needing: 0 }));
    if (needs) project.needing += 1;
    else project.sessions.push(session);
  }
  const group = (key: string, name: string, own: readonly AgentSession[]) =>
    own.length === 0 ? [] : [{ key, name, sessions: own, needing: 0 }];
  return [
    ...group(NEEDING_KEY, "Needs you", byWait(needing)),
    ...[...projects].map(([key, project]) => ({ key: `project ${key}`, ...project })),
    ...group(SHELLS_KEY, "Shells", shells),
  ];
}

export function rowsOf(groups: readonly Group[], folded: ReadonlySet<string>): readonly SideRow[] {
  return groups.flatMap((group): readonly SideRow[] => {
    const isFolded = folded.has(group.key);
    const head: SideRow = { type: "group", group, isFolded };
    if (isFolded) return [head];
    return [head, ...group.sessions.map((session): SideRow => ({ type: "session", session }))];
  });
}

/** Where `step` leads from a session, among those that are not folded away; from none, to the first or the last. */
export function neighbour(rows: readonly SideRow[], from: string | null, step: 1 | -1): string | null {
  const ids = rows.flatMap((row) => (row.type === "session" ? [row.session.id] : []));
  const at = from === null ? -1 : ids.indexOf(from);
  if (at === -1) return (step === 1 ? ids[0] : ids.at(-1)) ?? null;
  return ids[at + step] ?? null;
}

/** The one after this that needs a person, and after the last the first; null when no other does. */
export function nextNeeding(sessions: readonly AgentSession[], from: string | null): string | null {
  const ids = byWait(sessions.filter(needsYou)).map(({ id }) => id);
  const next = ids[(from === null ? -1 : ids.indexOf(from)) + 1] ?? ids[0];
  return next === undefined || next === from ? null : next;
}

/** Who has waited longest comes first. */
function byWait(sessions: readonly AgentSession[]): readonly AgentSession[] {
  return sessions.toSorted((a, b) => a.statusSinceMs - b.statusSinceMs);
}
