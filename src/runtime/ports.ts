/**
 * What the loop needs of the world. Each port has a contract suite in `test/contract`, run on every implementation.
 */
import type { Result, RosterState, SessionEvent, SessionFact, SessionState } from "../core/index.js";
import type { AuditEntry } from "../protocol/audit.js";
import type { EvidenceSource, MessageStatus } from "../protocol/state-event.js";
import type { WallPlan } from "../protocol/wall.js";
import type { AuditHead } from "./audit-trail.js";
import type { Call } from "./call.js";
import type { QueryAnswer } from "./query.js";
import type { SessionRecord } from "./session-record.js";

export interface Clock {
  nowMs(): number;
  /** Calls back once, at `atMs` or as soon after as can be; the result cancels it. */
  wakeAt(atMs: number, callback: () => void): () => void;
}

export type EntryKind = "stream" | "state" | "request" | "fact";

/** One line of the journal. Positions rise by one over all sessions, `seq` by one within a session. */
export interface Entry {
  readonly position: number;
  readonly sessionId: string;
  readonly seq: number;
  readonly atMs: number;
  readonly kind: EntryKind;
  /** The run that a fact or a stream event speaks of; 0 where there is none. */
  readonly run: number;
  /** JSON: what subscribers get, byte for byte. */
  readonly body: string;
  /** It is not as it was written. Its body says so, in an event of its kind. */
  readonly damaged?: true;
}

/** What a driver still has to do. `seq.index` names it within its session; it may be done twice, and must act once. */
export interface OutboxItem {
  readonly sessionId: string;
  readonly effectId: string;
  readonly call: Call;
}

export interface TimerRecord {
  readonly sessionId: string;
  readonly timerId: string;
  readonly dueAtMs: number;
}

export interface MessageRecord {
  readonly messageId: string;
  readonly sessionId: string;
  readonly atMs: number;
  readonly text: string;
  readonly status: MessageStatus;
}

/** The answer to a request that carried a `clientId`. */
export interface Receipt {
  /** Whose request it was, by its key. */
  readonly principal: string;
  readonly clientId: string;
  /** Of the request: the same id with another request is a conflict. */
  readonly fingerprint: string;
  readonly atMs: number;
  /** JSON. */
  readonly result: string;
}

/** One transaction: all of it is there afterwards, or nothing. Later writes of the same row win. */
export interface Commit {
  /** `full`: on the disk when it resolves. `normal`: a power cut may lose it, a crash of ours may not. */
  readonly sync: "full" | "normal";
  readonly entries: readonly Entry[];
  readonly sessions: readonly SessionRecord[];
  readonly removedSessionIds: readonly string[];
  readonly outbox: readonly OutboxItem[];
  readonly acked: readonly { readonly sessionId: string; readonly effectId: string }[];
  readonly startedTimers: readonly TimerRecord[];
  readonly endedTimers: readonly { readonly sessionId: string; readonly timerId: string }[];
  readonly messages: readonly MessageRecord[];
  readonly messageStatuses: readonly { readonly messageId: string; readonly status: MessageStatus }[];
  readonly receipts: readonly Receipt[];
  /** It outlives the sessions of which it tells. */
  readonly audit: readonly AuditEntry[];
  readonly roster: RosterState | null;
  /** Streams that are complete: their text may be written together. */
  readonly finishedStreams: readonly FinishedStream[];
}

export interface FinishedStream {
  readonly sessionId: string;
  readonly streamId: string;
}

/** Where to go on. Never the log: its cost must not grow with history. */
export interface Loaded {
  readonly lastPosition: number;
  readonly sessions: readonly SessionRecord[];
  readonly outbox: readonly OutboxItem[];
  readonly timers: readonly TimerRecord[];
  /** Only those that are queued, being sent, or came back. */
  readonly unsettledMessages: readonly MessageRecord[];
  readonly roster: RosterState | null;
  readonly finishedStreams: readonly FinishedStream[];
  /** Absent: there is no audit yet. */
  readonly auditHead?: AuditHead;
  /** It is a backup, or was repaired, and no daemon has taken it up yet: no run of it lives. */
  readonly isRestored?: true;
}

export interface EntryQuery {
  readonly sessionId?: string;
  readonly kinds?: readonly EntryKind[];
  /** Only entries at a later position. */
  readonly after: number;
  readonly limit: number;
}

export interface AuditQuery {
  readonly sinceMs: number;
  /** Only entries with a larger number. */
  readonly after: number;
  readonly limit: number;
}

