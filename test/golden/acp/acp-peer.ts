/** A codec at work, and what came of what it heard last. */
import type { Json, SessionFact } from "../../../src/core/index.js";
import {
  answeredAcp,
  decodeAcp,
  encodeAcp,
  observeAcp,
  startAcp,
} from "../../../src/harness/acp/acp-codec.js";
import { fromJson, type AcpState } from "../../../src/harness/acp/acp-state.js";
import type { Encoded, HarnessEffect, Output, RunStart } from "../../../src/runtime/harness.js";
import type { RunExit } from "../../../src/protocol/keeper.js";
import type { QueryAnswer } from "../../../src/runtime/query.js";
import type { Verdict } from "../../../src/core/index.js";

export const SETTINGS = { harness: "acp", title: "", cwd: "/proj", model: null, args: [], env: {} } as const;
export const PROMPT = { messageId: "m1", text: "go" } as const;
export const NOW_MS = 5_000;

export const CAPABLE = { loadSession: true, sessionCapabilities: { resume: {} } };

export class AcpPeer {
  json: Json;
  outputs: readonly Output[] = [];
  /** What the agent was told last. */
  told: readonly Json[];

  constructor(agent: string | null, start: Partial<RunStart> = {}) {
    const { state, input } = startAcp(
      { run: 1, settings: SETTINGS, resume: null, prompt: null, continues: false, ...start },
      agent,
    );
    this.json = state;
    this.told = parsed([input]);
  }

  get state(): AcpState {
    return fromJson(this.json);
  }

  /** Its outputs but for what it writes, which stands in `told`. */
  get said(): readonly Output[] {
    return this.outputs.filter(({ type }) => type !== "write");
  }

  get facts(): readonly SessionFact[] {
    return this.outputs.flatMap((output) => (output.type === "fact" ? [output.fact] : []));
  }

  hears(message: Json): this {
    const line = typeof message === "string" ? message : JSON.stringify(message);
    return this.took(decodeAcp(this.json, line, NOW_MS));
  }

  /** The answer to our newest request of this method. */
  answers(method: string, answer: { readonly result: Json } | { readonly error: Json }): this {
    const pending = Object.entries(this.state.requests.pending).filter(([, one]) => one.method === method);
    const id = Number(pending.at(-1)?.[0]);
    return this.hears({ jsonrpc: "2.0", id, ...answer });
  }

  updates(update: Json): this {
    return this.hears({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: this.state.sessionId ?? "s1", update },
    });
  }

  asks(id: number | string, method: string, params: Readonly<Record<string, Json>>): this {
    return this.hears({ jsonrpc: "2.0", id, method, params: { sessionId: "s1", ...params } });
  }

  isAnswered(queryId: string, answer: QueryAnswer): this {
    return this.took(answeredAcp(this.json, queryId, answer));
  }

  isDecided(queryId: string, verdict: Verdict): this {
    const decision = { verdict, rule: null, file: null, because: "A rule says so." };
    return this.isAnswered(queryId, { type: "decided", decision });
  }

  /** A command that is run for it has printed something, or has ended. */
  isSeen(terminal: number, output: string | null, exit: RunExit | null = null): this {
    return this.took(observeAcp(this.json, { type: "command", terminal, output, exit }));
  }

  does(effect: HarnessEffect, text: string | null = null): Encoded {
    const encoded = encodeAcp(this.json, effect, text);
    this.json = encoded.state;
    this.told = parsed(encoded.writes);
    return encoded;
  }

  approves(askId: string): Encoded {
    return this.does({ type: "answer_ask", run: 1, askId, decision: "approve", by: "user" });
  }

  rejects(askId: string, text: string | null = null): Encoded {
    const answer = { type: "answer_ask", run: 1, askId, decision: "reject", by: "user" } as const;
    return this.does(text === null ? answer : { ...answer, messageId: "r" }, text);
  }

  private took({ state, outputs }: { readonly state: Json; readonly outputs: readonly Output[] }): this {
    this.json = state;
    this.outputs = outputs;
    this.told = parsed(outputs.flatMap((output) => (output.type === "write" ? [output.data] : [])));
    return this;
  }
}

/** An agent that has begun the turn of its first prompt. */
export function working(agent: string | null = null): AcpPeer {
  return opened(agent, { prompt: PROMPT });
}

export function opened(agent: string | null, start: Partial<RunStart> = {}, session: Json = {}): AcpPeer {
  const peer = new AcpPeer(agent, start).answers("initialize", {
    result: { protocolVersion: 1, agentCapabilities: CAPABLE },
  });
  const method = start.resume ? "session/resume" : "session/new";
  const modes = { currentModeId: "default", availableModes: [] };
  return peer.answers(method, { result: { sessionId: "s1", modes, ...(session as object) } });
}

export function fact(value: SessionFact): Output {
  return { type: "fact", fact: value };
}

function parsed(lines: readonly string[]): readonly Json[] {
  return lines
    .flatMap((line) => line.split("\n"))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
}
