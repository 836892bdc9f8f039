/** A runtime with everything around it in the test's hands. */
import { namedAcpHarness } from "../../src/harness/acp/acp-harness.js";
import { TOKEN_PRINCIPAL } from "../../src/protocol/principal.js";
import { scriptHarness } from "../../src/harness/script/script-harness.js";
import { MemoryJournal } from "../../src/journal/memory-journal.js";
import type { Harness } from "../../src/runtime/harness.js";
import type {
  Clock,
  Commit,
  Committed,
  Driver,
  Entry,
  Journal,
  ObservedStep,
  OutboxItem,
  Performed,
} from "../../src/runtime/ports.js";
import { Runtime } from "../../src/runtime/runtime.js";
import type { SessionRecord, SessionSettings } from "../../src/runtime/session-record.js";
import type { Answer, PersonRequest } from "../../src/runtime/submission.js";
import { settleMicrotasks } from "./scheduler.js";

/** Agents that speak ACP may take minutes to start. */
export const SLOW_HARNESS = namedAcpHarness("slow");

/** The harness of the scripted agent, for tests beside sources that must not know any. */
export const SCRIPT: Harness = scriptHarness;

export const SETTINGS: SessionSettings = {
  harness: "script",
  title: "",
  cwd: ".",
  model: null,
  args: [],
  env: {},
};

/** Time that stands still until the test moves it. */
export class ManualClock implements Clock {
  private now = 1_000;
  private readonly wakes = new Set<{ readonly atMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.now;
  }

  wakeAt(atMs: number, callback: () => void): () => void {
    const wake = { atMs, callback };
    this.wakes.add(wake);
    return () => this.wakes.delete(wake);
  }

  get waiting(): number {
    return this.wakes.size;
  }

  advance(delayMs: number): void {
    this.now += delayMs;
    const due = [...this.wakes].filter(({ atMs }) => atMs <= this.now).toSorted((a, b) => a.atMs - b.atMs);
    for (const wake of due) if (this.wakes.delete(wake)) wake.callback();
  }
}

/** A journal whose commits wait, or fail, when the test says so. */
export class HeldJournal extends MemoryJournal {
  readonly commits: Commit[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly waitingSyncs: (() => void)[] = [];
  private isHeld = false;
  private areSyncsHeld = false;
  private failures = 0;
  private syncFailures = 0;
  syncCount = 0;

  hold(): void {
    this.isHeld = true;
  }

  release(): void {
    this.isHeld = false;
    for (const go of this.waiting.splice(0)) go();
  }

  failNext(count = 1): void {
    this.failures += count;
  }

  holdSyncs(): void {
    this.areSyncsHeld = true;
  }

  releaseSyncs(): void {
    this.areSyncsHeld = false;
    for (const go of this.waitingSyncs.splice(0)) go();
  }

  failNextSync(): void {
    this.syncFailures += 1;
  }

  override async sync(): Promise<void> {
    this.syncCount += 1;
    if (this.areSyncsHeld) await new Promise<void>((resolve) => void this.waitingSyncs.push(resolve));
    if (this.syncFailures > 0) {
      this.syncFailures -= 1;
      throw new Error("disk broken");
    }
    await super.sync();
  }

  override async commit(commit: Commit): Promise<void> {
    if (this.isHeld) await new Promise<void>((resolve) => void this.waiting.push(resolve));
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("disk full");
    }
    await super.commit(commit);
    this.commits.push(commit);
  }

  async entries(sessionId?: string): Promise<readonly Entry[]> {
    return this.readEntries({ ...(sessionId === undefined ? {} : { sessionId }), after: 0, limit: 1_000 });
  }

  async bodies(sessionId?: string): Promise<readonly unknown[]> {
    return (await this.entries(sessionId)).map(({ body }) => JSON.parse(body) as unknown);
  }
}

/** Notes every call; does it as `act` says, and at once if it says nothing. */
export class NotingDriver implements Driver {
  readonly items: OutboxItem[] = [];
  act: (item: OutboxItem, record: SessionRecord, overtaken: AbortSignal) => Performed | Promise<Performed> = (
    item,
  ) => ({
    facts: [],
    ...(item.call.type === "spawn" ? { started: true } : {}),
  });

