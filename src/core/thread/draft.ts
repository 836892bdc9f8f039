/** A thread being changed. Its lists are copied once, however many events it takes; the thread itself stays as it was. */
import type { StreamEvent } from "../stream-event.js";
import { jsonLength } from "./bounded.js";
import {
  ITEMS_MAX,
  STREAMS_MAX,
  THREAD_LENGTH_MAX,
  type Item,
  type ItemOf,
  type ItemType,
  type Thread,
  type ThreadStream,
} from "./thread.js";

export interface Found<I extends Item> {
  readonly index: number;
  readonly item: I;
}

export class Draft {
  private items: readonly Item[];
  private streams: readonly ThreadStream[];
  private ownItems: Item[] | null = null;
  private ownStreams: ThreadStream[] | null = null;
  private dropped: number;
  private length: number;

  constructor(private readonly base: Thread) {
    this.items = base.items;
    this.streams = base.streams;
    this.dropped = base.dropped;
    this.length = base.length;
  }

  /** The changed thread; the one it was made from when nothing changed. */
  finish(): Thread {
    if (!this.ownItems && !this.ownStreams) return this.base;
    return { items: this.items, streams: this.streams, dropped: this.dropped, length: this.length };
  }

  /**
   * Moves its stream forward; false when the event is repeated, too late or after the stream's end. A note may come after
   * that: it is no part of what was written.
   */
  advance(event: StreamEvent, mayFollowEnd = false): boolean {
    const { streamId, seq } = event;
    const index = this.streams.findLastIndex((stream) => stream.streamId === streamId);
    const known = this.streams[index];
    if (known && ((known.closed && !mayFollowEnd) || seq <= known.seq)) return false;
    const streams = (this.ownStreams ??= [...this.streams]);
    this.streams = streams;
    const next = { streamId, seq, closed: event.type === "completed" || known?.closed === true };
    if (known && index === streams.length - 1) {
      streams[index] = next;
      return true;
    }
    if (known) streams.splice(index, 1);
    streams.push(next);
    if (streams.length > STREAMS_MAX) streams.shift();
    return true;
  }

  /** From the end: what is being written is near it. */
  find<T extends ItemType>(type: T, id: string): Found<ItemOf<T>> | null {
    for (let index = this.items.length - 1; index >= 0; index -= 1) {
      const item = this.items[index];
      if (item?.id === id && isOf(item, type)) return { index, item };
    }
    return null;
  }

  /** The newest item, when it is a note. */
  lastNote(): Found<ItemOf<"note">> | null {
    const index = this.items.length - 1;
    const item = this.items[index];
    return item?.type === "note" ? { index, item } : null;
  }

  /** Puts an item where it was found, or at the end. */
  save(found: Found<Item> | null, item: Item): void {
    if (found) this.put(found.index, item);
    else this.insert(this.items.length, item);
  }

  /** Adds an item before those that began after it: where it would stand had it been seen to begin. */
  place(item: Item): void {
    const before = this.items.findLastIndex((other) => !beganAfter(other, item));
    this.insert(before + 1, item);
  }

  /** Changes each item that a stream wrote to last and that `change` gives back as another object. */
  changeEach(streamId: string, change: (item: Item) => Item): void {
    for (let index = 0; index < this.items.length; index += 1) {
      const item = this.items[index];
      if (item?.lastStreamId !== streamId) continue;
      const changed = change(item);
      if (changed !== item) this.put(index, changed);
    }
  }

  private put(index: number, item: Item): void {
    const items = this.own();
    const old = items[index];
    this.length += jsonLength(item) - (old ? jsonLength(old) : 0);
    items[index] = item;
    this.trim(items);
  }

  private insert(index: number, item: Item): void {
    const items = this.own();
    items.splice(index, 0, item);
    this.length += jsonLength(item);
    this.trim(items);
  }

  private own(): Item[] {
    const items = (this.ownItems ??= [...this.items]);
    this.items = items;
    return items;
  }

  private trim(items: Item[]): void {
    let excess = Math.max(0, items.length - ITEMS_MAX);
    let length = this.length;
    for (const item of items.slice(0, excess)) length -= jsonLength(item);
    while (length > THREAD_LENGTH_MAX && excess < items.length - 1) {
      const oldest = items[excess];
      length -= oldest ? jsonLength(oldest) : 0;
      excess += 1;
    }
    if (excess === 0) return;
    items.splice(0, excess);
    this.dropped += excess;
    this.length = length;
  }
}

function isOf<T extends ItemType>(item: Item, type: T): item is ItemOf<T> {
  return item.type === type;
}

/** A stream counts for itself; between two of them only the clock can tell. */
function beganAfter(a: Item, b: Item): boolean {
  return a.streamId === b.streamId ? a.seq > b.seq : a.atMs > b.atMs;
}
