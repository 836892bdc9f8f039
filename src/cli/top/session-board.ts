/** What `top` knows: the sessions, what each said last, and whether the daemon is there. */
import type { Client } from "../../client/client.js";
import type { EventItem } from "../../client/event-item.js";
import { SignalboxError, UnreachableError } from "../../client/signalbox-error.js";
import type { HealthCheck, HealthReport, Roster } from "../../protocol/api-schemas.js";
import type { SessionSummary } from "../../protocol/session.js";
import type { Item } from "../../core/thread/thread.js";
import { NOT_DOING, type Doing } from "../../core/words/doing.js";
import { doingOnce, readDoing } from "../doing-now.js";
import { plainText } from "../plain-text.js";
import { listAllSessions, RELIST_MS } from "../session-list.js";
import { Transcript } from "../transcript.js";

/** Changes that come together are fetched together. */
const GATHER_DELAY_MS = 150;
/** When more have changed, all are listed: that is one request. */
const FETCHED_SINGLY_MAX = 10;
/** How much of what a session said is kept to be shown. */
const TAIL_LENGTH_MAX = 4_000;
/** Of how many at once it is read what they have begun; others are heard of by what they do next. */
const DOING_READ_MAX = 20;

interface Said {
  readonly transcript: Transcript;
  tail: string;
}

/** `connecting` until the first answer; nobody is told that a daemon is away that was never asked. */
export type Link = "connecting" | "live" | "away";

/** Who gets messages without an ID, and who could. */
export type Seats = ReadonlyMap<string, Roster["seats"][number]["status"]>;

export class SessionBoard {
  sessions: ReadonlyMap<string, SessionSummary> = new Map();
  link: Link = "connecting";
  seats: Seats = new Map();
  /** What is wrong with disk, keeper or journal. */
  problems: readonly HealthCheck[] = [];
  private readonly said = new Map<string, Said>();
  private readonly doings = new Map<string, Doing>();
  private readonly changed = new Set<string>();
  private isAllStale = false;
  private isRosterStale = false;
  private isFetching = false;
  private timer: NodeJS.Timeout | undefined;
  private onFetched = (): void => undefined;

