/**
 * What one line, or one effect, makes of a codec's state, and what comes of it, in order. Every codec writes through this,
 * so that what belongs together is told together. Lives no longer than that line.
 */
import type { Ending, Json, SessionFact, StreamEventType } from "../../core/index.js";
import type { Usage } from "../../protocol/session.js";
import type { EvidenceSource } from "../../protocol/state-event.js";
import type { Decoded, Encoded, Output } from "../../runtime/harness.js";
import type { Query } from "../../runtime/query.js";
import type { JsonObject } from "./json.js";
import { cut, titleLine } from "./words.js";

/** As much of anything unknown as is kept. */
const UNKNOWN_LENGTH_MAX = 10_000;

export type AskName = "tool" | "command" | "browser_action_launch" | "use_mcp_server" | "followup";
export type FailureName =
  "api_req_failed" | "mistake_limit_reached" | "invalid_model" | "payment_required_prompt";

/** What the agent waits for a person to say. */
export interface Ask {
  readonly askId: string;
  readonly ask: AskName;
  readonly title: string;
  readonly detail: string;
  /** The call that it is about, for the rules. */
  readonly tool: Json;
  /** Only where the agent tells its asks in pieces. */
  readonly partial?: boolean;
}

/** Of a person's screen, not of a log; absent: as they were told. */
export interface AskBounds {
  readonly title: number;
  readonly detail: number;
}

/** In the session's own conversation, unless it says otherwise. */
export interface Place {
  readonly streamId?: string;
  readonly messageId?: string;
  /** The call that started the subagent who speaks. */
  readonly parentMessageId?: string;
  /** False: a subagent's, whose calls are no state of the session. */
  readonly isOwn?: boolean;
}

export interface CallEnd {
  readonly callId: string;
  readonly isError: boolean;
  readonly [field: string]: Json;
}

export abstract class Step<S extends object> {
  readonly outputs: Output[] = [];
  protected readonly askBounds: AskBounds | null = null;

  constructor(
    public state: S,
    /** When the line came; of no meaning for effects. */
    readonly nowMs = 0,
    /** Where it was seen, if not in what the agent itself wrote. */
    private readonly source?: EvidenceSource,
  ) {}

  /** Where content goes that says nothing else. */
  abstract get streamId(): string;

  set(change: Partial<S>): void {
    this.state = { ...this.state, ...change };
  }

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact, ...(this.source === undefined ? {} : { source: this.source }) });
  }

  stream(event: StreamEventType, payload: JsonObject, place: Place = {}): void {
    const { streamId = this.streamId, messageId, parentMessageId } = place;
    this.outputs.push({
      type: "stream",
      streamId,
      event,
      payload,
      ...(messageId === undefined ? {} : { messageId }),
      ...(parentMessageId === undefined ? {} : { parentMessageId }),
    });
  }

  text(text: string, place: Place = {}): void {
    this.stream("text_delta", { text }, place);
  }

  thinking(text: string, place: Place = {}): void {
    this.stream("thinking_delta", { text }, place);
  }

  /** More of a call: its arguments, or what it puts out. */
  tool(callId: string, more: JsonObject, place: Place = {}): void {
    this.stream("tool_call_delta", { callId, ...more }, place);
  }

  /** In this order: content says that the model has called it, the fact that it runs. */
  toolStarted(callId: string, name: string, more: JsonObject = {}, place: Place = {}): void {
    this.tool(callId, { name, ...more }, place);
    if (place.isOwn !== false) this.fact({ type: "tool_started", callId, toolName: name });
  }

  toolEnded(end: CallEnd, place: Place = {}): void {
    this.stream("tool_call_completed", end, place);
    const { callId, isError } = end;
    if (place.isOwn !== false) this.fact({ type: "tool_finished", callId, ok: !isError });
  }

  /** What it is about, the ask in the conversation, and the fact that somebody is waited for: they cannot disagree. */
  ask(asked: Ask, place: Place = {}): void {
    const { askId, ask, tool } = asked;
    const partial = asked.partial === undefined ? {} : { partial: asked.partial };
    const bounds = this.askBounds;
    const title = bounds ? titleLine(asked.title, bounds.title) : asked.title;
    const detail = bounds ? cut(asked.detail, bounds.detail) : asked.detail;
    this.outputs.push({ type: "ask_detail", askId, title, detail, tool });
    this.stream("ask", { askId, ask, title, detail, ...partial }, place);
    this.fact({ type: `ask:${ask}`, askId, ...partial });
  }

  askClosed(askId: string): void {
    this.fact({ type: "ask_closed", askId });
  }

  /** The agent has nothing more to do. The machine knows that as an ask; unless the agent names it, its id is made up. */
  turnEnded(how: { readonly askId?: string; readonly text?: string; readonly ending?: Ending } = {}): void {
    this.fact({ type: "ask:completion_result", askId: this.endId, ...how });
  }

  turnFailed(failure: FailureName, text: string, askId = this.endId): void {
    this.fact({ type: `ask:${failure}`, askId, text });
  }

  /** `error`: with the very command that logs in. */
  loginRequired(error: string): void {
    this.fact({ type: "process_error", error, code: "login_required" });
  }

  usage(usage: Usage): void {
    this.outputs.push({ type: "usage", usage });
  }

  /** Something a person may want to know, which is neither content nor state. */
  metadata(payload: JsonObject, place: Place = {}): void {
    this.stream("metadata", payload, place);
  }

  /** A message that the codec does not know: kept, counted, never fatal. */
  unknown(kind: string, what: Json, more: JsonObject = {}): void {
    const text = typeof what === "string" ? what : JSON.stringify(what);
    this.outputs.push({ type: "unknown", kind });
    this.metadata({ unknown: text.slice(0, UNKNOWN_LENGTH_MAX), ...more });
  }

  query(queryId: string, query: Query): void {
    this.outputs.push({ type: "query", queryId, query });
  }

  /** For the agent's stdin. */
  write(data: string): void {
    this.outputs.push({ type: "write", data });
  }

  decoded(): Decoded {
    return { state: toJson(this.state), outputs: this.outputs };
  }

  /** For an effect: only what is to be written and asked goes out, and nothing else may have come of it. */
  encoded(): Encoded {
    const writes = this.outputs.flatMap((output) => (output.type === "write" ? [output.data] : []));
    const queries = this.outputs.flatMap((output) =>
      output.type === "query" ? [{ queryId: output.queryId, query: output.query }] : [],
    );
    return { state: toJson(this.state), writes, ...(queries.length === 0 ? {} : { queries }) };
  }

  protected get endId(): string {
    return `${this.streamId}:end`;
  }
}

/** A codec's state has nothing in it but JSON; an interface has no index signature to say so. */
export function toJson(state: object): Json {
  return state as Json;
}
