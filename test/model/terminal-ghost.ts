/**
 * The ghost of a terminal: what is really in front and what it really does, whatever is seen of it. It repaints, blinks,
 * lies, prints look-alikes, shows dialogs that nobody knows, and dies at any point.
 */
import type { TerminalEffect, TerminalFact } from "../../src/core/terminal/effects.js";

/** What the program in front really is. */
export type Truth = "shell" | "command" | "working" | "asking" | "dialog" | "waiting" | "gone";

export interface TerminalGhost {
  readonly truth: Truth;
  /** The agent's process; one more for each that was started. */
  readonly pid: number;
  /** The process that was last seen in front, and whether it was the agent's. */
  readonly seenPid: number;
  readonly seesAgent: boolean;
  /** Which of two prompts it shows; it may be half drawn. */
  readonly prompt: 0 | 1 | 2;
  readonly isHalf: boolean;
  /** The last idle screen that was told was a lie that held for seconds. */
  readonly isLied: boolean;
  /** Hooks have told that the turn goes on, and not its end. */
  readonly isHooked: boolean;
  /** What is on its way into the terminal, oldest first. */
  readonly typing: readonly Typed[];
  /** What the session was told. */
  readonly told: Told;
  /** Where the first prompt is. */
  readonly first: "held" | "typed" | "taken" | "queued" | "none";
  readonly budget: Budget;
}

export interface Typed {
  readonly kind: "message" | "continuation" | "choice" | "keys";
  /** Of a choice. */
  readonly fingerprint: string | null;
  readonly isFirst: boolean;
  /** It was taken, and that is not reported yet. */
  readonly isDone?: boolean;
}

export interface Told {
  readonly status: "creating" | "idle" | "busy" | "asking" | "over";
  readonly isUnknown: boolean;
  readonly isReady: boolean;
  readonly askId: string | null;
  readonly agent: string | null;
  readonly seat: string | null;
}

export interface Budget {
  readonly starts: number;
  readonly turns: number;
  readonly prompts: number;
  readonly lies: number;
  readonly vague: number;
  readonly sends: number;
  readonly answers: number;
  readonly hooks: number;
}

/** What the session makes of a fact. */
export function toldBy(told: Told, fact: TerminalFact): Told {
  switch (fact.type) {
    case "session_created":
      return { ...told, isReady: true };
    case "shell_ready":
      return { ...told, status: "idle", isReady: true };
    case "agent_started":
      return { ...told, agent: fact.start, status: "busy", isUnknown: true, askId: null };
    case "agent_ended":
      return { ...told, agent: null, status: "idle", isUnknown: false, askId: null };
    case "certainty_changed":
      return { ...told, isUnknown: fact.certainty === "unknown" };
    case "api_req_started":
      return told.askId === null ? { ...told, status: "busy" } : told;
    case "ask:tool":
    case "ask:command":
    case "ask:use_mcp_server":
    case "ask:followup":
      return { ...told, status: "asking", askId: fact.askId };
    case "ask:completion_result":
    case "ask:api_req_failed":
    case "turn_interrupted":
      return { ...told, status: "over", askId: null };
    case "ask_closed":
      return { ...told, status: "busy", askId: null };
    case "screen_still":
    case "retry_scheduled":
    case "background_changed":
    case "tool_started":
    case "tool_finished":
    case "delivery_failed":
      return told;
  }
}

/** The world after what the machine wants done. */
export function enacted(ghost: TerminalGhost, effects: readonly TerminalEffect[]): TerminalGhost {
  return effects.reduce((world, effect) => enact(world, effect), ghost);
}

function enact(ghost: TerminalGhost, effect: TerminalEffect): TerminalGhost {
  switch (effect.type) {
    case "tell": {
      const told = toldBy(ghost.told, effect.fact);
      const isBack = effect.fact.type === "delivery_failed";
      return { ...ghost, told, ...(isBack ? { first: "queued" as const } : {}) };
    }
    case "seat":
      return { ...ghost, told: { ...ghost.told, seat: effect.agent } };
    case "describe_ask":
      return ghost;
    case "type_message": {
      const isFirst = effect.messageId === "first";
      const kind = effect.messageId === null ? "continuation" : "message";
      return {
        ...ghost,
        typing: [...ghost.typing, { kind, fingerprint: null, isFirst }],
        first: isFirst ? "typed" : ghost.first,
      };
    }
    case "type_choice":
      return {
        ...ghost,
        typing: [...ghost.typing, { kind: "choice", fingerprint: effect.fingerprint, isFirst: false }],
      };
    case "press_keys":
      return { ...ghost, typing: [...ghost.typing, { kind: "keys", fingerprint: null, isFirst: false }] };
  }
}

export function fingerprintOf({ prompt, isHalf }: Pick<TerminalGhost, "prompt" | "isHalf">): string {
  return `p${prompt}${isHalf ? "-half" : ""}`;
}
