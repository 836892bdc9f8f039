/** Plays what an agent wrote, and what it was told, through its codec and the session machine. */
import {
  initialSession,
  transitionSession,
  type Json,
  type SessionEvent,
  type SessionState,
} from "../../src/core/index.js";
import type {
  Decoded,
  Encoded,
  Harness,
  HarnessEffect,
  Output,
  RunStart,
} from "../../src/runtime/harness.js";
import type { QueryAnswer } from "../../src/runtime/query.js";
import type { TerminalObservation } from "../../src/runtime/terminal-observation.js";

export type Move =
  | { readonly type: "line"; readonly line: string }
  | { readonly type: "hook"; readonly line: string }
  | { readonly type: "seen"; readonly seen: TerminalObservation }
  | { readonly type: "effect"; readonly effect: HarnessEffect; readonly text?: string }
  | { readonly type: "answer"; readonly queryId: string; readonly answer: QueryAnswer };

const SHOWN_LENGTH_MAX = 200;
/** Of every line. */
const NOW_MS = 1_800_000_000_000;
const SIGNS = { line: "<", hook: "<hook", seen: "<seen", effect: "!", answer: "=" } as const;

/** A line for each thing that happened, with the session's status wherever it changed. */
export function play(harness: Harness, start: RunStart, moves: readonly Move[]): string {
  const player = new Player(harness, start);
  for (const move of moves) player.take(move);
  return `${player.report.join("\n")}\n`;
}

class Player {
  readonly report: string[] = [];
  private codec: Json;
  private state: SessionState;
  private seq = 0;

  constructor(
    private readonly harness: Harness,
    start: RunStart,
  ) {
    const { state, input } = harness.start(start);
    this.codec = state;
    if (input) this.report.push(`> ${shown(input)}`);
    const first = start.prompt ? { messageId: start.prompt.messageId } : {};
    const { asksClose } = harness;
    this.state = transitionSession(initialSession, { type: "start_session", asksClose, ...first }).state;
  }

  take(move: Move): void {
    this.report.push(`${SIGNS[move.type]} ${shown(describe(move))}`);
    switch (move.type) {
      case "line":
        return this.decoded(this.harness.decode(this.codec, move.line, NOW_MS));
      case "hook":
        return this.decoded(this.harness.decodeHook?.(this.codec, move.line, NOW_MS));
      case "seen":
        return this.decoded(this.harness.observe?.(this.codec, move.seen, NOW_MS));
      case "answer":
        return this.decoded(this.harness.answered?.(this.codec, move.queryId, move.answer));
      case "effect": {
        const encoded = this.harness.encode(this.codec, move.effect, move.text ?? null);
        this.codec = encoded.state;
        this.report.push(...spoken(encoded));
      }
    }
  }

  private decoded(decoded: Decoded | undefined): void {
    if (!decoded) return;
    this.codec = decoded.state;
    for (const output of decoded.outputs) this.output(output);
  }

  private output(output: Output): void {
    this.report.push(`  ${output.type} ${shown(JSON.stringify(withoutType(output)))}`);
    if (output.type === "fact") this.apply(output.fact);
    if (output.type !== "stream") return;
    this.seq += 1;
    const { streamId, event: type, payload } = output;
    const ids = { eventId: `e${this.seq}`, sessionId: "s", harness: this.harness.name, streamId } as const;
    const event = {
      schemaVersion: "1.0",
      ...ids,
      seq: this.seq,
      timestampMs: this.seq,
      type,
      payload,
    } as const;
    this.apply({ type: "harness_stream", event });
  }

  private apply(event: SessionEvent): void {
    const step = transitionSession(this.state, event);
    const [before, after] = [statusOf(this.state), statusOf(step.state)];
    this.state = step.state;
    if (step.result === "ignored" && event.type !== "harness_stream") this.report.push("    ignored");
    if (before !== after) this.report.push(`    ${before} -> ${after}`);
  }
}

function statusOf({ status, phase }: SessionState): string {
  return phase === null ? status : `${status}/${phase}`;
}

function describe(move: Move): string {
  return move.type === "line" || move.type === "hook" ? move.line : JSON.stringify(withoutType(move));
}

function spoken({ writes, signal, typing, failure, queries = [] }: Encoded): readonly string[] {
  return [
    ...writes.map((write) => `  > ${shown(write)}`),
    ...(typing ? [`  typing ${JSON.stringify(typing)}`] : []),
    ...(signal ? [`  signal ${signal}`] : []),
    ...queries.map((query) => `  query ${shown(JSON.stringify(query))}`),
    ...(failure === undefined ? [] : [`  failure ${failure}`]),
  ];
}

function withoutType({ type: _type, ...rest }: { readonly type: string }): object {
  return rest;
}

function shown(text: string): string {
  const line = text.trimEnd().replaceAll("\n", "⏎");
  return line.length > SHOWN_LENGTH_MAX ? `${line.slice(0, SHOWN_LENGTH_MAX)}…` : line;
}
