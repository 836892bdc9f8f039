/**
 * Sessions under load, whose every line can be accounted for. Each message is a short word; for each the agent writes the
 * word with rising numbers, asks for an approval, and writes a last piece. So the text of a session, its asks and what its
 * agent heard follow from the messages that were acknowledged, and anything lost or repeated shows.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../src/client/index.js";
import { retrying } from "./retrying.js";

const PIECES = 25;

const SCRIPT = {
  turns: [
    [
      { emit: { type: "request" } },
      { emit: { type: "text", text: "$TEXT-$I;" }, repeat: PIECES, everyMs: 4 },
      { emit: { type: "ask", askId: "ask-$TEXT", ask: "command", title: "go on?" } },
      { answer: "ask-$TEXT", approve: [{ emit: { type: "text", text: "$TEXT-yes;" } }] },
      { emit: { type: "done" } },
    ],
  ],
};

export interface LoadSession {
  readonly id: string;
  readonly reportFile: string;
  /** The words that were acknowledged, in order. */
  readonly words: string[];
}

/** What an agent says of itself. */
export interface AgentReport {
  readonly pids: readonly number[];
  readonly faults: readonly unknown[];
  readonly heard: readonly string[];
}

export class Load {
  readonly sessions: LoadSession[] = [];
  private count = 0;

  /** `client` gives the daemon of the moment. */
  constructor(
    private readonly folder: string,
    private readonly client: () => Client,
  ) {}

  async open(sessions: number): Promise<void> {
    for (let index = 0; index < sessions; index += 1) {
      const reportFile = join(this.folder, `report-${index}`);
      const args = ["--inline", JSON.stringify(SCRIPT), "--report", reportFile];
      const session = await retrying(() =>
        this.client().createSession({
          harness: "script",
          cwd: this.folder,
          args,
          prompt: `w${index}`,
          clientId: `open-${index}`,
        }),
      );
      this.sessions.push({ id: session.id, reportFile, words: [`w${index}`] });
    }
  }

  /** One more message to every session; all are acknowledged when it resolves. */
  async speak(): Promise<void> {
    this.count += 1;
    const round = this.count;
    await Promise.all(
      this.sessions.map(async (session, index) => {
        const word = `r${round}s${index}`;
        await retrying(() => this.client().sendMessage(session.id, { text: word, clientId: `say-${word}` }));
        session.words.push(word);
      }),
    );
  }

  /** Approves whatever asks, once. */
  async approve(): Promise<void> {
    const { items } = await retrying(() => this.client().listAsks());
    const waiting = items.filter(({ needsHuman }) => needsHuman);
    await Promise.all(
      waiting.map(({ sessionId, askId }) =>
        retrying(
          () =>
            this.client().answerAsk(sessionId, askId, {
              decision: "approve",
              clientId: `approve-${sessionId}-${askId}`,
            }),
          // Somebody's earlier try got through.
          ["ask_stale"],
        ),
      ),
    );
  }

  /** Approves until every session has nothing left to do. */
  async settle(deadlineMs: number): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (Date.now() < end) {
      await this.approve();
      const { items } = await retrying(() => this.client().listSessions({ limit: 1_000 }));
      const isDone = (id: string): boolean => {
        const session = items.find((item) => item.id === id);
        return session?.status === "completed" && session.queue.length === 0;
      };
      if (this.sessions.every(({ id }) => isDone(id))) return;
      await sleep(50);
    }
    throw new Error("the sessions did not settle");
  }

  /** The text that a session must have, no more and no less. */
  static expectedText({ words }: LoadSession): string {
    return words
      .map((word) => {
        const pieces = Array.from({ length: PIECES }, (_, index) => `${word}-${index + 1};`);
        return `${pieces.join("")}${word}-yes;`;
      })
      .join("");
  }

  static expectedHeard({ words }: LoadSession): readonly string[] {
    return words.flatMap((word) => [`prompt ${word}`, `answer ask-${word} approve`]);
  }

  static async report({ reportFile }: LoadSession): Promise<AgentReport> {
    const lines = (await readFile(reportFile, "utf8")).trim().split("\n");
    const facts = lines.map((line) => JSON.parse(line) as ReportLine);
    return {
      pids: facts.flatMap(({ started }) => started ?? []),
      faults: facts.flatMap(({ fault }) => fault ?? []),
      heard: facts.flatMap(({ heard }) => (heard ? [describeHeard(heard)] : [])),
    };
  }
}

interface Heard {
  readonly type: string;
  readonly text?: string | null;
  readonly askId?: string;
  readonly decision?: string;
}

interface ReportLine {
  readonly started?: number;
  readonly fault?: unknown;
  readonly heard?: Heard;
}

function describeHeard({ type, text, askId, decision }: Heard): string {
  return type === "answer" ? `answer ${askId} ${decision}` : `${type} ${text}`;
}
