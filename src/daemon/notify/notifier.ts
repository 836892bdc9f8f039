/** Tells a person, outside of any page or terminal, that an agent waits, failed or is done. */
import type { StateEvent } from "../../protocol/state-event.js";
import type { Notification, NotifyConfig } from "../../protocol/notify-config.js";
import type { Bus, Committed } from "../../runtime/ports.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { Redact } from "../log/redact.js";
import type { SessionRedact } from "../log/session-redact.js";

const AT_ONCE_MAX = 4;
/** What waits beyond this is dropped: who gets so many does not read them. */
const WAITING_MAX = 100;
/** How many asks and times are remembered, so that each is told once. */
const REMEMBERED_MAX = 2_000;
const TEXT_LENGTH_MAX = 500;
const TELLING = /"type":"(?:ask_opened|session_error|state_changed|certainty_changed|message_status)"/;

/** Resolves when it is told; rejects with what went wrong. Has a time limit of its own. */
export type Channel = (notification: Notification) => Promise<void>;

export interface NotifierOptions {
  readonly config: NotifyConfig;
  readonly channels: readonly Channel[];
  readonly session: (sessionId: string) => SessionRecord | null;
  readonly redactFor: SessionRedact;
  readonly onProblem: (what: string, error: unknown) => void;
  readonly nowMs?: () => number;
}

export class Notifier implements Bus {
  private readonly waiting: Notification[] = [];
  /** By session and type: when it was told last. */
  private readonly toldAtMs = new Map<string, number>();
  private readonly toldAsks = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  private closed = false;

  constructor(private readonly options: NotifierOptions) {}

  publish({ entries }: Committed): void {
    if (this.options.channels.length === 0) return;
    for (const { kind, body } of entries) {
      // Nearly all entries say something else, and are not parsed.
      if (kind === "state" && TELLING.test(body)) this.take(JSON.parse(body) as StateEvent);
    }
  }

  /** Waits for what is under way, which has its time limits; what waits is dropped. */
  async close(): Promise<void> {
    this.closed = true;
    this.waiting.length = 0;
    await Promise.all(this.underWay);
  }

  private take(event: StateEvent): void {
    const found = this.worthTelling(event);
    const record = found && this.options.session(event.sessionId);
    if (!found || !record || !this.options.config.on.includes(found.type)) return;
    const { settings, state } = record;
    const redact = this.options.redactFor(record);
    this.enqueue({
      ...found,
      sessionId: event.sessionId,
      title: clean(settings.title, redact),
      harness: settings.harness,
      cwd: settings.cwd,
      status: state.status,
      text: clean(found.text, redact),
      atMs: event.timestampMs,
    });
  }

  private worthTelling({
    payload,
    sessionId,
    cause,
  }: StateEvent): Pick<Notification, "type" | "text" | "askId"> | null {
    if (payload.type === "ask_opened" && payload.needsHuman) {
      const key = `${sessionId} ${payload.askId}`;
      if (this.toldAsks.has(key)) return null;
      remember(this.toldAsks, key);
      return { type: "ask", text: `${payload.ask}: ${payload.title}`, askId: payload.askId };
    }
    // A person's request that was refused is told to that person, and is no error of the session.
    if (payload.type === "session_error" && cause?.source !== "request")
      return { type: "error", text: `${payload.code}: ${payload.message}`, askId: null };
    if (payload.type === "certainty_changed" && payload.needsAttention)
      return { type: "ask", text: "what its terminal shows is not understood: look at it", askId: null };
    // Only when something came back: an agent that ends with nothing to say calls nobody.
    if (payload.type === "message_status" && payload.status === "returned")
      return { type: "error", text: "its agent ended before it took a message", askId: null };
    const isDone =
      payload.type === "state_changed" && payload.to === "completed" && payload.from !== payload.to;
    return isDone ? { type: "completed", text: "", askId: null } : null;
  }

  private enqueue(notification: Notification): void {
    const nowMs = this.options.nowMs?.() ?? Date.now();
    const key = `${notification.sessionId} ${notification.type}`;
    const before = this.toldAtMs.get(key);
    if (before !== undefined && nowMs - before < this.options.config.cooldown_s * 1_000) return;
    this.toldAtMs.delete(key);
    this.toldAtMs.set(key, nowMs);
    const [oldest] = this.toldAtMs.keys();
    if (this.toldAtMs.size > REMEMBERED_MAX && oldest !== undefined) this.toldAtMs.delete(oldest);
    if (this.waiting.length >= WAITING_MAX) {
      this.options.onProblem("a notification was dropped", new Error("too many wait to be told"));
      return;
    }
    this.waiting.push(notification);
    this.work();
  }

  private work(): void {
    while (!this.closed && this.underWay.size < AT_ONCE_MAX) {
      const next = this.waiting.shift();
      if (!next) return;
      const telling: Promise<void> = this.tell(next).finally(() => {
        this.underWay.delete(telling);
        this.work();
      });
      this.underWay.add(telling);
    }
  }

  /** One channel that fails does not keep the others from it. Never rejects. */
  private async tell(notification: Notification): Promise<void> {
    await Promise.all(
      this.options.channels.map((channel) =>
        channel(notification).catch((error: unknown) =>
          this.options.onProblem("a notification was not told", error),
        ),
      ),
    );
  }
}

function clean(text: string, redact: Redact): string {
  return redact(text).slice(0, TEXT_LENGTH_MAX);
}

function remember(known: Set<string>, key: string): void {
  known.add(key);
  const [oldest] = known;
  if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
}
