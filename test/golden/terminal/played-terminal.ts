/** A session of the terminal harness with its machine and its codec, without a terminal: what is seen is said by the test. */
import {
  addresseeOf,
  initialSession,
  transitionSession,
  type Json,
  type ScreenReading,
  type SessionEvent,
  type SessionEffect,
} from "../../../src/core/index.js";
import { terminalHarness } from "../../../src/harness/terminal/terminal-harness.js";
import { failureFact, failureNote } from "../../../src/runtime/effect-words.js";
import type { Decoded, HarnessEffect, Output } from "../../../src/runtime/harness.js";
import type { TerminalObservation, Typing } from "../../../src/runtime/terminal-observation.js";

export interface PlayedOptions {
  readonly args?: readonly string[];
  readonly prompt?: string;
}

type Front = Partial<Extract<TerminalObservation, { readonly type: "foreground" }>>;

export class PlayedTerminal {
  /** What happened since it was last asked. */
  private lines: string[] = [];
  private state = initialSession;
  private codec: Json = null;

  constructor(private readonly options: PlayedOptions = {}) {
    const { prompt } = options;
    this.tell({
      type: "start_session",
      asksClose: "explicit",
      addressee: addresseeOf(options.args ?? []),
      ...(prompt === undefined ? {} : { messageId: prompt }),
    });
  }

  /** The lines since the last time, and the status by now. */
  log(): readonly string[] {
    const { status, certainty } = this.state;
    const lines = [...this.lines, `= ${status}${certainty === "unknown" ? " unknown" : ""}`];
    this.lines = [];
    return lines;
  }

  get status(): string {
    return this.state.status;
  }

  get queue(): readonly string[] {
    return this.state.queue;
  }

  /** A request, or a fact of the driver's. */
  tell(event: SessionEvent): void {
    const step = transitionSession(this.state, event);
    this.state = step.state;
    if (step.result !== "ok") this.lines.push(`${step.result}: ${event.type}`);
    for (const effect of step.effects) this.enact(effect);
  }

  print(): void {
    this.take(terminalHarness.decode(this.codec, "x", 0));
  }

  hook(name: string, more: object = {}): void {
    const line = JSON.stringify({ hook_event_name: name, session_id: "s", ...more });
    this.take(terminalHarness.decodeHook?.(this.codec, line, 0));
  }

  screen(
    activity: ScreenReading["activity"],
    more: Partial<ScreenReading> & { isSteady?: boolean; isStill?: boolean; atMs?: number } = {},
  ): void {
    const { isSteady = false, isStill = false, atMs = 0, ...rest } = more;
    const stability = isStill ? "still" : isSteady ? "steady" : "fresh";
    const reading: ScreenReading = {
      activity,
      basis: "rule",
      confidence: 1,
      evidence: [`a rule for ${activity}`],
      prompt: null,
      input: null,
      ...rest,
    };
    this.see({ type: "screen", reading, stability, atMs, retry: null });
  }

  front(command: string, more: Front = {}): void {
    const isShell = command === "sh";
    this.see({
      type: "foreground",
      pid: 1,
      start: `at ${more.pid ?? 1}`,
      command,
      agent: null,
      isShell,
      isOwn: false,
      ...more,
    });
  }

  typed(typing: "message" | "choice" | "keys", isTaken = true): void {
    this.see({ type: "typed", typing, isTaken });
  }

  see(seen: TerminalObservation): void {
    this.take(terminalHarness.observe?.(this.codec, seen, 0));
  }

  private take(decoded: Decoded | undefined): void {
    if (!decoded) return;
    // As the journal keeps it.
    this.codec = JSON.parse(JSON.stringify(decoded.state)) as Json;
    for (const output of decoded.outputs) this.output(output);
  }

  private output(output: Output): void {
    switch (output.type) {
      case "fact": {
        const { type, because: _because, ...rest } = output.fact as { type: string; because?: string };
        this.lines.push(`${output.source ?? ""}: ${type}${named(rest)}`);
        this.tell(output.fact);
        return;
      }
      case "agent":
        this.lines.push(`seat: ${output.agent ?? `none, by ${output.evidence}`}`);
        return;
      case "typing":
        this.lines.push(typeLine(output.typing));
        return;
      case "ask_detail":
        this.lines.push(`about ${output.askId}: ${output.title} | ${output.detail}`);
        return;
      default:
        this.lines.push(JSON.stringify(output));
    }
  }

  private enact(effect: SessionEffect): void {
    switch (effect.type) {
      case "emit_state_changed":
        if (effect.from !== effect.to) this.lines.push(`${effect.from} -> ${effect.to}`);
        return;
      case "spawn_harness": {
        const text = effect.messageId;
        const prompt = text === undefined ? null : { messageId: text, text };
        const { args = [] } = this.options;
        const settings = { harness: "terminal", title: "", cwd: "/", model: null, args, env: {} };
        const resume = effect.resume ? this.state.harnessSessionId : null;
        const continues = this.state.onReady !== null;
        const started = terminalHarness.start({ run: effect.run, settings, resume, prompt, continues });
        this.codec = started.state;
        if (started.input !== "") this.lines.push(`input ${JSON.stringify(started.input)}`);
        return;
      }
      case "interrupt_run":
      case "deliver_message":
      case "answer_ask":
      case "continue_run":
      case "void_asks":
        this.say(effect);
        return;
      case "stop_harness":
        this.lines.push("stop");
        return;
      case "return_messages":
        this.lines.push(`returned ${effect.messageIds.join(" ")}`);
        return;
      default:
    }
  }

  private say(effect: HarnessEffect): void {
    const text = "messageId" in effect ? (effect.messageId ?? null) : null;
    const { state, typing, failure } = terminalHarness.encode(this.codec, effect, text);
    this.codec = state;
    if (typing) this.lines.push(typeLine(typing));
    const fact = failure === undefined ? null : failureFact(failureNote(effect), failure);
    if (fact) this.tell(fact);
  }
}

/** Without what is as it is in most cases. */
function typeLine(typing: Typing): string {
  const { addressee, force, ...rest } = { addressee: null, force: false, ...typing };
  const more = { ...(force ? { force } : {}), ...(addressee ? { addressee } : {}) };
  return `type ${JSON.stringify({ ...rest, ...more })}`;
}

function named(rest: object): string {
  const words = Object.values(rest).filter((value) => typeof value !== "object");
  return words.length === 0 ? "" : ` ${words.join(" ")}`;
}
