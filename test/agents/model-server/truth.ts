/** What the model really did, and when: the ground that shown states are held against. */

export type TruthKind =
  /** The agent asked its model. */
  | "request"
  /** The first of the answer went out. */
  | "streaming"
  /** An answer with tool calls is complete: the agent's move. */
  | "tool_call_sent"
  /** An answer without tool calls is complete: nothing more is to come. */
  | "done"
  /** The model refused: an error, or a rate limit. */
  | "error"
  /** The connection was broken on purpose. */
  | "dropped"
  /** The agent hung up in the middle. */
  | "hung_up";

export interface TruthEntry {
  readonly atMs: number;
  readonly what: TruthKind;
  readonly detail?: string;
}

/** Conversations that a test has forgotten must not grow for ever. */
const ENTRIES_MAX = 10_000;

/** By the name in the prompt's `[[id:NAME]]`, in order of time. */
export class Truth {
  private readonly timelines = new Map<string, TruthEntry[]>();
  private readonly listeners = new Set<(id: string) => void>();

  note(id: string | null, what: TruthKind, detail?: string): void {
    if (id === null) return;
    const timeline = this.timelines.get(id) ?? [];
    this.timelines.set(id, timeline);
    if (timeline.length >= ENTRIES_MAX) throw new Error(`the conversation ${id} does not end`);
    timeline.push({ atMs: Date.now(), what, ...(detail === undefined ? {} : { detail }) });
    for (const listener of this.listeners) listener(id);
  }

  timeline(id: string): readonly TruthEntry[] {
    return this.timelines.get(id) ?? [];
  }

  all(): Readonly<Record<string, readonly TruthEntry[]>> {
    return Object.fromEntries(this.timelines);
  }

  /** Resolves when this has happened so many times in the conversation; rejects when `signal` is aborted. */
  async until(
    id: string,
    what: TruthKind | readonly TruthKind[],
    signal: AbortSignal,
    times = 1,
  ): Promise<void> {
    const kinds = [what].flat();
    const has = () => this.timeline(id).filter((entry) => kinds.includes(entry.what)).length >= times;
    if (has()) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => {
        this.listeners.delete(listener);
        signal.removeEventListener("abort", onAbort);
        act();
      };
      const listener = () => {
        if (has()) settle(resolve);
      };
      const onAbort = () => settle(() => reject(signal.reason as Error));
      this.listeners.add(listener);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
    });
  }
}