  constructor(
    private readonly client: Client,
    private readonly onChange: () => void,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /** Resolves when aborted; rejects when the daemon refuses. One stream of events, for all sessions. */
  async follow(signal: AbortSignal): Promise<void> {
    const relisting = setInterval(() => this.fetchAllSoon(), RELIST_MS);
    let isOpen = false;
    try {
      const onOpen = () => {
        isOpen = true;
        this.fetchAllSoon();
      };
      const onLost = () => {
        isOpen = false;
        this.link = "away";
        this.onChange();
      };
      this.onFetched = () => {
        if (isOpen) this.link = "live";
      };
      const onHealth = ({ checks }: HealthReport) => {
        this.problems = checks;
        this.onChange();
      };
      for await (const item of this.client.events({ signal, onOpen, onLost, onHealth })) this.take(item);
    } finally {
      clearInterval(relisting);
      clearTimeout(this.timer);
    }
  }

  /** The end of what a session said, as lines. */
  linesOf(sessionId: string, count: number): readonly string[] {
    const lines = (this.said.get(sessionId)?.tail ?? "").split("\n").filter((line) => line.trim() !== "");
    return lines.slice(-count);
  }

  doingOf(sessionId: string): Doing {
    return this.doings.get(sessionId) ?? NOT_DOING;
  }

  /** What a session said before we listened. */
  async recall(sessionId: string): Promise<void> {
    if (this.said.has(sessionId)) return;
    const said = this.saidBy(sessionId);
    try {
      const { items } = await this.client.getThread(sessionId);
      // What came meanwhile is newer.
      if (said.tail === "") said.tail = lastText(items as unknown as readonly Item[]);
      this.onChange();
    } catch (error) {
      this.reportUnlessPassing(error);
    }
  }

  private take(item: EventItem): void {
    if (item.type === "reset") {
      this.said.clear();
      this.doings.clear();
      this.fetchAllSoon();
      return;
    }
    const { sessionId } = item.event;
    const said = this.saidBy(sessionId);
    const text = said.transcript.take(item);
    const doing = doingOnce(this.doingOf(sessionId), item);
    if (text !== "" || doing !== this.doingOf(sessionId)) {
      said.tail = (said.tail + text).slice(-TAIL_LENGTH_MAX);
      this.doings.set(sessionId, doing);
      this.onChange();
    }
    if (item.channel === "state") {
      if (item.event.payload.type === "roster_changed") this.isRosterStale = true;
      this.changed.add(sessionId);
      this.fetchSoon();
    }
  }

  private saidBy(sessionId: string): Said {
    const known = this.said.get(sessionId);
    if (known) return known;
    const paint = (_colour: string, text: string) => text;
    const said = { transcript: new Transcript({ paint, full: false }), tail: "" };
    this.said.set(sessionId, said);
    return said;
  }

  private fetchAllSoon(): void {
    this.isAllStale = true;
    this.fetchSoon();
  }

  private fetchSoon(): void {
    if (this.isFetching) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.fetch();
    }, GATHER_DELAY_MS);
  }

  private async fetch(): Promise<void> {
    this.isFetching = true;
    const all = this.isAllStale || this.changed.size > FETCHED_SINGLY_MAX;
    const ids = [...this.changed];
    const roster = this.isAllStale || this.isRosterStale;
    this.isAllStale = false;
    this.isRosterStale = false;
    this.changed.clear();
    try {
      if (all) await this.takeAll(await listAllSessions(this.client));
      else for (const id of ids) await this.fetchOne(id);
      if (roster) this.takeRoster(await this.client.getRoster());
      this.onFetched();
      this.onChange();
    } catch (error) {
      this.reportUnlessPassing(error);
    } finally {
      this.isFetching = false;
      if (this.isStale()) this.fetchSoon();
    }
  }

  private isStale(): boolean {
    return this.isAllStale || this.isRosterStale || this.changed.size > 0;
  }

  private takeRoster({ seats }: Roster): void {
    this.seats = new Map(seats.map(({ sessionId, status }) => [sessionId, status]));
  }

  private async takeAll(sessions: readonly SessionSummary[]): Promise<void> {
    this.sessions = new Map(sessions.map((session) => [session.id, session]));
    for (const id of this.said.keys()) if (!this.sessions.has(id)) this.forget(id);
    const isNews = ({ id, ui, phase }: SessionSummary) =>
      ui.showSpinner && phase !== null && !this.doings.has(id);
    await Promise.all(
      sessions
        .filter(isNews)
        .slice(0, DOING_READ_MAX)
        .map(({ id }) => this.readDoing(id)),
    );
  }

  /** What it began before we listened. */
  private async readDoing(sessionId: string): Promise<void> {
    const doing = await readDoing(this.client, sessionId);
    // What came meanwhile is newer.
    if (!this.doings.has(sessionId)) this.doings.set(sessionId, doing);
  }

  private forget(sessionId: string): void {
    this.said.delete(sessionId);
    this.doings.delete(sessionId);
  }

  private async fetchOne(id: string): Promise<void> {
    const sessions = new Map(this.sessions);
    try {
      sessions.set(id, await this.client.getSession(id));
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.status !== 404) throw error;
      sessions.delete(id);
      this.forget(id);
    }
    this.sessions = sessions;
  }

  /** A daemon that is away comes back, and then everything is fetched anew. */
  private reportUnlessPassing(error: unknown): void {
    if (error instanceof UnreachableError) return;
    this.onProblem(error);
  }
}

function lastText(items: readonly Item[]): string {
  const message = items.findLast((item) => item.type === "assistant_message");
  if (message?.type !== "assistant_message") return "";
  // What comes next begins a line of its own.
  return `${plainText(message.text).slice(-TAIL_LENGTH_MAX)}\n`;
}
