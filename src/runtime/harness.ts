/**
 * A harness turns one kind of agent into facts, stream events and asks, and effects into what that agent understands.
 *
 * The codec is pure: its state is JSON and is kept in the same transaction as what it made of a line, so that after any
 * crash it goes on where the journal ends. Time is a parameter. Only `launch` and `probe` touch the world.
 */
import type { Json, SessionEffect, SessionFact, StreamEventType } from "../core/index.js";
import type { AgentCommand } from "../protocol/agent-wire.js";
import type { Controls, ControlWish } from "../protocol/controls.js";
import type { Enforcement, Usage } from "../protocol/session.js";
import type { EvidenceSource } from "../protocol/state-event.js";
import type { HarnessReport } from "../protocol/api-schemas.js";
import type { Query, QueryAnswer } from "./query.js";
import type { SessionSettings } from "./session-record.js";
import type { TerminalObservation, Typing } from "./terminal-observation.js";

/** A stream event before the loop gives it its envelope. */
export interface StreamOutput {
  readonly type: "stream";
  readonly streamId: string;
  readonly event: StreamEventType;
  readonly payload: Readonly<Record<string, Json>>;
  readonly messageId?: string;
  readonly parentMessageId?: string;
}

export type Output =
  | StreamOutput
  | { readonly type: "fact"; readonly fact: SessionFact; readonly source?: EvidenceSource }
  /** What an ask is about, before the ask itself. */
  | {
      readonly type: "ask_detail";
      readonly askId: string;
      readonly title: string;
      readonly detail: string;
      readonly tool: Json;
    }
  /** To be added to what the session has used. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** Answered through `answered`, once, after this was committed. */
  | { readonly type: "query"; readonly queryId: string; readonly query: Query }
  /** Which agent runs in the session, where that is not plain from its harness; null: none, and what shows it. */
  | { readonly type: "agent"; readonly agent: string | null; readonly evidence: Evidence }
  /** The first prompt, into a terminal whose program is ready for it. */
  | { readonly type: "typing"; readonly typing: Typing; readonly messageId: string }
  /** For the agent's stdin: an answer of the codec's own. */
  | { readonly type: "write"; readonly data: string }
  /** A message that the codec does not know; it is kept as `metadata` and counted. */
  | { readonly type: "unknown"; readonly kind: string };

/** How the end of an agent was seen (004). */
export type Evidence = "process_exit" | "shell_prompt" | "goodbye" | "shell_integration";

export interface Decoded {
  readonly state: Json;
  readonly outputs: readonly Output[];
}

export interface RunStart {
  readonly run: number;
  readonly settings: SessionSettings;
  /** The agent's own id of the conversation to go on with. */
  readonly resume: string | null;
  readonly prompt: { readonly messageId: string; readonly text: string } | null;
  /** Once it is ready it is given something: ready is then not idle. */
  readonly continues: boolean;
  /** What the codec knew at the end of the run before, of a run that is to go on with its conversation. */
  readonly before?: Json;
}

/** The effects that a harness puts into its agent's words. */
export type HarnessEffect = Extract<
  SessionEffect,
  { readonly type: "interrupt_run" | "deliver_message" | "answer_ask" | "continue_run" | "void_asks" }
>;

export interface Encoded {
  readonly state: Json;
  readonly writes: readonly string[];
  readonly signal?: "SIGINT";
  /** Into a terminal, with its screen watched. */
  readonly typing?: Typing;
  readonly queries?: readonly { readonly queryId: string; readonly query: Query }[];
  /** Why it cannot be said to this agent. */
  readonly failure?: string;
}

/** What is told to an agent whose model, mode or effort is to be another. */
export interface Controlled extends Encoded {
  /** What came of it, where the agent itself will not say so. */
  readonly note?: string;
  /** The model of later runs. */
  readonly model?: string;
}

export interface LaunchStart {
  /** Where Signalbox keeps what is its own. */
  readonly dataDir: string;
  /** Where the built-in agent keeps this conversation; absent: with all others. */
  readonly conversationsDir?: string;
  readonly resume: string | null;
  readonly prompt: string | null;
  /** The program that a person has configured in the place of the agent's own. */
  readonly program?: string | null;
  /** The person trusts what the session's folder brings along, as it is now; absent: no. */
  readonly trusted?: boolean;
}

export interface ProbeSetup {
  readonly program: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** Only whether it is there: no program is started. */
  readonly onlyPath?: true;
}

export interface LaunchSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pty?: { readonly cols: number; readonly rows: number };
  readonly hooks: boolean;
  /** The conversation to go on with is not there: the agent never kept it, and begins a new one. */
  readonly forgot?: true;
}

export interface Harness {
  readonly name: string;
  readonly asksClose: "implicit" | "explicit";
  readonly enforcement: Enforcement;
  /** How its output comes: whole lines, or bytes as they are. */
  readonly framing: "lines" | "bytes";
  /** `input`: what it is told first of all. */
  start(start: RunStart): { readonly state: Json; readonly input: string };
  /** `line` without its end; with framing `bytes`, a piece as latin1. Never throws. */
  decode(state: Json, line: string, nowMs: number): Decoded;
  /** A line that the agent's hooks wrote, for a harness that launches it with them. Never throws. */
  decodeHook?(state: Json, line: string, nowMs: number): Decoded;
  /** What was seen of its terminal, for framing `bytes`, or of commands that we run for it. Never throws. */
  observe?(state: Json, observation: TerminalObservation, nowMs: number): Decoded;
  /** The answer to a query of its own. Never throws. */
  answered?(state: Json, queryId: string, answer: QueryAnswer): Decoded;
  /** The run was launched without the conversation that it was to go on with. Never throws. */
  forgot?(state: Json): Decoded;
  encode(state: Json, effect: HarnessEffect, text: string | null): Encoded;
  /** A command of the built-in agent; absent where the agent has none. */
  command?(state: Json, command: AgentCommand): Encoded;
  /** What it offers now, by its own lists; absent: nothing. */
  controls?(state: Json): Controls;
  /** Absent where nothing can be chosen during a session. A `failure` says what can. */
  control?(state: Json, wish: ControlWish): Controlled;
  /** Why this agent cannot be sent this text: a command that it does not have. */
  messageFlaw?(text: string): string | null;
  /** Whether a later run could go on with this conversation; absent: always. */
  canResume?(state: Json): boolean;
  /** What it waits for, of an agent that may take minutes to be ready: it is left to start. Null: it is ready, or has failed. */
  starting?(state: Json): string | null;
  /** Its approvals are what it is for: a person is asked where nobody chose otherwise, inside a wall too. */
  readonly asksPerson?: true;
  /** Why it cannot have a model of this name, where that is known before it runs; absent: only the agent knows. */
  modelFlaw?(model: string): string | null;
  launch(settings: SessionSettings, start: LaunchStart): Promise<LaunchSpec>;
  probe(setup?: ProbeSetup): Promise<HarnessReport>;
}
