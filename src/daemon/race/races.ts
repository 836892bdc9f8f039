/** Races, as the daemon has them: what each does next is decided in `core/race`, and carried out here, one step at a time. */
import { createHash } from "node:crypto";
import { nextSteps, type RaceStep } from "../../core/race/race-steps.js";
import type { WorkspaceState } from "../../core/index.js";
import type { Principal } from "../../protocol/principal.js";
import { principalKey } from "../../protocol/principal.js";
import type { CreateRace } from "../../protocol/race.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { ReceiptDraft } from "../../runtime/submission.js";
import type { WorkspaceRecord } from "../../workspace/workspace-desk.js";
import { RepositoryError } from "../../workspace/find-repository.js";
import { GitError } from "../../workspace/git.js";
import type { Workspaces } from "../workspaces/workspaces.js";
import {
  factsOf,
  type RaceEntry,
  type RaceFinishWay,
  type RaceRecord,
  type RaceWorld,
} from "./race-record.js";
import type { SqliteRaceStore } from "./race-store.js";

export interface RacesOptions {
  readonly store: SqliteRaceStore;
  readonly workspaces: Workspaces;
  readonly session: (id: string) => SessionRecord | null;
  readonly sessions: () => Iterable<SessionRecord>;
  readonly newId: () => string;
  readonly onProblem: (what: string, error: unknown) => void;
}

/** What a race asks of the rest of the daemon. */
export interface RaceHands {
  /** A session in a workspace that is there. */
  readonly startSession: (race: RaceRecord, entry: RaceEntry, receipt: ReceiptDraft) => Promise<Started>;
  /** Null: it was told. */
  readonly stopSession: (race: RaceRecord, sessionId: string) => Promise<string | null>;
}

export type Started =
  | { readonly ok: true; readonly sessionId: string }
  /** `later`: not its own fault. */
  | { readonly ok: false; readonly words: string; readonly later: boolean };

const RACES_MAX = 500;
const CHECKS_AT_ONCE = 2;
const CHECK_OUTPUT_LENGTH = 4_000;
const ROUNDS_MAX = 200;
const LATER_MS = 5_000;
const LOOKS_MAX = 3;

export class Races implements Bus {
  private readonly records = new Map<string, RaceRecord>();
  private readonly working = new Map<string, Promise<void>>();
  private readonly wanted = new Set<string>();
  /** By race and entry: the end of the turn that is being checked. */
  private readonly checks = new Map<string, { readonly doneAtMs: number; readonly ended: Promise<void> }>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly world: RaceWorld;
  private hands: RaceHands | null = null;
  private isClosed = false;

  constructor(private readonly options: RacesOptions) {
    const { workspaces } = options;
    this.world = {
      session: options.session,
      workspace: (id) => workspaces.desk.get(id),
      checkCommand: (race, workspace) => race.check ?? (workspace && workspaces.checkCommand(workspace)),
      checking: (race, entry) => this.checks.get(`${race.id}/${entry}`)?.doneAtMs ?? null,
    };
    for (const race of options.store.load()) this.records.set(race.id, race);
  }

