import type { Json, SessionFact, StreamEventType } from "../../core/index.js";
import type { Decoded, Encoded, Output } from "../../runtime/harness.js";
import type { Query } from "../../runtime/query.js";
import { addRequest } from "../json-rpc/pending-requests.js";
import { errorResponse, notification, request, response, type RpcId } from "../json-rpc/rpc-message.js";
import { acpAgentNamed, type AcpAgent } from "./acp-agents.js";
import { toJson, type AcpState, type Asked } from "./acp-state.js";
import type { JsonObject } from "./json-fields.js";

/** As much of anything unknown as is kept. */
const SHOWN_LENGTH_MAX = 2_000;

/** One step of the codec in the making: the state so far, and what comes of it, in order. */
export class AcpStep {
  readonly outputs: Output[] = [];
  readonly agent: AcpAgent;

  constructor(
    public state: AcpState,
    /** When the line came; of no meaning for effects. */
    readonly nowMs = 0,
  ) {
    this.agent = acpAgentNamed(state.agent);
  }

  set(change: Partial<AcpState>): void {
    this.state = { ...this.state, ...change };
  }

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact });
  }

  stream(
    event: StreamEventType,
    payload: JsonObject,
    ids: { readonly messageId?: string; readonly parentMessageId?: string } = {},
  ): void {
    this.outputs.push({ type: "stream", streamId: this.streamId, event, payload, ...ids });
  }

  query(queryId: string, query: Query): void {
    this.outputs.push({ type: "query", queryId, query });
  }

  request(method: string, params: Json, note: Json = null): void {
    const { requests, id } = addRequest(this.state.requests, method, note);
    this.set({ requests });
    this.write(request(id, method, params));
  }

  notify(method: string, params: Json): void {
    this.write(notification(method, params));
  }

  respond(id: RpcId, result: Json): void {
    this.write(response(id, result));
  }

  refuse(id: RpcId, code: number, message: string): void {
    this.write(errorResponse(id, code, message));
  }

  /** A message that we do not know: kept, counted, never fatal. */
  unknown(kind: string, what: Json): void {
    const text = typeof what === "string" ? what : JSON.stringify(what);
    this.outputs.push({ type: "unknown", kind });
    this.stream("metadata", { unknown: text.slice(0, SHOWN_LENGTH_MAX), kind });
  }

  /** What the agent says between two turns belongs to neither: a stream that has ended takes nothing more. */
  get streamId(): string {
    const { run, turn, turnOpen, isAwake, wakes } = this.state;
    if (isAwake && !turnOpen) return `run-${run}-wake-${wakes}`;
    return `run-${run}-${turnOpen ? "turn" : "after"}-${turn}`;
  }

  asked(askId: string): Asked | null {
    return this.state.asked.find((asked) => asked.askId === askId) ?? null;
  }

  /** Answered, or of no more use. */
  dropAsked(askId: string): void {
    this.set({ asked: this.state.asked.filter((asked) => asked.askId !== askId) });
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

  private write(data: string): void {
    this.outputs.push({ type: "write", data });
  }
}
