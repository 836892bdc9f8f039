import type { Json } from "../../core/index.js";
import { RpcStep } from "../kit/json-rpc.js";
import { type AcpAgent, acpAgentNamed } from "./acp-agents.js";
import type { AcpState, Asked } from "./acp-state.js";

/** One line or one effect being worked on: which agent it is of, and what it waits for, beside what every step has. */
export class AcpStep extends RpcStep<AcpState> {
  protected override readonly askBounds = { title: 500, detail: 20_000 };
  readonly agent: AcpAgent;

  constructor(state: AcpState, nowMs = 0) {
    super(state, nowMs);
    this.agent = acpAgentNamed(state.agent);
  }

  /** What the agent says between two turns belongs to neither: a stream that has ended takes nothing more. */
  get streamId(): string {
    const { run, turn, turnOpen, isAwake, wakes } = this.state;
    if (isAwake && !turnOpen) return `run-${run}-wake-${wakes}`;
    return `run-${run}-${turnOpen ? "turn" : "after"}-${turn}`;
  }

  override unknown(kind: string, what: Json): void {
    super.unknown(kind, what, { kind });
  }

  asked(askId: string): Asked | null {
    return this.state.asked.find((asked) => asked.askId === askId) ?? null;
  }

  /** Answered, or of no more use. */
  dropAsked(askId: string): void {
    this.set({ asked: this.state.asked.filter((asked) => asked.askId !== askId) });
  }
}
