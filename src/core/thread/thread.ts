/**
 * What a person reads of a session: its stream events reduced to messages, tool calls, diffs and asks.
 *
 * A thread is plain JSON and bounded, and holds content only. Whether an ask is still open, or the agent still works, is
 * status, which comes from state events alone: join them by the ask's or the call's id.
 */
import type { Json } from "../schema.js";

/** The newest items are kept. */
export const ITEMS_MAX = 5_000;
/** The characters of one text, or of one input as JSON; the rest is cut off. */
export const TEXT_LENGTH_MAX = 1_048_576;
/** The characters of all items together as JSON, roughly; the oldest items go first. */
export const THREAD_LENGTH_MAX = 64 * TEXT_LENGTH_MAX;
/** The streams whose position is remembered: those that said something last. */
export const STREAMS_MAX = 256;

/** A text of an item. */
export type TextField =
  "text" | "args" | "input" | "output" | "error" | "diff" | "message" | "title" | "detail";

interface Placed {
  /** Unique among the items of its type: a message's, call's, artifact's, ask's or (for an error or a note) event's id. */
  readonly id: string;
  /** Where and when it began. */
  readonly streamId: string;
  readonly seq: number;
  readonly atMs: number;
  /** The stream that wrote to it last: a tool's output may come in a later stream than its call. */
  readonly lastStreamId: string;
  /** The message of another agent that this belongs under. */
  readonly parentMessageId?: string;
  /** The texts that were too long and lost their end. */
  readonly cut: readonly TextField[];
}

/** `stopped`: the agent was interrupted. `failed`: its stream broke. Both keep the text that came. */
export type WritingState = "streaming" | "done" | "stopped" | "failed";

export interface UserMessage extends Placed {
  readonly type: "user_message";
  readonly text: string;
}

export interface AssistantMessage extends Placed {
  readonly type: "assistant_message";
  readonly text: string;
  readonly state: WritingState;
}

export interface Thinking extends Placed {
  readonly type: "thinking";
  readonly text: string;
  readonly state: WritingState;
}

export interface ToolCall extends Placed {
  readonly type: "tool_call";
  readonly name: string | null;
  /** The arguments as they are being written; empty once `input` is known. */
  readonly args: string;
  readonly input: Json | null;
  readonly output: string;
  readonly error: string | null;
  readonly diff: string | null;
  /** `rejected`: a person or a rule said no, and it never ran. */
  readonly state: "running" | "succeeded" | "failed" | "rejected" | "canceled";
}

export interface Artifact extends Placed {
  readonly type: "artifact";
  readonly path: string | null;
  readonly text: string;
  readonly diff: string;
}

export interface Ask extends Placed {
  readonly type: "ask";
  /** What is asked for, without the prefix: `tool`. */
  readonly ask: string;
  readonly title: string;
  readonly detail: string;
  /** Still being written. */
  readonly partial: boolean;
}

export interface ErrorNotice extends Placed {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
  readonly recoverable: boolean;
}

/** `boundary`: a new conversation begins here. `granted`: a person agreed to a rule. */
export type NoteKind = "said" | "problem" | "limit" | "compaction" | "boundary" | "granted" | "plan";

/** What the agent told beside the conversation. */
export interface Note extends Placed {
  readonly type: "note";
  readonly kind: NoteKind;
  readonly text: string;
  /** How often it was told in a row; the text is the newest. */
  readonly times: number;
}

export type Item = UserMessage | AssistantMessage | Thinking | ToolCall | Artifact | Ask | ErrorNotice | Note;

export type ItemType = Item["type"];

export type ItemOf<T extends ItemType> = Extract<Item, { type: T }>;

/** How far a stream has been read. */
export interface ThreadStream {
  readonly streamId: string;
  readonly seq: number;
  readonly closed: boolean;
}

export interface Thread {
  /** In the order of reading; an item that did not change stays the same object. */
  readonly items: readonly Item[];
  /** The one that said something last stands last. */
  readonly streams: readonly ThreadStream[];
  /** How many items were dropped from the start. */
  readonly dropped: number;
  /** The characters of all items as JSON, roughly. */
  readonly length: number;
}

export const EMPTY_THREAD: Thread = { items: [], streams: [], dropped: 0, length: 0 };

/** Unique within a thread, and stable: for lists on a screen. */
export function itemKey(item: Item): string {
  return `${item.type}:${item.id}`;
}
