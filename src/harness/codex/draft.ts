import type { Json, SessionFact, StreamEventType } from "../../core/index.js";
import type { Output } from "../../runtime/harness.js";
import { addRequest } from "../json-rpc/pending-requests.js";
import { errorResponse, notification, request, response, type RpcId } from "../json-rpc/rpc-message.js";
import {
  CONVERSATIONS_MAX,
  entryOf,
  IDLE_CONVERSATION,
  withEntry,
  type CodexState,
  type Conversation,
} from "./codex-state.js";

/** The state while one line or one effect is worked on, and what comes of it. Lives no longer than that. */
export class Draft {
  readonly outputs: Output[] = [];
  state: CodexState;

  constructor(readonly before: CodexState) {
    this.state = before;
  }

  set(change: Partial<CodexState>): void {
    this.state = { ...this.state, ...change };
  }

  get writes(): readonly string[] {
    return this.outputs.flatMap((output) => (output.type === "write" ? [output.data] : []));
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

  fact(fact: SessionFact): void {
    this.outputs.push({ type: "fact", fact });
  }

  stream(
    streamId: string,
    event: StreamEventType,
    payload: Readonly<Record<string, Json>>,
    ids: { readonly messageId?: string; readonly parentMessageId?: string } = {},
  ): void {
    this.outputs.push({ type: "stream", streamId, event, payload, ...ids });
  }

  /** Something a person may want to know, which is neither content nor state. */
  metadata(payload: Readonly<Record<string, Json>>, streamId = `run-${this.state.run}`): void {
    this.stream(streamId, "metadata", payload);
  }

  request(method: string, params: Json, note: Json = null): void {
    const { requests, id } = addRequest(this.state.requests, method, note);
    this.set({ requests });
    this.write(request(id, method, params));
  }

  notify(method: string): void {
    this.write(notification(method, null));
  }

  respond(id: RpcId, result: Json): void {
    this.write(response(id, result));
  }

  refuse(id: RpcId, code: number, message: string): void {
    this.write(errorResponse(id, code, message));
  }

  private write(data: string): void {
    this.outputs.push({ type: "write", data });
  }
}
