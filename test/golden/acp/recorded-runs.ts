/**
 * Recordings of ACP agents as moves.
 *
 * The codec is run along with the recording. What it says by itself is looked for among what the agent was told; whatever
 * else the agent was told came of an effect, which is told to the codec. So the moves are the effects, the agent's lines,
 * and the answers to the codec's own queries.
 *
 * Recordings with `start` were made through the codec: it must say the same again, to the letter. The others were made by
 * another client, which gave its requests other ids, and knew nothing of what the codec asks beside: that is answered here.
 */
import { deepEqual } from "node:assert/strict";
import type { Json } from "../../../src/core/index.js";
import {
  fieldsOf,
  fieldAt,
  listAt,
  fieldsAt,
  stringAt,
  type JsonObject,
} from "../../../src/harness/kit/json.js";
import type { Harness, HarnessEffect, Output, RunStart } from "../../../src/runtime/harness.js";
import type { Query, QueryAnswer } from "../../../src/runtime/query.js";
import type { Move } from "../play.js";

export interface RecordedRun {
  readonly start: RunStart;
  readonly moves: readonly Move[];
  /** Every message that the agent was told. */
  readonly told: readonly JsonObject[];
}

interface Row {
  readonly dir: string;
  readonly msg: Json;
}

/** What the agent does not know, or has no answer to in the recording. */
const UNKNOWN_METHOD = { code: -32_601, message: "Method not found" };
const NO_RULE = { verdict: "none", rule: null, file: null, because: "No rule says anything." } as const;

export function recordedRuns(harness: Harness, text: string): readonly RecordedRun[] {
  const rows = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
  const isOwn = rows.some(({ dir }) => dir === "start");
  const runs: Row[][] = [];
  for (const row of rows) {
    if (row.dir === "start" || runs.length === 0) runs.push([]);
    runs.at(-1)?.push(row);
  }
  return runs.map((run, index) => new Reader(harness, run, index + 1, isOwn).read());
}

class Reader {
  private readonly moves: Move[] = [];
  private readonly told: JsonObject[] = [];
  private codec: Json;
  private readonly start: RunStart;
  /** What the codec said, and the agent was not yet seen to be told. */
  private unseen: JsonObject[] = [];
  /** The codec's ids of the recording's requests. */
  private readonly ids = new Map<string, Json>();
  /** The agent's requests, by id. */
  private readonly asked = new Map<string, JsonObject>();
  private messages = 1;

  constructor(
    private readonly harness: Harness,
    private readonly rows: readonly Row[],
    run: number,
    private readonly isOwn: boolean,
  ) {
    this.start = startOf(rows, run);
    const { state, input } = harness.start(this.start);
    this.codec = state;
    this.says(input);
  }

  read(): RecordedRun {
    this.rows.forEach(({ dir, msg }, index) => {
      if (dir === "out") this.heard(msg);
      if (dir === "in") this.wasTold(fieldsOf(msg), index);
    });
    if (this.isOwn) deepEqual(this.unseen, []);
    return { start: this.start, moves: this.moves, told: this.told };
  }

  private heard(msg: Json): void {
    const message = fieldsOf(msg);
    const id = fieldAt(message, "id");
    if (stringAt(message, "method") !== null && id !== undefined) this.asked.set(JSON.stringify(id), message);
    const ours = stringAt(message, "method") === null ? this.ids.get(JSON.stringify(id)) : undefined;
    this.line(
      typeof msg === "string" ? msg : JSON.stringify(ours === undefined ? msg : { ...message, id: ours }),
    );
  }

  private wasTold(message: JsonObject, index: number): void {
    if (this.take(message)) return;
    const effect = this.effectOf(message, index);
    if (!effect) throw new Error(`the codec would not have said ${JSON.stringify(message)}`);
    this.effect(effect.effect, effect.text);
    // The other client had other words for no, and did not wait for the rules.
    if (!this.take(message) && this.isOwn) deepEqual(this.unseen, [message]);
  }

  /** Whether the codec has said this already. */
  private take(message: JsonObject): boolean {
    const found = this.unseen.findIndex((said) => this.isSame(said, message));
    const [said] = found < 0 ? [] : this.unseen.splice(found, 1);
    if (!said) return false;
    if (stringAt(message, "method") !== null) this.ids.set(JSON.stringify(message["id"]), said["id"] ?? null);
    return true;
  }

  private isSame(said: JsonObject, message: JsonObject): boolean {
    if (this.isOwn) return JSON.stringify(withoutOffer(said)) === JSON.stringify(withoutOffer(message));
    const method = stringAt(said, "method");
    return method === stringAt(message, "method") && (method !== null || said["id"] === message["id"]);
  }

  private effectOf(message: JsonObject, index: number): { effect: HarnessEffect; text?: string } | null {
    const { run } = this.start;
    switch (stringAt(message, "method")) {
      case "session/prompt": {
        this.messages += 1;
        const effect = { type: "deliver_message", run, messageId: `m${this.messages}` } as const;
        return { effect, text: promptText(message) };
      }
      case "session/cancel":
        return { effect: { type: "interrupt_run", run } };
      case null:
        return this.answerOf(message, index);
      default:
        return null;
    }
  }

