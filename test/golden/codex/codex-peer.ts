import type { Json, SessionFact } from "../../../src/core/index.js";
import type { HarnessEffect, Output, RunStart } from "../../../src/runtime/harness.js";
import { decodeCodex, encodeCodex, startCodex } from "../../../src/harness/codex/codex-codec.js";

export const SETTINGS = {
  harness: "codex",
  title: "",
  cwd: "/proj",
  model: null,
  args: [],
  env: {},
} as const;
export const PROMPT = { messageId: "m1", text: "go" } as const;

/** A codec at work, and what it said last. */
export class Peer {
  state: Json;
  outputs: readonly Output[] = [];
  writes: readonly Json[] = [];

  constructor(start: Partial<RunStart> = {}) {
    const begun = startCodex({
      run: 1,
      settings: SETTINGS,
      resume: null,
      prompt: null,
      continues: false,
      ...start,
    });
    this.state = begun.state;
    this.writes = parsed([begun.input]);
  }

  hears(message: Json | string): this {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    const { state, outputs } = decodeCodex(this.state, line);
    this.state = state;
    this.outputs = outputs;
    this.writes = parsed(outputs.flatMap((output) => (output.type === "write" ? [output.data] : [])));
    return this;
  }

  told(effect: HarnessEffect, text: string | null = null): readonly Json[] {
    const { state, writes, failure } = encodeCodex(this.state, effect, text);
    this.state = state;
    this.writes = parsed(writes);
    return failure === undefined ? this.writes : [failure];
  }

  get facts(): readonly SessionFact[] {
    return this.outputs.flatMap((output) => (output.type === "fact" ? [output.fact] : []));
  }
}

function parsed(lines: readonly string[]): readonly Json[] {
  return lines
    .flatMap((line) => line.split("\n"))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
}

export const ACCOUNT = { id: 2, result: { account: null, requiresOpenaiAuth: false } };
export const OPENED = { id: 3, result: { thread: { id: "T" } } };

export function ready(start: Partial<RunStart> = {}): Peer {
  return new Peer(start).hears({ id: 1, result: {} }).hears(ACCOUNT).hears(OPENED);
}

export function working(): Peer {
  return ready({ prompt: PROMPT })
    .hears({ id: 4, result: { turn: { id: "U" } } })
    .hears(notice("thread/status/changed", { threadId: "T", status: { type: "active" } }))
    .hears(notice("turn/started", { threadId: "T", turn: { id: "U" } }));
}

export function notice(method: string, params: Json): Json {
  return { method, params };
}

export function turnOver(status: string, more: Readonly<Record<string, Json>> = {}): Json {
  return notice("turn/completed", { threadId: "T", turn: { id: "U", status, ...more } });
}

export const IDLE = notice("thread/status/changed", { threadId: "T", status: { type: "idle" } });

export function asking(
  method: string,
  params: Readonly<Record<string, Json>>,
  id: string | number = 7,
): Json {
  return { id, method, params: { threadId: "T", turnId: "U", itemId: "c", ...params } };
}

export function answer(
  askId: string,
  decision: "approve" | "reject" | "reply",
  messageId?: string,
): HarnessEffect {
  const carried = messageId === undefined ? {} : { messageId };
  return { type: "answer_ask", run: 1, askId, decision, by: "user", ...carried };
}
