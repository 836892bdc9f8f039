/**
 * Every workspace, and what is being done with it: events in order, effects one after the other, all of it kept before it is
 * acted upon. What a crash left is gone on with at the start.
 */
import type { Result } from "../core/step.js";
import type { WorkspaceEffect, WorkspaceRefusalCode } from "../core/workspace/effects.js";
import type { WorkspaceEvent } from "../core/workspace/events.js";
import { INITIAL_WORKSPACE, type WorkspaceState } from "../core/workspace/state.js";
import { transition } from "../core/workspace/workspace-machine.js";
import type { WorkspaceCheck } from "../protocol/workspace.js";
import { Crash, perform } from "./driver.js";
import type { Tools, WorkspacePlace } from "./place.js";

export interface WorkspaceRecord {
  readonly id: string;
  readonly projectId: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly place: WorkspacePlace;
  readonly state: WorkspaceState;
  /** What is still to be done, the first of it perhaps half. */
  readonly queue: readonly WorkspaceEffect[];
  /** The last one; absent: none was run. */
  readonly check?: WorkspaceCheck;
  /** By session: the files that its turns have changed, as its newest checkpoint tells. */
  readonly changed?: Readonly<Record<string, readonly string[]>>;
  /** When it was measured last. */
  readonly size?: { readonly bytes: number; readonly atMs: number };
}

/** What is known beside the state, and decides nothing. */
export type WorkspaceNotes = Pick<WorkspaceRecord, "check" | "changed" | "size">;

/** Keeps records, and the events that made them. Each call is on the disk when it returns, or throws and changes nothing. */
export interface WorkspaceStore {
  load(): readonly WorkspaceRecord[];
  /** `event`: what led to it; null: it is new. */
  save(record: WorkspaceRecord, event: WorkspaceEvent | null): void;
  remove(id: string): void;
}

export interface WorkspaceDeskOptions {
  readonly store: WorkspaceStore;
  readonly tools: Tools;
  readonly nowMs: () => number;
  /** After it was kept. Must not throw. */
  readonly onChanged: (record: WorkspaceRecord) => void;
  readonly onProblem: (what: string, error: unknown) => void;
}

export type Answered =
  | { readonly result: Exclude<Result, "rejected">; readonly record: WorkspaceRecord }
  | {
      readonly result: "rejected";
      readonly record: WorkspaceRecord;
      readonly code: WorkspaceRefusalCode;
      readonly message: string;
    };

export class WorkspaceDesk {
  private readonly records = new Map<string, WorkspaceRecord>();
  /** Of those whose queue is being worked on. */
  private readonly running = new Map<string, Promise<void>>();
  private readonly stops = new Map<string, AbortController>();
  private isClosed = false;

  constructor(private readonly options: WorkspaceDeskOptions) {}

  /** What is kept, without going on with it. */
  load(): void {
    for (const record of this.options.store.load()) {
      // Whoever worked on a turn tells again.
      const state = record.state.running === 0 ? record.state : transition(record.state, IDLE).state;
      this.records.set(record.id, { ...record, state });
    }
  }

  /** Takes up what is kept. */
  start(): void {
    if (this.records.size === 0) this.load();
    for (const id of this.records.keys()) this.work(id);
  }

  get(id: string): WorkspaceRecord | null {
    return this.records.get(id) ?? null;
  }

  all(): readonly WorkspaceRecord[] {
    return [...this.records.values()];
  }

  create(
    fields: Pick<WorkspaceRecord, "id" | "projectId" | "place">,
    event: Extract<WorkspaceEvent, { type: "create" | "adopt" }>,
  ): Answered {
    const nowMs = this.options.nowMs();
    const record = { ...fields, createdAtMs: nowMs, updatedAtMs: nowMs, state: INITIAL_WORKSPACE, queue: [] };
    this.records.set(record.id, record);
    return this.take(record.id, event);
  }

  /** A request or a fact. Throws when it could not be kept; then nothing has changed. */
  take(id: string, event: WorkspaceEvent): Answered {
    return this.advance(id, event, 0);
  }

