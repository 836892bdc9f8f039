/**
 * Recordings of Codex's app-server as moves.
 *
 * Those made through the codec hold each run's start, what Codex wrote (`out`) and the effects that were told to it. The
 * older ones hold what some other client told it (`in`), with ids of its own: its requests are turned into the effects
 * that make the codec say the same, and the answers get the ids of the codec's requests.
 */
import type { Json } from "../../../src/core/index.js";
import type { HarnessEffect, RunStart } from "../../../src/runtime/harness.js";
import { fieldsOf, listAt, textAt, textOf, type JsonObject } from "../../../src/harness/kit/json.js";
import type { Move } from "../play.js";

export interface RecordedRun {
  readonly start: RunStart;
  readonly moves: readonly Move[];
}

const NO_SETTINGS = { harness: "codex", title: "", cwd: "/proj", model: null, args: [], env: {} } as const;

export function recordedRuns(text: string): readonly RecordedRun[] {
  const entries = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => fieldsOf(JSON.parse(line) as Json));
  return entries.some(({ dir }) => dir === "start") ? ownRuns(entries) : [foreignRun(entries)];
}

function ownRuns(entries: readonly JsonObject[]): readonly RecordedRun[] {
  const runs: { start: RunStart; moves: Move[] }[] = [];
  for (const entry of entries) {
    const moves = runs.at(-1)?.moves;
    if (entry["dir"] === "start") runs.push({ start: entry["start"] as unknown as RunStart, moves: [] });
    if (entry["dir"] === "out") moves?.push({ type: "line", line: textAt(entry, "line") ?? "" });
    if (entry["dir"] === "effect") {
      const told = textAt(entry, "text");
      const effect = entry["effect"] as unknown as HarnessEffect;
      moves?.push({ type: "effect", effect, ...(told === null ? {} : { text: told }) });
    }
  }
  return runs;
}

function foreignRun(entries: readonly JsonObject[]): RecordedRun {
  const reader = new ForeignReader();
  for (const { dir, msg } of entries) {
    if (dir === "in") reader.told(fieldsOf(msg));
    if (dir === "out") reader.heard(fieldsOf(msg));
  }
  return reader.run();
}

class ForeignReader {
  private readonly moves: Move[] = [];
  /** The codec's id for each of the other client's requests. */
  private readonly ids = new Map<Json | undefined, number>();
  private nextId = 1;
  private prompt: string | null = null;
  private resume: string | null = null;
  private messageCount = 0;

  run(): RecordedRun {
    const prompt = this.prompt === null ? null : { messageId: "m1", text: this.prompt };
    return {
      start: { run: 1, settings: NO_SETTINGS, resume: this.resume, prompt, continues: false },
      moves: this.moves,
    };
  }

  heard(message: JsonObject): void {
    const { id, method } = message;
    if (method !== undefined) return this.line(message);
    const ours = this.ids.get(id);
    if (ours === undefined) return;
    this.line({ ...message, id: ours });
    // The codec asks then who is logged in; the other client did not.
    if (ours === 1) {
      const result = { account: null, requiresOpenaiAuth: false };
      this.line({ id: this.took("account/read"), result });
    }
  }

  told({ id, method, params, result }: JsonObject): void {
    switch (method) {
      case "initialize":
      case "thread/start":
        this.took(id);
        return;
      case "thread/resume":
        this.took(id);
        this.resume = textAt(fieldsOf(params), "threadId");
        return;
      case "turn/start":
        this.took(id);
        this.message(textOf(fieldsOf(listAt(fieldsOf(params), "input")[0])["text"]) ?? "");
        return;
      case "turn/interrupt":
        this.took(id);
        this.effect({ type: "interrupt_run", run: 1 });
        return;
      case undefined:
        this.answer(`ask-1-${JSON.stringify(id)}`, textAt(fieldsOf(result), "decision"));
        return;
      default:
        // What the codec never says.
        return;
    }
  }

  private took(id: Json | undefined): number {
    const ours = this.nextId;
    this.nextId += 1;
    this.ids.set(id, ours);
    return ours;
  }

  private message(text: string): void {
    this.messageCount += 1;
    if (this.prompt === null) this.prompt = text;
    else this.effect({ type: "deliver_message", run: 1, messageId: `m${this.messageCount}` }, text);
  }

  private answer(askId: string, decision: string | null): void {
    if (decision === "cancel") this.effect({ type: "void_asks", askIds: [askId], reason: "recorded" });
    else {
      const ours = decision === "accept" ? "approve" : "reject";
      this.effect({ type: "answer_ask", run: 1, askId, decision: ours, by: "user" });
    }
  }

  private effect(effect: HarnessEffect, text?: string): void {
    this.moves.push({ type: "effect", effect, ...(text === undefined ? {} : { text }) });
  }

  private line(message: JsonObject): void {
    this.moves.push({ type: "line", line: JSON.stringify(message) });
  }
}
