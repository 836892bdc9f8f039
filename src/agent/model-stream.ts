import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../core/index.js";
import type { StreamFact } from "../core/turn/events.js";
import {
  ModelError,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from "./models/model.js";
import { suggestedCommand } from "./suggestion-line.js";

/** A model that fails before it has said anything is asked again after these. */
const RETRY_DELAYS_MS = [250, 1_000] as const;

export interface StreamListener {
  readonly tell: (fact: StreamFact) => void;
  readonly thinking: (text: string) => void;
  readonly usage: (usage: ModelUsage) => void;
  readonly note: (text: string) => void;
  readonly retry: (attempt: number, delayMs: number, message: string) => void;
  readonly failed: (error: ModelError) => void;
  /** Before the call itself. */
  readonly metadata: (callId: string, metadata: Json) => void;
  /** Whether a call of the conversation has this id. */
  readonly isUsed: (callId: string) => boolean;
  /** Why a call's input does not fit its tool. */
  readonly flawOf: (call: Extract<ModelEvent, { readonly type: "tool_call" }>) => string | undefined;
}

/** One answer of the model, as facts of its stream. It ends with `stream_done` or `stream_error`, unless it is aborted. */
export async function streamAnswer(
  model: Model,
  request: ModelRequest,
  streamId: number,
  listener: StreamListener,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const speaker = new Speaker(streamId, listener);
    try {
      for await (const event of model.stream(request)) {
        if (request.signal.aborted) return;
        speaker.take(event);
      }
      if (!request.signal.aborted) speaker.done();
      return;
    } catch (thrown) {
      if (request.signal.aborted) return;
      const error = asModelError(thrown);
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (!error.isRetryable || speaker.hasSpoken || delayMs === undefined) {
        listener.failed(error);
        listener.tell({ type: "stream_error", message: error.message, streamId });
        return;
      }
      listener.retry(attempt + 1, delayMs, error.message);
      if (await isAbortedWithin(delayMs, request.signal)) return;
    }
  }
}

async function isAbortedWithin(delayMs: number, signal: AbortSignal): Promise<boolean> {
  return sleep(delayMs, undefined, { signal }).then(
    () => false,
    () => true,
  );
}

class Speaker {
  hasSpoken = false;
  private readonly callIds = new Set<string>();

  constructor(
    private readonly streamId: number,
    private readonly listener: StreamListener,
  ) {}

  take(event: ModelEvent): void {
    const { streamId, listener } = this;
    if (event.type === "usage") {
      listener.usage(event.usage);
      return;
    }
    this.start();
    switch (event.type) {
      case "note":
        listener.note(event.text);
        return;
      case "text":
        listener.tell({ type: "stream_chunk", text: event.text, streamId });
        return;
      case "thinking":
        listener.tell({ type: "stream_status_changed", status: "thinking", streamId });
        listener.thinking(event.text);
        return;
      case "tool_call": {
        const { name, input, metadata } = event;
        const id = this.idFor(event.id);
        if (metadata !== undefined) listener.metadata(id, metadata);
        const suggested = name === "suggest_command" ? suggestedCommand(input) : null;
        if (suggested !== null) {
          listener.tell({ type: "suggest_command", id, input: suggested, streamId });
          return;
        }
        const invalid = listener.flawOf(event);
        const flaw = invalid === undefined ? {} : { invalid };
        listener.tell({ type: "stream_tool_call", id, name, input, ...flaw, streamId });
      }
    }
  }

  /** Some servers number the calls of each answer anew. Ours are told apart for as long as the conversation lasts. */
  private idFor(given: string): string {
    let id = given;
    for (let count = 2; this.callIds.has(id) || this.listener.isUsed(id); count += 1)
      id = `${given}_${count}`;
    this.callIds.add(id);
    return id;
  }

  done(): void {
    this.start();
    // A provider's id of the conversation: we keep our own.
    this.listener.tell({ type: "stream_done", sessionId: "", streamId: this.streamId });
  }

  private start(): void {
    if (this.hasSpoken) return;
    this.hasSpoken = true;
    this.listener.tell({ type: "stream_started", streamId: this.streamId });
  }
}

function asModelError(thrown: unknown): ModelError {
  if (thrown instanceof ModelError) return thrown;
  return new ModelError(thrown instanceof Error ? thrown.message : String(thrown), "api_req_failed", false);
}