  /** Looks now. Resolves with the record afterwards. */
  async look(id: string): Promise<WorkspaceRecord> {
    const record = this.need(id);
    const isKnown = record.state.added && record.state.status !== "gone";
    // The first may have looked already.
    if (isKnown && !record.queue.slice(1).some(({ type }) => type === "observe")) {
      const after = { ...record, queue: [...record.queue, OBSERVE] };
      this.keep(after, null);
      this.work(id);
    }
    await this.settled(id);
    return this.need(id);
  }

  /** Throws when it could not be kept; nothing happens for a workspace that is forgotten by now. */
  note(id: string, notes: WorkspaceNotes): void {
    const record = this.records.get(id);
    if (record) this.keep({ ...record, ...notes, updatedAtMs: this.options.nowMs() }, null);
  }

  /** Nothing is being done for it. */
  async settled(id: string): Promise<void> {
    await this.running.get(id);
  }

  /** What is being done ends where it is; the next start goes on. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const stop of this.stops.values()) stop.abort();
    await Promise.all(this.running.values());
  }

  /** It is over, and nobody asks for it any more. */
  forget(id: string): void {
    this.options.store.remove(id);
    this.records.delete(id);
  }

  private need(id: string): WorkspaceRecord {
    const record = this.records.get(id);
    if (!record) throw new Error(`there is no workspace ${id}`);
    return record;
  }

  /** `done`: how many effects of the queue are done with this report. */
  private advance(id: string, event: WorkspaceEvent, done: number): Answered {
    const before = this.need(id);
    const step = transition(before.state, event);
    const queue = before.queue.slice(done);
    for (const effect of step.effects) {
      // A look that is about to be taken anyway is not taken twice.
      const isRepeated = effect.type === "observe" && queue.at(-1)?.type === "observe" && queue.length > 1;
      if (effect.type !== "emit_workspace_changed" && effect.type !== "stop_setup" && !isRepeated)
        queue.push(effect);
    }
    const record = { ...before, state: step.state, queue, updatedAtMs: this.options.nowMs() };
    if (step.state !== before.state || queue.length !== before.queue.length) this.keep(record, event);
    if (step.effects.some(({ type }) => type === "stop_setup")) this.stops.get(id)?.abort();
    this.work(id);
    if (step.error) return { result: "rejected", record: before, ...step.error };
    return { result: step.result === "ignored" ? "ignored" : "ok", record };
  }

  private keep(record: WorkspaceRecord, event: WorkspaceEvent | null): void {
    this.options.store.save(record, event);
    this.records.set(record.id, record);
    this.options.onChanged(record);
  }

  private work(id: string): void {
    if (this.isClosed || this.running.has(id) || this.need(id).queue.length === 0) return;
    const working = this.drain(id)
      .catch((error: unknown) => this.options.onProblem(`workspace ${id}`, error))
      .finally(() => this.running.delete(id));
    this.running.set(id, working);
  }

  private async drain(id: string): Promise<void> {
    for (;;) {
      const { queue, state, place } = this.need(id);
      const [effect] = queue;
      if (effect === undefined || this.isClosed) return;
      const stop = new AbortController();
      this.stops.set(id, stop);
      try {
        const report = await perform(effect, state, place, this.options.tools, stop.signal);
        // The end of what we ended ourselves is not its own: it is done again.
        if (stop.signal.aborted && this.hasEnded()) return;
        if (report === null) this.drop(id);
        else this.advance(id, report, 1);
      } catch (error) {
        if (error instanceof Crash || effect.type !== "observe") throw error;
        // It is looked at again when somebody asks.
        this.options.onProblem(`a look at ${place.path}`, error);
        this.drop(id);
      } finally {
        this.stops.delete(id);
      }
    }
  }

  private hasEnded(): boolean {
    return this.isClosed;
  }

  private drop(id: string): void {
    const record = this.need(id);
    this.keep({ ...record, queue: record.queue.slice(1) }, null);
  }
}

const IDLE = { type: "activity", running: 0 } as const;
const OBSERVE = { type: "observe" } as const;
