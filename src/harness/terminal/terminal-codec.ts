/**
 * Any program in a terminal, as facts; and effects, as what is to be typed into it. Pure. What anything means is decided by
 * the terminal machine (`core/terminal`): this puts what was seen into its events, and its effects into outputs.
 *
 * What a person types at the terminal does not come through here, and changes nothing: only what comes of it does (004).
 * The output itself is no content of the journal: it stays in the spool, and is looked at as a screen.
 */
import {
  initialTerminal,
  launchedProgram,
  transitionTerminal,
  type Json,
  type SessionFact,
  type TerminalEffect,
  type TerminalEvent,
  type TerminalFact,
} from "../../core/index.js";
import type { EvidenceSource } from "../../protocol/state-event.js";
import type { Decoded, Encoded, HarnessEffect, Output, RunStart } from "../../runtime/harness.js";
import type { Choice, TerminalObservation, Typing } from "../../runtime/terminal-observation.js";
import { hookEvent } from "./claude-facts.js";
import { parseHook } from "./claude-hooks.js";
import { fromJson, toJson, type CodecState } from "./codec-state.js";

const ENTER = "\r";
const CONTINUE = "Continue.";

export function startTerminal({ run, settings, continues, prompt }: RunStart): {
  readonly state: Json;
  readonly input: string;
} {
  const launched = launchedProgram(settings.args);
  // Nothing shows when another program is ready for it: it is there to be read when the program reads.
  const isTypedNow = launched.type === "other" && prompt !== null;
  const held = isTypedNow ? null : prompt;
  const { state: machine } = transitionTerminal(initialTerminal, {
    type: "run_started",
    run,
    launched,
    first: held ? "prompt" : continues ? "handover" : null,
    messageId: held?.messageId ?? null,
  });
  const state: CodecState = { machine, promptText: held?.text ?? null };
  return { state: toJson(state), input: isTypedNow ? `${prompt.text}${ENTER}` : "" };
}

/** Which bytes came does not matter, only that some did: it is there. */
export function decodeTerminal(json: Json, _piece: string, nowMs: number): Decoded {
  const because = { source: "process", because: "it printed something" } as const;
  return decoded(json, { type: "printed", atMs: nowMs }, because);
}

export function decodeTerminalHook(json: Json, line: string, nowMs: number): Decoded {
  const hook = parseHook(line);
  if (!hook) return { state: json, outputs: [{ type: "unknown", kind: "hook" }] };
  const { isKnown, event } = hookEvent(hook, nowMs);
  const name = hook.hook_event_name;
  if (!isKnown) return { state: json, outputs: [{ type: "unknown", kind: `hook:${name}` }] };
  return event
    ? decoded(json, event, { source: "hooks", because: `hook ${name}` })
    : { state: json, outputs: [] };
}

export function observeTerminal(json: Json, observation: TerminalObservation, nowMs: number): Decoded {
  switch (observation.type) {
    case "foreground":
      return decoded(
        json,
        { ...observation, atMs: nowMs },
        { source: "process", because: `in the foreground: ${observation.command}` },
      );
    case "named":
      return decoded(
        json,
        { ...observation, atMs: nowMs },
        { source: "process", because: `a person says that it is ${observation.name}` },
      );
    case "screen":
      return decoded(json, observation, {
        source: "screen",
        because: observation.reading.evidence.join("; "),
      });
    case "mark":
      return decoded(
        json,
        { ...observation, atMs: nowMs },
        { source: "screen", because: `the shell's mark: ${observation.mark}` },
      );
    case "left":
      return decoded(
        json,
        { ...observation, atMs: nowMs },
        { source: "screen", because: `the screen shows its end: ${observation.evidence}` },
      );
    case "typed":
      return decoded(
        json,
        { ...observation, atMs: nowMs },
        { source: "screen", because: "the program has taken what was typed" },
      );
    case "command":
      // Only agents that speak a protocol have us run some.
      return { state: json, outputs: [] };
  }
}

/** Where it was seen, and in words. */
interface Because {
  readonly source: EvidenceSource;
  readonly because: string;
}

function decoded(json: Json, event: TerminalEvent, because: Because): Decoded {
  const { machine, promptText } = fromJson(json);
  const { state, effects } = transitionTerminal(machine, event);
  const outputs = effects.flatMap((effect) => outputOf(effect, because, promptText));
  if (state === machine) return { state: json, outputs };
  const { activity } = state;
  const isHeld = activity.type === "starting" && activity.first?.type === "prompt";
  return { state: toJson({ machine: state, promptText: isHeld ? promptText : null }), outputs };
}

function outputOf(effect: TerminalEffect, because: Because, promptText: string | null): readonly Output[] {
  switch (effect.type) {
    case "tell":
      return [{ type: "fact", fact: factOf(effect.fact, because.because), source: because.source }];
    case "describe_ask":
      return [{ ...effect, type: "ask_detail" }];
    case "seat":
      return [{ ...effect, type: "agent" }];
    case "type_message": {
      const { messageId, force, addressee } = effect;
      if (messageId === null) return [];
      const typing: Typing = { type: "message", text: promptText ?? "", force, addressee };
      return [{ type: "typing", typing, messageId }];
    }
    case "type_choice":
    case "press_keys":
      // Only requests of the session's bring these about.
      return [];
  }
}

function factOf(fact: TerminalFact, because: string): SessionFact {
  switch (fact.type) {
    case "tool_started":
    case "tool_finished":
    case "background_changed":
    case "delivery_failed":
      return fact;
    default:
      return { ...fact, because };
  }
}

export function encodeTerminal(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const event = requestOf(effect);
  if (event === null) return { state: json, writes: [] };
  const { machine, promptText } = fromJson(json);
  const { state, effects, error } = transitionTerminal(machine, event);
  const next = toJson({ machine: state, promptText });
  if (error) return { state: next, writes: [], failure: error.message };
  const [typing] = effects.flatMap((wanted) => typingOf(wanted, text));
  return { state: next, writes: [], ...(typing ? { typing } : {}) };
}

function requestOf(effect: HarnessEffect): TerminalEvent | null {
  switch (effect.type) {
    case "deliver_message": {
      const { messageId, force = false } = effect;
      return { type: "deliver", messageId, force };
    }
    case "continue_run":
      return { type: "continue" };
    case "interrupt_run":
      return { type: "interrupt" };
    case "answer_ask":
      return { type: "answer", askId: effect.askId, decision: effect.decision };
    case "void_asks":
      return null;
  }
}

function typingOf(effect: TerminalEffect, text: string | null): readonly Typing[] {
  switch (effect.type) {
    case "type_message": {
      const { messageId, force, addressee } = effect;
      return [{ type: "message", text: messageId === null ? CONTINUE : (text ?? ""), force, addressee }];
    }
    case "type_choice": {
      const { decision, fingerprint, asked, addressee } = effect;
      const choice: Choice =
        decision === "reply" ? { type: "text", text: text ?? "" } : { type: "meaning", meaning: decision };
      return [{ type: "choice", fingerprint, ...(asked ? { asked } : {}), choice, addressee }];
    }
    case "press_keys":
      return [{ type: "keys", keys: effect.keys }];
    case "tell":
    case "describe_ask":
    case "seat":
      // No request of the session's tells anything.
      return [];
  }
}
