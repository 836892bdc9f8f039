import type { JsonObject } from "../kit/json.js";
import { type Place, Step } from "../kit/step.js";
import { type ClaudeState, mainStreamId, type Speaker, SPEAKERS_MAX } from "./claude-state.js";

/** What Claude calls its messages; anything else is not worth a name of its own. */
const KIND = /^[a-z_]{1,40}(\/[a-z_]{1,40})?$/;

const MAIN: Speaker = { parent: null, streamId: null, messageId: null, blocks: [] };

/** One line being read: who speaks in it, beside what every step has. */
export class ClaudeStep extends Step<ClaudeState> {
  constructor(
    state: ClaudeState,
    /** Null: nobody told the time. */
    readonly toldMs: number | null,
  ) {
    super(state, toldMs ?? 0);
  }

  get streamId(): string {
    return mainStreamId(this.state);
  }

  /** The main conversation, or the subagent that the call `parent` started. */
  at(parent: string | null, messageId?: string): Place {
    const { streamId } = this.speaker(parent);
    return {
      ...(streamId === null ? {} : { streamId }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(parent === null ? {} : { parentMessageId: parent }),
    };
  }

  /** Worth reading now, and not part of the conversation. */
  status(text: string, more: JsonObject = {}): void {
    this.stream("status", { text, ...more });
  }

  override unknown(kind: string, line: string): void {
    super.unknown(KIND.test(kind) ? kind : "message", line);
  }

  speaker(parent: string | null): Speaker {
    const known = this.state.speakers.find((speaker) => speaker.parent === parent);
    if (known) return known;
    return parent === null ? MAIN : this.addAgent(parent);
  }

  say(speaker: Speaker): void {
    const others = this.state.speakers.filter(({ parent }) => parent !== speaker.parent);
    this.set({ speakers: [...others, speaker].slice(-SPEAKERS_MAX) });
  }

  /** It has said all that it had to say. */
  endSpeaker(parent: string, reason: string): void {
    if (!this.state.speakers.some((speaker) => speaker.parent === parent)) return;
    this.stream("completed", { reason }, this.at(parent));
    this.set({ speakers: this.state.speakers.filter((speaker) => speaker.parent !== parent) });
  }

  private addAgent(parent: string): Speaker {
    const agents = this.state.agents + 1;
    const added: Speaker = { ...MAIN, parent, streamId: `run-${this.state.run}-agent-${agents}` };
    this.set({ agents });
    this.say(added);
    return added;
  }
}
