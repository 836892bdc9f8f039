/**
 * One step of a turn in the making: the next state and, in order, its effects.
 *
 * What must hold whenever a stream starts, a turn ends or a call is left open is written here once, not in the rules.
 */
import type { Step } from "../step.js";
import type { Entry, TurnEffect, TurnRefusalCode } from "./effects.js";
import {
  IDLE,
  hasPendingCalls,
  isUnresolved,
  type Mode,
  type Queued,
  type Tool,
  type TurnState,
} from "./state.js";

export type TurnStep = Step<TurnState, TurnEffect, TurnRefusalCode>;

type Draft = { -readonly [K in keyof TurnState]: TurnState[K] };

export class Change {
  state: TurnState;
  private readonly effects: TurnEffect[] = [];

  constructor(private readonly before: TurnState) {
    this.state = before;
  }

  done(): TurnStep {
    return { state: this.state, effects: this.effects, result: "ok" };
  }

  set<K extends keyof TurnState>(key: K, value: TurnState[K]): void {
    if (this.state[key] === value) return;
    if (this.state === this.before) this.state = { ...this.before };
    (this.state as Draft)[key] = value;
  }

  setMode(mode: Mode): void {
    if (JSON.stringify(this.state.mode) !== JSON.stringify(mode)) this.set("mode", mode);
  }

  clear(key: "tools" | "turnToolIds" | "foreignCalls"): void {
    if (this.state[key].length > 0) this.set(key, []);
  }

  emit(effect: TurnEffect): void {
    this.effects.push(effect);
  }

  append(entry: Entry): void {
    this.emit({ type: "append", entry });
  }

  appendResult(toolUseId: string, content: string, isError: boolean): void {
    this.append({ type: "tool_result", toolUseId, content, isError, remote: false });
  }

  takeTimeoutId(): number {
    const { nextTimeoutId } = this.state;
    this.set("nextTimeoutId", nextTimeoutId + 1);
    return nextTimeoutId;
  }

  // Streams

  /** Only called when no stream is open and every call has its result. */
  startStream(): void {
    const { sessionId } = this.state;
    const streamId = this.state.streamId + 1;
    this.set("streamId", streamId);
    this.set("text", "");
    this.clear("turnToolIds");
    this.setMode({ type: "turn", stream: "connecting", status: null });
    this.emit({ type: "start_stream", streamId, sessionId });
  }

  abortStream(): void {
    const { mode, streamId } = this.state;
    if (mode.type === "turn" && mode.stream !== "done") this.emit({ type: "abort_stream", streamId });
  }

  /** Blank text is no entry. */
  commitText(mark = ""): void {
    const content = this.state.text.trimStart();
    if (content !== "") this.append({ type: "text", content: content + mark });
    this.set("text", "");
  }

  /** An empty id says nothing. */
  keepSessionId(sessionId: string): void {
    if (sessionId !== "") this.set("sessionId", sessionId);
  }

  // Calls

  replaceTool(tool: Tool): void {
    this.set(
      "tools",
      this.state.tools.map((other) => (other.id === tool.id ? tool : other)),
    );
  }

  abortTools(): void {
    for (const tool of this.state.tools) {
      if (tool.state === "executing") this.emit({ type: "abort_tool", toolId: tool.id });
    }
  }

  /** Every call without a result gets this one. */
  resolvePending(content: string): void {
    this.resolveTools(content);
    this.closeForeignCalls(content);
  }

  private resolveTools(content: string): void {
    const { tools } = this.state;
    if (!tools.some(isUnresolved)) return;
    for (const tool of tools.filter(isUnresolved)) this.appendResult(tool.id, content, true);
    this.set(
      "tools",
      tools.map((tool) => (isUnresolved(tool) ? { ...tool, state: "completed" } : tool)),
    );
  }

  closeForeignCalls(content: string): void {
    const { foreignCalls } = this.state;
    if (!foreignCalls.some((call) => call.open)) return;
    for (const call of foreignCalls.filter((call) => call.open)) this.appendResult(call.id, content, true);
    this.set(
      "foreignCalls",
      foreignCalls.map(({ id }) => ({ id, open: false })),
    );
  }

  // Turns

  /** Once the stream is done and every tool of the turn is resolved: on with the results, or the turn is over. */
  settle(): void {
    const { mode, turnToolIds, continuations, config } = this.state;
    if (mode.type !== "turn" || mode.stream !== "done" || hasPendingCalls(this.state)) return;
    if (turnToolIds.length === 0) return this.endTurn();
    if (continuations >= config.maxContinuations) {
      return this.fail(`stopped after ${config.maxContinuations} continuations for one message`);
    }
    this.set("continuations", continuations + 1);
    this.startStream();
  }

  /** A turn that ends by itself; what waits in the queue is next. */
  endTurn(): void {
    this.stopTurn(IDLE);
    this.emit({ type: "turn_ended" });
    this.startNext();
  }

  fail(message: string): void {
    this.stopTurn({ type: "error", message });
  }

  /** No turn any more, and what was said so far is kept. */
  stopTurn(mode: Mode): void {
    this.setMode(mode);
    this.clear("turnToolIds");
    this.emit({ type: "persist" });
  }

  // The queue

  enqueueMessage(messageId: string, text: string): void {
    this.enqueue(messageId);
    this.set("queuedTexts", { ...this.state.queuedTexts, [messageId]: text });
  }

  enqueue(queued: Queued): void {
    this.set("queue", [...this.state.queue, queued]);
  }

  /** The oldest of the queue starts a turn, if there is one. */
  startNext(): void {
    const [head, ...rest] = this.state.queue;
    if (head === undefined) return;
    this.set("queue", rest);
    this.append(typeof head === "string" ? this.takeMessage(head) : { ...head, type: "skill_invocation" });
    this.set("continuations", 0);
    this.startStream();
  }

  private takeMessage(messageId: string): Entry {
    const { queue, queuedTexts } = this.state;
    const content = Object.hasOwn(queuedTexts, messageId) ? queuedTexts[messageId] : undefined;
    if (!queue.includes(messageId)) {
      const others = Object.entries(queuedTexts).filter(([id]) => id !== messageId);
      this.set("queuedTexts", Object.fromEntries(others));
    }
    return { type: "user_message", messageId, ...(content === undefined ? {} : { content }) };
  }

  /** Messages go back to whoever sent them; a skill, which has no id to go back by, is reported as not started. */
  handBackQueue(): void {
    const { queue } = this.state;
    if (queue.length === 0) return;
    const messageIds = queue.filter((queued) => typeof queued === "string");
    for (const queued of queue) {
      if (typeof queued !== "string")
        this.tell(`/${queued.name}`, "Not started: the turn before it was cancelled.");
    }
    if (messageIds.length > 0) this.emit({ type: "return_queued", messageIds });
    this.set("queue", []);
    this.set("queuedTexts", {});
  }

  /** A line that only the person sees. */
  tell(command: string, content: string): void {
    this.append({ type: "out_of_band", name: "System", command, content });
  }
}
