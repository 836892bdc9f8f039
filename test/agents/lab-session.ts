/** A session of a real agent, as a test follows it: step by step, waiting for what it is told. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StatePayload } from "../../src/protocol/state-event.js";
import type { SessionDetail } from "../../src/protocol/session.js";
import type { StreamEvent } from "../../src/protocol/stream-event.js";
import type { Told } from "./event-tap.js";
import type { Lab } from "./lab.js";

/** How long the next thing may take, with a slow agent on a busy machine: one of them is resumed only in its next minute. */
const PATIENCE_MS = 100_000;
const STARTS_MAX = 4;
const LOOK_EVERY_MS = 50;
const ENTRIES_SHOWN = 40;
const LOG_SHOWN = 2_000;

type Status = SessionDetail["status"];
type Opened = Extract<StatePayload, { readonly type: "ask_opened" }>;

/** What did not come, with all that is known of why. */
export class NotTold extends Error {
  override readonly name = "NotTold";
}

export class LabSession {
  /** How far the test has followed. */
  private seen = 0;
  private starts = 1;

  constructor(
    private readonly lab: Lab,
    readonly id: string,
  ) {}

  get told(): readonly Told[] {
    return this.lab.tap.of(this.id);
  }

  /** Follows from now on: what was told before is passed over. */
  catchUp(): void {
    this.seen = this.told.length;
  }

  /** The next event that fits, from where the test last was. */
  async next<T>(what: string, find: (told: Told) => T | undefined, patienceMs = PATIENCE_MS): Promise<T> {
    const signal = AbortSignal.timeout(patienceMs);
    for (;;) {
      const { told } = this;
      for (; this.seen < told.length; this.seen += 1) {
        const event = told[this.seen];
        const found = event && find(event);
        if (found === undefined) continue;
        this.seen += 1;
        return found;
      }
      try {
        await this.lab.tap.more(signal);
      } catch (error) {
        throw new NotTold(`${what} did not come.\n${await this.describe()}`, { cause: error });
      }
    }
  }

  /** The next change to this status; a failure on the way is told at once. */
  async reaches(...statuses: readonly Status[]): Promise<Status> {
    const reached = await this.next(statuses.join(" or "), (told) => {
      const change = stateOf(told);
      if (change?.type !== "state_changed" || change.from === change.to) return undefined;
      return statuses.includes(change.to) || change.to === "error" ? change.to : undefined;
    });
    if (statuses.includes(reached)) return reached;
    if (await this.startsAgain()) return this.reaches(...statuses);
    throw new NotTold(`error instead of ${statuses.join(" or ")}.\n${await this.describe()}`);
  }

  /** The next ask that a person must answer; a failure on the way is told at once. */
  async asked(): Promise<Opened> {
    const found = await this.next("an ask", (told) => {
      const change = stateOf(told);
      if (change?.type === "state_changed" && change.from !== change.to && change.to === "error") return null;
      // What an agent reaches for beside its work, the wall asks about.
      const isAsk = change?.type === "ask_opened" && change.needsHuman && change.ask !== "network";
      return isAsk ? change : undefined;
    });
    if (found) return found;
    if (await this.startsAgain()) return this.asked();
    throw new NotTold(`error instead of an ask.\n${await this.describe()}`);
  }

  /** On a machine that is busy with others, an agent may need longer to start than it is given: then it is tried again. */
  private async startsAgain(): Promise<boolean> {
    const { error } = await this.read();
    if (this.starts >= STARTS_MAX || error?.message.includes("was not ready after") !== true) return false;
    this.starts += 1;
    await this.lab.client.retry(this.id);
    return true;
  }

  approve(askId: string): Promise<unknown> {
    return this.lab.client.answerAsk(this.id, askId, { decision: "approve" });
  }

  reject(askId: string, message?: string): Promise<unknown> {
    const words = message === undefined ? {} : { message };
    return this.lab.client.answerAsk(this.id, askId, { decision: "reject", ...words });
  }

  send(text: string): Promise<unknown> {
    return this.lab.client.sendMessage(this.id, { text });
  }

  read(): Promise<SessionDetail> {
    return this.lab.client.getSession(this.id);
  }

  /** What the agent has said so far, thoughts left out. */
  text(): string {
    return this.deltas("text_delta").join("");
  }

  deltas(type: StreamEvent["type"]): readonly string[] {
    return this.told.flatMap((told) => {
      if (told.channel !== "stream" || told.event.type !== type) return [];
      const { text } = told.event.payload;
      return typeof text === "string" ? [text] : [];
    });
  }

  /** Every status that the session was shown in, in order. */
  statuses(): readonly Status[] {
    return this.told.flatMap((told) => {
      const change = stateOf(told);
      return change?.type === "state_changed" && change.from !== change.to ? [change.to] : [];
    });
  }

  /** The agent's process, as the daemon knows it. */
  async pid(): Promise<number> {
    const { process } = await this.lab.client.explain(this.id);
    if (process.pid === null) throw new Error(`run ${process.run} has no process`);
    return process.pid;
  }

  /** A fact that the journal has of this session. */
  async fact(type: string): Promise<unknown> {
    const { items } = await this.lab.client.listEvents(this.id, { limit: 1_000 });
    return items.find((entry) => entry.kind === "fact" && entry.event.type === type);
  }

  /** Ends the agent and forgets the session. */
  async remove(): Promise<void> {
    await this.lab.client.deleteSession(this.id);
  }

  /** Something that only the world shows, such as a file. */
  async eventually(
    what: string,
    check: () => boolean | Promise<boolean>,
    lookEveryMs: number = LOOK_EVERY_MS,
  ): Promise<void> {
    const endMs = Date.now() + PATIENCE_MS;
    while (!(await check())) {
      if (Date.now() > endMs) throw new NotTold(`${what} did not come about.\n${await this.describe()}`);
      await sleep(lookEveryMs);
    }
  }

  /** Why it is in this state, and the end of its journal. */
  async describe(): Promise<string> {
    const { client, model, daemon } = this.lab;
    const explanation = await client.explain(this.id);
    const { items } = await client.listEvents(this.id, { limit: 1_000 });
    const entries = items.slice(-ENTRIES_SHOWN).map((entry) => JSON.stringify(entry).slice(0, 600));
    return [
      JSON.stringify({ ...explanation, changes: explanation.changes.slice(0, 5) }),
      ...entries,
      `truth: ${JSON.stringify(model.truth.all()).slice(-1_500)}`,
      `mistakes: ${JSON.stringify(model.mistakes)}`,
      daemon.log().slice(-LOG_SHOWN),
    ].join("\n");
  }
}

export function stateOf(told: Told): StatePayload | null {
  return told.channel === "state" ? told.event.payload : null;
}
