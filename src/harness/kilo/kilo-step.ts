import type { SessionFact, StreamEventType } from "../../core/index.js";
import type { Decoded, Output } from "../../runtime/harness.js";
import type { JsonObject } from "../acp/json-fields.js";
import type { KiloState } from "./kilo-state.js";

const SHOWN_LENGTH_MAX = 2_000;

/** One step of the codec in the making: the state so far, and what comes of it, in order. */
export class KiloStep {
  readonly outputs: Output[] = [];

  constructor(
    public state: KiloState,
    readonly nowMs: number,
  ) {}

  set(change: Partial<KiloState>): void {
    this.state = { ...this.state, ...change };
  }

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact });
  }

  stream(event: StreamEventType, payload: JsonObject, messageId?: string): void {
    const id = messageId === undefined ? {} : { messageId };
    this.outputs.push({ type: "stream", streamId: this.streamId, event, payload, ...id });
  }

  /** A message that we do not know: kept, counted, never fatal. */
  unknown(kind: string, what: JsonObject | string): void {
    const text = typeof what === "string" ? what : JSON.stringify(what);
    this.outputs.push({ type: "unknown", kind });
    this.stream("metadata", { unknown: text.slice(0, SHOWN_LENGTH_MAX), kind });
  }

  get streamId(): string {
    const { run, turn } = this.state;
    return `run-${run}-turn-${turn}`;
  }

  decoded(): Decoded {
    return { state: this.state, outputs: this.outputs };
  }
}
