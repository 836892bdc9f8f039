/**
 * What workspaces take of the disk and which files they change: noted when a turn has ended or a workspace was made, and
 * never by looking again and again.
 */
import type { Overlap } from "../../protocol/workspace.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { WorkspaceDesk, WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { sizeOf } from "./disk-use.js";

const GIB = 1024 ** 3;
export const DISK_BYTES_MAX = 20 * GIB;
/** From here on it is told. */
const TOLD_SHARE = 0.8;
const SIZE_LIFE_MS = 10 * 60_000;
/** Of each session. */
const FILES_MAX = 2_000;
/** Of each pair. */
const OVERLAP_FILES_MAX = 20;
const OVERLAPS_MAX = 20;

export interface FootprintOptions {
  readonly desk: WorkspaceDesk;
  /** Of the files that a session has changed up to the end of this turn, by its checkpoints. */
  readonly changedFiles: (record: SessionRecord) => Promise<readonly string[]>;
  readonly onProblem: (what: string, error: unknown) => void;
}

export class Footprint {
  /** The newest turn of a session whose files are noted. */
  private readonly turns = new Map<string, number>();
  private readonly sets = new WeakMap<object, ReadonlySet<string>>();
  private measuring: Promise<void> = Promise.resolve();
  private readonly waiting = new Set<string>();
  private isClosed = false;

  constructor(private readonly options: FootprintOptions) {}

  /** The files at the end of its turn are kept: which they are is asked once. */
  turnEnded(workspaceId: string, session: SessionRecord): void {
    const { id, state } = session;
    if (!state.checkpoints || state.checkpoint !== null || state.turn === (this.turns.get(id) ?? 0)) return;
    this.turns.set(id, state.turn);
    this.options
      .changedFiles(session)
      .then((files) => {
        const changed = this.options.desk.get(workspaceId)?.changed ?? {};
        this.options.desk.note(workspaceId, {
          changed: { ...changed, [id]: [...files].slice(0, FILES_MAX) },
        });
      })
      .catch((error: unknown) => this.options.onProblem(`the changed files of ${id}`, error));
  }

  forget(sessionId: string): void {
    this.turns.delete(sessionId);
  }

  /** One after the other, and none more often than it could have grown much. */
  measure(id: string): void {
    const record = this.options.desk.get(id);
    const isFresh = record?.size !== undefined && Date.now() - record.size.atMs < SIZE_LIFE_MS;
    if (!record || isFresh || this.waiting.has(id) || this.isClosed) return;
    this.waiting.add(id);
    this.measuring = this.measuring.then(async () => {
      this.waiting.delete(id);
      if (this.isClosed) return;
      try {
        const bytes = await sizeOf(record.place.path);
        if (!this.hasClosed()) this.options.desk.note(id, { size: { bytes, atMs: Date.now() } });
      } catch (error) {
        this.options.onProblem(`the size of the workspace ${id}`, error);
      }
    });
  }

  /** As far as it is known. */
  usedBy(projectId: string): number {
    return this.options.desk
      .all()
      .filter((record) => record.projectId === projectId && record.state.status !== "gone")
      .reduce((sum, { size }) => sum + (size?.bytes ?? 0), 0);
  }

  isNear(projectId: string, maxBytes: number): boolean {
    return this.usedBy(projectId) >= maxBytes * TOLD_SHARE;
  }

  /** Others of the project, not finished either, that change the same files. */
  overlaps(record: WorkspaceRecord): Overlap[] {
    const own = this.filesOf(record);
    if (own.size === 0 || isOver(record)) return [];
    return this.options.desk
      .all()
      .filter((other) => other.projectId === record.projectId && other.id !== record.id && !isOver(other))
      .flatMap((other) => {
        const files = [...this.filesOf(other)].filter((file) => own.has(file)).toSorted();
        return files.length === 0
          ? []
          : [{ workspaceId: other.id, files: files.slice(0, OVERLAP_FILES_MAX), count: files.length }];
      })
      .slice(0, OVERLAPS_MAX);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.measuring;
  }

  private hasClosed(): boolean {
    return this.isClosed;
  }

  private filesOf({ changed }: WorkspaceRecord): ReadonlySet<string> {
    if (changed === undefined) return new Set();
    const known = this.sets.get(changed) ?? new Set(Object.values(changed).flat());
    this.sets.set(changed, known);
    return known;
  }
}

function isOver({ state }: WorkspaceRecord): boolean {
  return state.status === "merged" || state.status === "gone";
}