  /** Goes on with what is kept. */
  start(hands: RaceHands): void {
    this.hands = hands;
    this.options.workspaces.watch((id) => this.wakeFor(({ workspaceId }) => workspaceId === id));
    for (const id of this.records.keys()) void this.wake(id);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.working.values());
    // The checks themselves end with the workspaces.
    this.options.store.close();
  }

  all(): readonly RaceRecord[] {
    return [...this.records.values()].toSorted((one, other) => other.createdAtMs - one.createdAtMs);
  }

  get(id: string): RaceRecord | null {
    return this.records.get(id) ?? null;
  }

  /** Also for whoever may see the race, but not all sessions. */
  session(id: string): SessionRecord | null {
    return this.options.session(id);
  }

  /** What is being checked, for whoever looks. */
  isChecking(race: RaceRecord, entry: number): boolean {
    return this.world.checking(race, entry) !== null;
  }

  /** The race that this very request made before; `conflict`: another one had its name. */
  earlier(receipt: ReceiptDraft | null, by: Principal): RaceRecord | "conflict" | null {
    if (!receipt) return null;
    const key = receiptKey(receipt, by);
    const known = [...this.records.values()].find((race) => race.receipt?.key === key);
    if (!known) return null;
    return known.receipt?.fingerprint === receipt.fingerprint ? known : "conflict";
  }

  /** Begins one, with all its entries written down before any of them is made. */
  create(wanted: NewRace): RaceRecord {
    const { body, receipt, by } = wanted;
    const entries = expand(body).map((entry, index, all) => ({
      ...entry,
      title: `${wanted.title} · ${labelOf(entry, index, all)}`,
      workspaceId: this.options.newId(),
    }));
    const nowMs = Date.now();
    const race: RaceRecord = {
      id: this.options.newId(),
      ...{ title: wanted.title, prompt: body.prompt, directory: wanted.directory },
      ...{ projectId: wanted.projectId, base: wanted.base, check: body.check ?? null },
      ...{ status: "running", chosen: null, problem: null, by },
      receipt: receipt && { key: receiptKey(receipt, by), fingerprint: receipt.fingerprint },
      entries,
      ...{ createdAtMs: nowMs, updatedAtMs: nowMs },
    };
    this.forgetSome();
    this.keep(race);
    void this.wake(race.id);
    return race;
  }

  /** Resolves when it is done, or is known not to be. */
  async choose(
    race: RaceRecord,
    entry: number,
    finish: { readonly how: RaceFinishWay; readonly message: string; readonly observation: string | null },
  ): Promise<RaceRecord> {
    this.keep({ ...race, status: "choosing", problem: null, chosen: { entry, ...finish } });
    await this.wake(race.id);
    return this.need(race.id);
  }

  async stop(race: RaceRecord): Promise<RaceRecord> {
    this.keep({ ...race, status: "stopped" });
    await this.wake(race.id);
    return this.need(race.id);
  }

  publish({ sessionIds, removedSessionIds }: Committed): void {
    const ids = new Set([...sessionIds, ...removedSessionIds]);
    this.wakeFor(({ sessionId }) => sessionId !== null && ids.has(sessionId));
  }

  private wakeFor(concerns: (entry: RaceEntry) => boolean): void {
    for (const { id, entries } of this.records.values()) if (entries.some(concerns)) void this.wake(id);
  }

  /** Resolves when there is nothing more to do now. Never rejects. */
  private wake(id: string): Promise<void> {
    this.wanted.add(id);
    const running = this.working.get(id);
    if (running) return running;
    const begun = Promise.resolve()
      .then(() => this.work(id))
      .catch((error: unknown) => {
        this.options.onProblem(`the race ${id}`, error);
        this.later(id);
      })
      .then(() => {
        this.working.delete(id);
        // Asked for while the last round ended.
        return this.wanted.has(id) && !this.isClosed ? this.wake(id) : undefined;
      });
    this.working.set(id, begun);
    return begun;
  }

  private async work(id: string): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX && this.wanted.has(id); round += 1) {
      this.wanted.delete(id);
      const steps = nextSteps(factsOf(this.need(id), this.world));
      for (const step of steps) {
        if (this.isClosed || this.hands === null) return;
        if (await this.perform(id, step, this.hands)) this.wanted.add(id);
      }
    }
    if (this.wanted.delete(id)) this.later(id);
  }

  private later(id: string): void {
    if (this.isClosed) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.wake(id);
    }, LATER_MS);
    this.timers.add(timer);
  }

  /** True: something is otherwise than before, and the race is looked at again. */
  private async perform(id: string, step: RaceStep, hands: RaceHands): Promise<boolean> {
    const race = this.need(id);
    switch (step.type) {
      case "start":
        return this.startEntry(race, step.entry, hands);
      case "check":
        return this.beginCheck(race, step.entry);
      case "stop":
        return this.stopEntry(race, step.entry, hands);
      case "finish":
        return this.finishChosen(race, step.entry);
      case "decide":
        this.keep({ ...race, status: "chosen", problem: null });
        return true;
      case "unchoose":
        return this.unchoose(race, step.entry, this.whyNot(entryOf(race, step.entry)));
      case "branch":
        return this.keepBranch(race, step.entry);
      case "park": {
        const entry = entryOf(race, step.entry);
        const why = entry.isFinishAsked ? this.errorOf(entry) : null;
        return this.change(race.id, step.entry, { isParked: true, problem: why ?? entry.problem });
      }
    }
  }

  private async startEntry(race: RaceRecord, index: number, hands: RaceHands): Promise<boolean> {
    const entry = entryOf(race, index);
    // A daemon before us may have made it, and ended before it wrote that down.
    const made = [...this.options.sessions()].find(
      ({ settings }) => settings.workspaceId === entry.workspaceId,
    );
    if (made) return this.change(race.id, index, { sessionId: made.id });
    const { workspaces } = this.options;
    try {
      await workspaces.create({
        ...{ directory: race.directory, id: entry.workspaceId, branch: null, from: null },
        ...{ title: `${entry.harness} ${race.title}`, base: race.base },
      });
    } catch (error) {
      if (!(error instanceof RepositoryError || error instanceof GitError)) throw error;
      return this.change(race.id, index, { problem: error.message });
    }
    const started = await hands.startSession(race, entry, receiptOf(race, index));
    if (started.ok) return this.change(race.id, index, { sessionId: started.sessionId });
    if (started.later) {
      this.later(race.id);
      return false;
    }
    const left = workspaces.take(entry.workspaceId, { type: "abort" });
    if (left.result === "rejected")
      this.options.onProblem(`the workspace ${entry.workspaceId} has no session`, new Error(left.message));
    return this.change(race.id, index, { problem: started.words });
  }

  /** Goes on by itself; its end is written down, unless the daemon ended it. */
  private beginCheck(race: RaceRecord, index: number): boolean {
    const key = `${race.id}/${index}`;
    const entry = entryOf(race, index);
    const workspace = this.world.workspace(entry.workspaceId);
    const command = this.world.checkCommand(race, workspace);
    const session = entry.sessionId === null ? null : this.options.session(entry.sessionId);
    const under = [...this.checks.keys()].filter((each) => each.startsWith(`${race.id}/`)).length;
    if (!workspace || command === null || !session || this.checks.has(key) || under >= CHECKS_AT_ONCE)
      return false;
    const doneAtMs = session.statusSinceMs;
    const ended = this.check(race.id, index, workspace, command, doneAtMs)
      .catch((error: unknown) => {
        this.options.onProblem(`the check of the race ${race.id}`, error);
        this.later(race.id);
      })
      .finally(() => {
        this.checks.delete(key);
        if (!this.isClosed) void this.wake(race.id);
      });
    this.checks.set(key, { doneAtMs, ended });
    return false;
  }

  private async check(
    id: string,
    index: number,
    workspace: WorkspaceRecord,
    command: string,
    doneAtMs: number,
  ): Promise<void> {
    const { checks, desk } = this.options.workspaces;
    const seen = await desk.look(workspace.id);
    // One that somebody else asked for is not ours.
    await checks.settled(workspace.id);
    if (this.hasEnded()) return;
    checks.begin(seen, command);
    await checks.settled(workspace.id);
    const ended = desk.get(workspace.id)?.check;
    // What the end of the daemon cut off is run again by the next one.
    if (this.hasEnded() || !ended || ended.status === "running") return;
    const { status, exitCode, atMs } = ended;
    const output = ended.output.slice(-CHECK_OUTPUT_LENGTH);
    this.change(id, index, { check: { doneAtMs, status, exitCode, output, atMs } });
  }

  private async stopEntry(race: RaceRecord, index: number, hands: RaceHands): Promise<boolean> {
    const { sessionId } = entryOf(race, index);
    const refused = sessionId === null ? null : await hands.stopSession(race, sessionId);
    return this.change(race.id, index, {
      isStopAsked: true,
      ...(refused === null ? {} : { problem: `It was not stopped: ${refused}` }),
    });
  }

  private async finishChosen(race: RaceRecord, index: number): Promise<boolean> {
    const { chosen } = race;
    if (!chosen) return false;
    const { workspaceId } = entryOf(race, index);
    const { workspaces } = this.options;
    const seen = await workspaces.desk.look(workspaceId);
    const observation = chosen.observation ?? seen.state.observed?.id ?? "none";
    const { how, message } = chosen;
    const answered = workspaces.take(workspaceId, { type: "finish", how, message, observation, when: "now" });
    if (answered.result === "rejected") return this.unchoose(race, index, answered.message);
    this.change(race.id, index, { isFinishAsked: true });
    await workspaces.desk.settled(workspaceId);
    return true;
  }

  private unchoose(race: RaceRecord, index: number, problem: string): boolean {
    const now = this.need(race.id);
    const entries = now.entries.map((entry, at) =>
      at === index ? { ...entry, isFinishAsked: false } : entry,
    );
    this.keep({ ...now, status: "running", chosen: null, problem, entries });
    return true;
  }

  private async keepBranch(race: RaceRecord, index: number): Promise<boolean> {
    const entry = entryOf(race, index);
    const { workspaces } = this.options;
    const observed = await this.observed(entry.workspaceId);
    if (observed === null)
      return this.change(race.id, index, {
        ...{ isParked: true, problem: this.errorOf(entry) ?? "its files could not be looked at" },
      });
    const answered = workspaces.take(entry.workspaceId, {
      ...({ type: "finish", how: "branch", when: "idle" } as const),
      ...{ message: race.title, observation: observed.id },
    });
    if (answered.result !== "rejected") return this.change(race.id, index, { isFinishAsked: true });
    const problem = answered.code === "nothing_to_finish" ? null : answered.message;
    return this.change(race.id, index, { isParked: true, problem });
  }

  /** Null: it cannot be looked at, or changes all the time. */
  private async observed(workspaceId: string): Promise<WorkspaceState["observed"]> {
    for (let tries = 0; tries < LOOKS_MAX; tries += 1) {
      const { state } = await this.options.workspaces.desk.look(workspaceId);
      if (state.observed !== null) return state.observed;
    }
    return null;
  }

  private whyNot(entry: RaceEntry): string {
    return this.errorOf(entry) ?? "its finish was taken back";
  }

  private errorOf({ workspaceId }: RaceEntry): string | null {
    return this.world.workspace(workspaceId)?.state.error?.message ?? null;
  }

  private change(id: string, index: number, fields: Partial<RaceEntry>): true {
    const race = this.need(id);
    const entries = race.entries.map((entry, at) => (at === index ? { ...entry, ...fields } : entry));
    this.keep({ ...race, entries });
    return true;
  }

  private keep(race: RaceRecord): void {
    const kept = { ...race, updatedAtMs: Math.max(Date.now(), race.updatedAtMs) };
    this.options.store.save(kept);
    this.records.set(kept.id, kept);
  }

  /** Those that are over go first, the oldest before. */
  private forgetSome(): void {
    const over = this.all().filter(({ status }) => status === "chosen" || status === "stopped");
    while (this.records.size >= RACES_MAX) {
      const oldest = over.pop();
      if (!oldest)
        throw new RepositoryError("branch_exists", `There are ${RACES_MAX} races: stop some first.`);
      this.options.store.remove(oldest.id);
      this.records.delete(oldest.id);
    }
  }

  private hasEnded(): boolean {
    return this.isClosed;
  }

  private need(id: string): RaceRecord {
    const race = this.records.get(id);
    if (!race) throw new Error(`there is no race ${id}`);
    return race;
  }
}