  private answerOf(message: JsonObject, index: number): { effect: HarnessEffect; text?: string } | null {
    const id = JSON.stringify(message["id"]);
    const params = fieldsAt(this.asked.get(id) ?? {}, "params");
    const effect = { type: "answer_ask", run: this.start.run, askId: `request-${id}`, by: "user" } as const;
    const content = fieldsAt(fieldsAt(message, "result"), "content");
    if (Object.keys(content).length > 0)
      return {
        effect: { ...effect, decision: "reply", messageId: "r" },
        text: stringAt(content, Object.keys(content)[0] ?? "") ?? "",
      };
    const optionId = stringAt(fieldsAt(fieldsAt(message, "result"), "outcome"), "optionId");
    const option = listAt(params, "options")
      .map(fieldsOf)
      .find((one) => stringAt(one, "optionId") === optionId);
    const decision = stringAt(option ?? {}, "kind")?.startsWith("allow") ? "approve" : "reject";
    const next = fieldsOf(this.rows[index + 1]?.msg);
    if (decision === "approve" || stringAt(next, "method") !== "session/cancel")
      return { effect: { ...effect, decision } };
    // It was rejected with words, which came to be the next prompt.
    const text = this.rows
      .slice(index)
      .map(({ msg }) => fieldsOf(msg))
      .find((one) => stringAt(one, "method") === "session/prompt");
    return { effect: { ...effect, decision, messageId: "r" }, text: promptText(text ?? {}) };
  }

  private line(line: string): void {
    this.moves.push({ type: "line", line });
    const { state, outputs } = this.harness.decode(this.codec, line, 0);
    this.codec = state;
    this.take2(outputs);
  }

  private effect(effect: HarnessEffect, text?: string): void {
    this.moves.push({ type: "effect", effect, ...(text === undefined ? {} : { text }) });
    const { state, writes, queries = [] } = this.harness.encode(this.codec, effect, text ?? null);
    this.codec = state;
    for (const write of writes) this.says(write);
    for (const { queryId, query } of queries) this.answer(queryId, query);
  }

  private take2(outputs: readonly Output[]): void {
    for (const output of outputs) {
      if (output.type === "write") this.says(output.data);
      if (output.type === "query") this.answer(output.queryId, output.query);
    }
  }

  private answer(queryId: string, query: Query): void {
    const answer = this.answerTo(queryId, query);
    this.moves.push({ type: "answer", queryId, answer });
    const decoded = this.harness.answered?.(this.codec, queryId, answer);
    if (!decoded) return;
    this.codec = decoded.state;
    this.take2(decoded.outputs);
  }

  /** As the recording has it. */
  private answerTo(queryId: string, query: Query): QueryAnswer {
    if (query.type === "permission") return { type: "decided", decision: NO_RULE };
    const id = queryId.slice("request-".length, -":file".length);
    const told = this.rows.find(({ dir, msg }) => {
      const message = fieldsOf(msg);
      return dir === "in" && stringAt(message, "method") === null && JSON.stringify(message["id"]) === id;
    });
    const { result, error } = fieldsOf(told?.msg);
    const content = stringAt(fieldsOf(result), "content");
    if (error !== undefined) return { type: "failed", message: "ENOENT: no such file or directory" };
    // A file that is not there reads as empty, to agents that need it so.
    if (query.type === "read_file" && content === "")
      return { type: "failed", message: "ENOENT: no such file or directory" };
    return query.type === "read_file" ? { type: "file", content: content ?? "" } : { type: "written" };
  }

  private says(text: string): void {
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const message = fieldsOf(JSON.parse(line) as Json);
      this.told.push(message);
      this.unseen.push(message);
      if (!this.isOwn) this.answerForTheOther(message);
    }
  }

  /** Requests that the other client never made. */
  private answerForTheOther(message: JsonObject): void {
    const method = stringAt(message, "method") ?? "";
    const isPing = method.startsWith("_");
    if (!isPing && !method.startsWith("session/set_")) return;
    this.unseen = this.unseen.filter((said) => said !== message);
    const answer = isPing ? { error: UNKNOWN_METHOD } : { result: {} };
    this.line(JSON.stringify({ jsonrpc: "2.0", id: message["id"] ?? null, ...answer }));
  }
}

function startOf(rows: readonly Row[], run: number): RunStart {
  const told = rows.filter(({ dir }) => dir === "in").map(({ msg }) => fieldsOf(msg));
  const params = (...methods: readonly string[]) =>
    fieldsAt(told.find((message) => methods.includes(stringAt(message, "method") ?? "")) ?? {}, "params");
  const resume = stringAt(params("session/load", "session/resume"), "sessionId");
  const cwd = stringAt(params("session/new", "session/load", "session/resume"), "cwd") ?? "";
  const settings = { harness: "acp", title: "", cwd, model: null, args: [], env: {} };
  const first = told.find((message) => stringAt(message, "method") === "session/prompt");
  const prompt = resume === null && first ? { messageId: "m1", text: promptText(first) } : null;
  return { run, settings, resume, prompt, continues: resume !== null };
}

function promptText(message: JsonObject): string {
  const [block] = listAt(fieldsAt(message, "params"), "prompt");
  return stringAt(fieldsOf(block), "text") ?? "";
}

/** All was recorded before terminals and logins in them were offered; see the README. */
function withoutOffer(message: JsonObject): JsonObject {
  if (stringAt(message, "method") !== "initialize") return message;
  const params = fieldsAt(message, "params");
  const clientCapabilities = { ...fieldsAt(params, "clientCapabilities"), terminal: null, auth: null };
  return { ...message, params: { ...params, clientCapabilities } };
}
