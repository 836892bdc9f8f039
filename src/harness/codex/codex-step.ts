import { RpcStep } from "../kit/json-rpc.js";
import {
  type CodexState,
  type Conversation,
  CONVERSATIONS_MAX,
  entryOf,
  IDLE_CONVERSATION,
  withEntry,
} from "./codex-state.js";

/** One line or one effect being worked on: which conversation it concerns, beside what every step has. */
export class CodexStep extends RpcStep<CodexState> {
  protected override readonly askBounds = { title: 200, detail: 120_000 };

  constructor(readonly before: CodexState) {
    super(before);
  }

  get streamId(): string {
    return `run-${this.state.run}`;
  }

  /** The session's own conversation. */
  get main(): Conversation {
    return this.conversation(this.state.conversationId);
  }

  conversation(id: string | null): Conversation {
    return entryOf(this.state.conversations, id) ?? IDLE_CONVERSATION;
  }

  isMain(conversationId: string | null): boolean {
    return conversationId !== null && conversationId === this.state.conversationId;
  }

  /** An idle subagent makes room for a new one; the session's own conversation never does. */
  setConversation(id: string, change: Partial<Conversation>): void {
    const { conversations, conversationId } = this.state;
    const changed = { ...this.conversation(id), ...change };
    const main = entryOf(conversations, conversationId);
    const next = withEntry(conversations, id, changed, CONVERSATIONS_MAX);
    const kept = conversationId !== null && main && !Object.hasOwn(next, conversationId);
    this.set({ conversations: kept ? { ...next, [conversationId]: main } : next });
  }
}
