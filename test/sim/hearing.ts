/** What agents were told: nothing twice, nothing that nobody wrote, and every message in its turn. */
import { isUsable } from "../../src/core/session/state.js";
import { parseRunId } from "../../src/daemon/runs/run-id.js";
import type { KeptMessage, Ledger } from "./ledger.js";
import { RULE_REASON } from "./sim-daemon.js";
import type { Heard } from "./sim-run.js";

export class Hearing {
  private readonly heardTexts = new Set<string>();
  /** By text: the runs that were told it as a prompt. */
  private readonly promptedRuns = new Map<string, string[]>();
  private readonly answeredAsks = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly fail: (problem: string) => never,
  ) {}

  take({ runId, told }: Heard): void {
    if (told.type === "prompt") this.hearPrompt(runId, told.text);
    if (told.type !== "answer") return;
    if (this.answeredAsks.has(told.askId)) this.fail(`the ask ${told.askId} is answered twice`);
    this.answeredAsks.add(told.askId);
    const isRule = told.decision === "reject" && told.text === RULE_REASON;
    if (told.text !== null && !isRule) this.hear(runId, told.text);
  }

  wasHeard(text: string): boolean {
    return this.heardTexts.has(text);
  }

  private hearPrompt(runId: string, text: string): void {
    const message = this.hear(runId, text);
    // A run that was told to stop, or was replaced, may still be told what comes back.
    if (this.isWanted(runId) && message.status !== "sending")
      this.fail(`${runId} is told ${message.messageId}, which is ${message.status}`);
    const runs = this.promptedRuns.get(text) ?? [];
    if (runs.includes(runId)) this.fail(`${runId} is told ${message.messageId} twice`);
    if (runs.length > 0 && this.ledger.wasSent(message))
      this.fail(`${runId} is told ${message.messageId}, which ${runs.at(-1) ?? ""} had taken`);
    this.promptedRuns.set(text, [...runs, runId]);
  }

  private hear(runId: string, text: string): KeptMessage {
    const { sessionId } = parseRunId(runId);
    const message = this.ledger.messageByText(text);
    if (message?.sessionId !== sessionId)
      return this.fail(`${runId} is told ${text}, which nobody wrote to it`);
    this.heardTexts.add(text);
    return message;
  }

  private isWanted(runId: string): boolean {
    const { sessionId, run } = parseRunId(runId);
    const record = this.ledger.sessions.get(sessionId)?.record;
    return record?.state.run === run && isUsable(record.state) && !record.removing;
  }
}
