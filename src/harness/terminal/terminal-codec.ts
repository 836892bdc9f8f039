/**
 * Any program in a terminal, as facts; and effects, as what is to be typed into it. Pure.
 *
 * What is known, best first: the agent's own hooks, the screen, whether its process lives. Hooks decide where they have
 * spoken; the screen then adds what they cannot see: that somebody pressed Esc, that a dialog is gone. A session is
 *
 * - of an agent: what its hooks and its screen say;
 * - of a shell: `completed` at its prompt, `streaming` while something else is in the foreground;
 * - of any other program: `streaming`, from its first output to its end. It runs, and nothing more is known: whether it
 *   waits for somebody cannot be told, and so it is never said to be idle.
 *
 * What a person types at the terminal does not come through here, and changes nothing: only what comes of it does (004).
 * The output itself is no content of the journal: it stays in the spool, and is looked at as a screen.
 */
import { interruptKeys, launchedProgram, type Json } from "../../core/index.js";
import type { Decoded, Encoded, HarnessEffect, RunStart } from "../../runtime/harness.js";
import type { Choice, TerminalObservation, Typing } from "../../runtime/terminal-observation.js";
import { parseHook } from "./claude-hooks.js";
import { takeHook } from "./hook-rules.js";
import { takeForeground, takeMark, takePrompt, takeScreen, takeTyped } from "./sight-rules.js";
import { Telling } from "./telling.js";
import {
  addresseeIn,
  fromJson,
  programIn,
  toJson,
  type OpenAsk,
  type TerminalState,
} from "./terminal-state.js";

const ENTER = "\r";
/** No prompt has it: an ask whose prompt is known to be gone. */
const GONE = "";
const CONTINUE = "Continue.";

export function startTerminal({ run, settings, continues, prompt }: RunStart): {
  readonly state: Json;
  readonly input: string;
} {
  const launched = launchedProgram(settings.args);
  // Nothing shows when another program is ready for it: it is there to be read when the program reads.
  const isTypedNow = launched.type === "other" && prompt !== null;
  const state: TerminalState = {
    run,
    launched,
    front: null,
    seated: null,
    isReady: false,
    continues,
    prompt: isTypedNow ? null : prompt,
    ends: 0,
    doing: "starting",
    sawWork: false,
    endMark: null,
    sawWait: false,
    typings: 0,
    isContinuing: false,
    hasHooks: false,
    isHookTurn: false,
    queuedPrompts: 0,
    sawStop: false,
    background: 0,
    calls: [],
    sessionId: null,
    ask: null,
    requests: [],
    lastFingerprint: null,
    askCount: 0,
    wasRejected: false,
  };
  return { state: toJson(state), input: isTypedNow ? `${prompt.text}${ENTER}` : "" };
}

/** Which bytes came does not matter, only that some did: it is there. */
export function decodeTerminal(json: Json): Decoded {
  const state = fromJson(json);
  const program = programIn(state);
  const isSeated = program.type !== "agent" || state.seated === program.agent;
  if (isSeated && (state.isReady || program.type === "agent")) return { state: json, outputs: [] };
  const telling = new Telling(state, "process", "it printed something");
  switch (program.type) {
    case "agent":
      telling.seat(program.agent);
      break;
    case "shell":
      if (!state.continues) telling.ready();
      break;
    case "other":
      telling.ready();
      telling.begin(true);
  }
  return telling.decoded();
}

export function decodeTerminalHook(json: Json, line: string): Decoded {
  const hook = parseHook(line);
  if (!hook) return { state: json, outputs: [{ type: "unknown", kind: "hook" }] };
  const telling = new Telling(fromJson(json), "hooks", `hook ${hook.hook_event_name}`);
  takeHook(hook, telling);
  return telling.decoded();
}

export function observeTerminal(json: Json, observation: TerminalObservation): Decoded {
  const state = fromJson(json);
  switch (observation.type) {
    case "foreground": {
      const telling = new Telling(state, "process", `in the foreground: ${observation.command}`);
      takeForeground(observation, telling);
      return telling.decoded();
    }
    case "screen": {
      const telling = new Telling(state, "screen", observation.reading.evidence.join("; "));
      takeScreen(observation, telling);
      return telling.decoded();
    }
    case "mark": {
      const telling = new Telling(state, "screen", `the shell's mark: ${observation.mark}`);
      takeMark(observation, telling);
      return telling.decoded();
    }
    case "left": {
      const telling = new Telling(state, "screen", `the screen shows its end: ${observation.evidence}`);
      if (state.front !== null || programIn(state).type !== "agent") break;
      telling.change({ launched: { type: "shell" } });
      telling.seat(null, observation.evidence);
      telling.newProgram();
      takePrompt(telling);
      return telling.decoded();
    }
    case "typed": {
      const telling = new Telling(state, "screen", "the program has taken what was typed");
      takeTyped(observation, telling);
      return telling.decoded();
    }
    case "command":
      // Only agents that speak a protocol have us run some.
      break;
  }
  return { state: json, outputs: [] };
}

export function encodeTerminal(json: Json, effect: HarnessEffect, text: string | null): Encoded {
  const state = fromJson(json);
  const addressee = addresseeIn(state);
  switch (effect.type) {
    case "deliver_message":
      return typing(state, { type: "message", text: text ?? "", force: false, addressee });
    case "continue_run": {
      const continuing: TerminalState = { ...state, doing: "starting", isContinuing: true };
      // A shell has nothing to go on with; its next prompt says that it is idle.
      return programIn(state).type === "agent"
        ? typing(continuing, { type: "message", text: CONTINUE, force: false, addressee })
        : typing(continuing, { type: "keys", keys: [ENTER] });
    }
    case "interrupt_run":
      return typing(state, { type: "keys", keys: interruptKeys(programIn(state)) });
    case "answer_ask": {
      const { askId, decision } = effect;
      const { ask } = state;
      const choice: Choice =
        decision === "reply"
          ? { type: "text", text: text ?? "" }
          : { type: "meaning", meaning: decision === "approve" ? "approve" : "reject" };
      if (ask?.askId !== askId)
        return typing(state, { type: "choice", fingerprint: GONE, choice, addressee });
      const answered = { ...state, ask: { ...ask, answer: decision }, wasRejected: decision === "reject" };
      return typing(answered, { type: "choice", ...promptOf(ask), choice, addressee });
    }
    case "void_asks":
      return { state: json, writes: [] };
  }
}

/** How the prompt of an ask is known. */
function promptOf({ fingerprint, request }: OpenAsk): Pick<ChoiceTyping, "fingerprint" | "asked"> {
  if (fingerprint !== null || request === null) return { fingerprint };
  const { title, detail, note } = request;
  return { fingerprint, asked: { title, detail, note } };
}

type ChoiceTyping = Extract<Typing, { readonly type: "choice" }>;

function typing(state: TerminalState, typed: Typing): Encoded {
  return { state: toJson({ ...state, typings: state.typings + 1 }), writes: [], typing: typed };
}