export interface NewRace {
  readonly body: CreateRace;
  readonly title: string;
  readonly directory: string;
  readonly projectId: string;
  readonly base: RaceRecord["base"];
  readonly receipt: ReceiptDraft | null;
  readonly by: Principal;
}

type EntryWish = Omit<RaceEntry, "title" | "workspaceId">;

/** Each as often as it is wanted. */
export function expand({ entries, n = 1 }: CreateRace): readonly EntryWish[] {
  return entries.flatMap(({ harness, model = null, args = [] }) =>
    Array.from({ length: n }, () => ({
      ...{ harness, model, args, sessionId: null, check: null, problem: null },
      ...{ isStopAsked: false, isFinishAsked: false, isParked: false },
    })),
  );
}

/** As short as tells them apart. */
function labelOf({ harness, model }: EntryWish, index: number, all: readonly EntryWish[]): string {
  const label = model === null ? harness : `${harness}:${model}`;
  const isSame = (other: EntryWish): boolean => other.harness === harness && other.model === model;
  if (all.filter(isSame).length === 1) return label;
  return `${label} ${all.slice(0, index + 1).filter(isSame).length}`;
}

function entryOf({ id, entries }: RaceRecord, index: number): RaceEntry {
  const entry = entries[index];
  if (!entry) throw new Error(`the race ${id} has no entry ${index}`);
  return entry;
}

function receiptKey({ clientId }: ReceiptDraft, by: Principal): string {
  return `${principalKey(by)} ${clientId}`;
}

/** The same for the same entry, whoever makes it. */
function receiptOf({ id }: RaceRecord, index: number): ReceiptDraft {
  const clientId = `race/${id}/${index}`;
  return { clientId, fingerprint: createHash("sha256").update(clientId).digest("hex") };
}