  async perform(item: OutboxItem, record: SessionRecord, overtaken: AbortSignal): Promise<Performed> {
    this.items.push(item);
    return this.act(item, record, overtaken);
  }

  /** `effect id call`, with what was written. */
  get calls(): readonly string[] {
    return this.items.map(({ sessionId, effectId, call }) => {
      const data = call.type === "write" ? ` ${call.data.trim()}` : "";
      return `${sessionId} ${effectId} ${call.type}${data}`;
    });
  }
}

export interface Bench {
  readonly runtime: Runtime;
  readonly journal: HeldJournal;
  readonly clock: ManualClock;
  readonly driver: NotingDriver;
  readonly published: Committed[];
  readonly steps: ObservedStep[];
  readonly failures: string[];
  readonly unknown: string[];
}

export async function openBench(
  journal = new HeldJournal(),
  driver = new NotingDriver(),
  wrap: (journal: Journal) => Journal = (same) => same,
  harness: Harness = scriptHarness,
): Promise<Bench> {
  const clock = new ManualClock();
  const published: Committed[] = [];
  const steps: ObservedStep[] = [];
  const failures: string[] = [];
  const unknown: string[] = [];
  let idCount = (await journal.entries()).length;
  const runtime = await Runtime.open({
    journal: wrap(journal),
    clock,
    bus: { publish: (committed) => void published.push(committed) },
    driver,
    observer: {
      stepped: (step) => void steps.push(step),
      unknownMessage: (sessionId, harness, kind) => void unknown.push(`${sessionId} ${harness} ${kind}`),
      failed: (what, error) => void failures.push(`${what}: ${String(error)}`),
    },
    harness: () => harness,
    newId: () => `id${(idCount += 1)}`,
    pass: () => undefined,
  });
  return { runtime, journal, clock, driver, published, steps, failures, unknown };
}

export async function startedBench(...args: Parameters<typeof openBench>): Promise<Bench> {
  const bench = await openBench(...args);
  bench.runtime.start();
  return bench;
}

/** A new session; `text` is its first prompt. */
export async function create({ runtime }: Bench, text: string | null): Promise<string> {
  const create = { type: "create", settings: SETTINGS, text, approve: "ask" } as const;
  const answer = await runtime.submit(create, null, TOKEN_PRINCIPAL);
  if (!answer.ok) throw new Error(answer.message);
  await settleMicrotasks();
  return answer.value.sessionId;
}

export async function request({ runtime }: Bench, sessionId: string, wish: PersonRequest): Promise<Answer> {
  const answer = await runtime.submit({ type: "request", sessionId, request: wish }, null, TOKEN_PRINCIPAL);
  await settleMicrotasks();
  return answer;
}

/** Lines of the scripted agent, numbered from `first`. */
export function agentLines(first: number, ...lines: readonly object[]): Buffer {
  return Buffer.from(
    lines.map((line, index) => `${JSON.stringify({ n: first + index, ...line })}\n`).join(""),
  );
}

/** Of its first run: it is ready, and works. */
export const READY = agentLines(1, { type: "ready", sessionId: "S" }, { type: "request" });

export async function feed({ runtime }: Bench, sessionId: string, run: number, chunk: Buffer): Promise<void> {
  await runtime.feed(sessionId, run, chunk);
  await settleMicrotasks();
}

/** A session whose first run asks a question, to which no answer can be written. */
export async function deafQuestion(bench: Bench): Promise<string> {
  const id = await create(bench, "first");
  await feed(bench, id, 1, READY);
  await feed(bench, id, 1, agentLines(3, { type: "ask", askId: "q", ask: "followup" }));
  const effect = { type: "answer_ask", run: 1, askId: "q", messageId: "id3" } as const;
  const fact = { type: "effect_failed", run: 1, effect, message: "gone" } as const;
  bench.driver.act = ({ call }) =>
    call.type === "write" && call.run === 1 ? { facts: [{ fact, source: "process" }] } : { facts: [] };
  return id;
}
