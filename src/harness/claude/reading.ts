import type { SessionFact } from "../../core/index.js";
import type { Decoded, Output, StreamOutput } from "../../runtime/harness.js";
import { SPEAKERS_MAX, mainStreamId, toJson, type ClaudeState, type Speaker } from "./claude-state.js";

const UNKNOWN_LENGTH_MAX = 10_000;
/** What Claude calls its messages; anything else is not worth a name of its own. */
const KIND = /^[a-z_]{1,40}(\/[a-z_]{1,40})?$/;

const MAIN: Speaker = { parent: null, streamId: null, messageId: null, blocks: [] };

/** One line being read: what it changes in the state, and what comes of it. */
export class Reading {
  private readonly outputs: Output[] = [];

  constructor(
    public state: ClaudeState,
    /** Null: nobody told the time. */
    readonly nowMs: number | null,
  ) {}

  done(): Decoded {
    return { state: toJson(this.state), outputs: this.outputs };
  }

  change(patch: Partial<ClaudeState>): void {
    this.state = { ...this.state, ...patch };
  }

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact });
  }

  output(output: Exclude<Output, StreamOutput>): void {
    this.outputs.push(output);
  }

  /** Content of the main conversation, or of the subagent that the call `parent` started. */
  stream(
    parent: string | null,
    event: StreamOutput["event"],
    payload: StreamOutput["payload"],
    messageId?: string,
  ): void {
    const streamId = this.speaker(parent).streamId ?? mainStreamId(this.state);
    this.outputs.push({
      type: "stream",
      streamId,
      event,
      payload,
      ...(messageId === undefined ? {} : { messageId }),
      ...(parent === null ? {} : { parentMessageId: parent }),
    });
  }

  /** Worth reading now, and not part of the conversation. */
  status(text: string, more: StreamOutput["payload"] = {}): void {
    this.stream(null, "status", { text, ...more });
  }

  unknown(kind: string, line: string): void {
    this.output({ type: "unknown", kind: KIND.test(kind) ? kind : "message" });
    this.stream(null, "metadata", { unknown: line.slice(0, UNKNOWN_LENGTH_MAX) });
  }

  speaker(parent: string | null): Speaker {
    const known = this.state.speakers.find((speaker) => speaker.parent === parent);
    if (known) return known;
    return parent === null ? MAIN : this.addAgent(parent);
  }

  say(speaker: Speaker): void {
    const others = this.state.speakers.filter(({ parent }) => parent !== speaker.parent);
    this.change({ speakers: [...others, speaker].slice(-SPEAKERS_MAX) });
  }

  /** It has said all that it had to say. */
  endSpeaker(parent: string, reason: string): void {
    if (!this.state.speakers.some((speaker) => speaker.parent === parent)) return;
    this.stream(parent, "completed", { reason });
    this.change({ speakers: this.state.speakers.filter((speaker) => speaker.parent !== parent) });
  }

  private addAgent(parent: string): Speaker {
    const agents = this.state.agents + 1;
    const added: Speaker = { ...MAIN, parent, streamId: `run-${this.state.run}-agent-${agents}` };
    this.change({ agents });
    this.say(added);
    return added;
  }
}