export interface Journal {
  /** What it gives is on the disk. */
  load(): Promise<Loaded>;
  /** Rejects, and changes nothing, when the disk is full or broken. Called one after the other. */
  commit(commit: Commit): Promise<void>;
  /**
   * Resolves when all that was committed before is on the disk for good. Commits go on meanwhile. Rejects when the disk
   * does not take it however often it is tried.
   */
  sync(): Promise<void>;
  /** In order of position. */
  readEntries(query: EntryQuery): Promise<readonly Entry[]>;
  /** The newest entries of a session that `kinds` names, newest first. */
  readNewest(sessionId: string, kinds: readonly EntryKind[], limit: number): Promise<readonly Entry[]>;
  readEntry(sessionId: string, seq: number): Promise<Entry | null>;
  countAfter(position: number, sessionId?: string): Promise<number>;
  readMessage(messageId: string): Promise<MessageRecord | null>;
  /** Of this principal; one that was written before principals were is anybody's. */
  readReceipt(principal: string, clientId: string): Promise<Receipt | null>;
  /** In their order. */
  readAudit(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /**
   * Writes the text deltas of each message of a finished stream as one entry, in the place of the last: its position, its
   * seq, its envelope, and a payload `{text, replace: true, startedSeq, startedAtMs}`. The same for thinking.
   */
  compact(stream: FinishedStream): Promise<void>;
  /** Deletes receipts older than `receiptsBeforeMs`, and entries of stopped sessions older than `entriesBeforeMs`. */
  prune(before: {
    readonly receiptsBeforeMs: number;
    readonly entriesBeforeMs: number | null;
  }): Promise<void>;
  /** Bytes on disk. */
  sizeBytes(): Promise<number>;
  close(): Promise<void>;
}

/** What a commit made known. */
export interface Committed {
  /** `full`: it is being synced, and `synced` tells when that is done. */
  readonly sync: Commit["sync"];
  readonly entries: readonly Entry[];
  readonly sessionIds: readonly string[];
  readonly removedSessionIds: readonly string[];
}

/** Subscribers see only what is committed, in order of position. Must not throw. */
export interface Bus {
  publish(committed: Committed): void;
  /** Told once for each commit that is synced, in their order: it and all before it are on the disk for good. */
  synced?(): void;
}

/** Does what effects ask, and reports what came of it as facts. */
export interface Driver {
  /**
   * Resolves when the call is done or handed over for good, with the facts that it made. Calls of a session come one after
   * the other, in order. It may be called again with the same effect after a crash, and must not act twice. `overtaken`
   * is told when the run is to be interrupted or to end: what only looks at a terminal is then given up.
   */
  perform(item: OutboxItem, record: SessionRecord, overtaken: AbortSignal): Promise<Performed>;
}

export interface Performed {
  readonly facts: readonly DriverFact[];
  /** The agent's process is there: it takes its seat in the roster. */
  readonly started?: boolean;
  /** It was started without the conversation that it was to go on with. */
  readonly forgot?: boolean;
  /** To the call's query. */
  readonly answer?: QueryAnswer;
  /** What was promised and cannot be kept: whom it was for is gone. In words, for a person. */
  readonly undelivered?: string;
  /** What became of an answer that was to hold for more than once. */
  readonly granted?: GrantOutcome;
  /** What stands around the run that was started. */
  readonly wall?: AppliedWall;
}

/** `plan`: null where nothing does, and then why. */
export type AppliedWall =
  { readonly plan: WallPlan; readonly because: null } | { readonly plan: null; readonly because: string };

export interface GrantOutcome {
  readonly scope: "session" | "project" | "always";
  /** They cover what the person was shown. */
  readonly rules: readonly string[];
  /** Where they were written; null: the session itself keeps them, or nobody does. */
  readonly file: string | null;
  /** Why the answer holds only once. */
  readonly problem: string | null;
}

export interface DriverFact {
  readonly fact: SessionFact;
  readonly source: EvidenceSource;
}

/** Sees every step, for logs, metrics and traces. Must not throw. */
export interface Observer {
  stepped(step: ObservedStep): void;
  /** A message of an agent that its codec does not know. */
  unknownMessage(sessionId: string, harness: string, kind: string): void;
  /** Something went wrong that no request or fact can tell. */
  failed(what: string, error: unknown): void;
}

export interface ObservedStep {
  readonly sessionId: string;
  readonly event: SessionEvent;
  readonly result: Result;
  /** Why a fact was ignored. */
  readonly because: string | null;
  readonly before: SessionState;
  readonly after: SessionState;
  readonly atMs: number;
}
