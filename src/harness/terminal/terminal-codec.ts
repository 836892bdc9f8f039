/**
 * Any program in a terminal, as facts; and effects, as keys typed into it. Pure.
 *
 * Nothing looks at the screen yet, so what the program is doing is not known. Its output proves two things only: that it
 * is there, and that it goes on after it was given something. A turn is therefore over with the first output that follows
 * what was typed: a session must not look busy for ever when nothing could tell its end. Evidence from hooks and from the
 * screen will replace this. What a person types by hand does not come through here, and changes nothing.
 *
 * The output itself is no content of the journal: it stays in the spool, and is looked at as a screen.
 */
import type { Json, SessionFact } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, Output, RunStart } from "../../runtime/harness.js";

interface TerminalState {
  readonly run: number;
  /** How many times it was given something: names the end of each turn. */
  readonly turn: number;
  /** It has printed something. */
  readonly ready: boolean;
  /** It was started to go on: being ready is then not being idle. */
  readonly continues: boolean;
  /** What the next output answers. */
  readonly awaits: "nothing" | "activity" | "interruption";
}

const ENTER = "\r";
const CTRL_C = "\x03";

export function startTerminal({ run, continues, prompt }: RunStart): {
  readonly state: Json;
  readonly input: string;
} {
  const state: TerminalState = { run, turn: 0, ready: false, continues, awaits: "nothing" };
  return prompt
    ? { state: toJson(given(state)), input: `${prompt.text}${ENTER}` }
    : { state: toJson(state), input: "" };
}

/** Which bytes came does not matter, only that some did. */
export function decodeTerminal(json: Json): Decoded {
  const state = fromJson(json);
  if (state.ready && state.awaits === "nothing") return { state: json, outputs: [] };
  const facts = [...(state.ready ? [] : firstFacts(state)), ...answers(state)];
  return { state: toJson({ ...state, ready: true, awaits: "nothing" }), outputs: facts.map(proven) };
}

export function encodeTerminal(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  switch (effect.type) {
    case "deliver_message":
      return { state: toJson(given(state)), writes: [`${text ?? ""}${ENTER}`] };
    case "continue_run":
      return { state: toJson(given(state)), writes: [ENTER] };
    case "interrupt_run":
      return { state: toJson({ ...state, awaits: "interruption" }), writes: [CTRL_C] };
    case "answer_ask":
      return { state: json, writes: [], failure: "no ask is read from a terminal yet" };
    case "void_asks":
      return { state: json, writes: [] };
  }
}

function given(state: TerminalState): TerminalState {
  return { ...state, turn: state.turn + 1, awaits: "activity" };
}

function firstFacts(state: TerminalState): readonly SessionFact[] {
  const isIdle = state.awaits === "nothing" && !state.continues;
  return [{ type: "session_created" }, ...(isIdle ? [turnOver(state)] : [])];
}

function answers(state: TerminalState): readonly SessionFact[] {
  switch (state.awaits) {
    case "nothing":
      return [];
    case "activity":
      return [{ type: "api_req_started" }, turnOver(state)];
    case "interruption":
      return [{ type: "turn_interrupted" }];
  }
}

function turnOver({ run, turn }: TerminalState): SessionFact {
  return { type: "ask:completion_result", askId: `run-${run}-turn-${turn}:end` };
}

/** All that it rests on is that the process printed something. */
function proven(fact: SessionFact): Output {
  return { type: "fact", fact, source: "process" };
}

function toJson(state: TerminalState): Json {
  return { ...state };
}

function fromJson(json: Json): TerminalState {
  // Only this codec writes it.
  return json as unknown as TerminalState;
}
