/** What is decided before the table: what was told already, and what says nothing. Requests always reach the table. */
import type { EventOf, TerminalEvent } from "./events.js";
import { frontProgram, isSameProgram, type Program } from "./program.js";
import { isShellRun, programIn, type Front, type TerminalState } from "./state.js";

export const GATES = [
  "while something is being typed, a screen that shows an idle agent is ignored: it is looked at again after that",
  "a screen that no rule understands, or only its structure, is ignored until it is steady",
  "a process that is in the foreground already, as the same program, is ignored",
  "output is ignored once it is known that the program is there",
  "a shell's mark is ignored unless it is that of a prompt",
] as const;

/** Why the event is dropped before the table, or null. */
export function dropReason(state: TerminalState, event: TerminalEvent): string | null {
  switch (event.type) {
    case "screen":
      return screenReason(state, event);
    case "foreground":
      return isKnownFront(state, event) ? "the same program" : null;
    case "printed":
      return isPrintingKnown(state) ? "it is known to be there" : null;
    case "mark":
      return event.mark === "prompt" || event.mark === "input" ? null : "no prompt";
    default:
      return null;
  }
}

function screenReason({ typing }: TerminalState, { reading, stability }: EventOf<"screen">): string | null {
  const { activity } = reading;
  if (activity === "idle" && typing.length > 0) return "something is being typed";
  const isVague = activity === "unknown" || isStructural(reading);
  return isVague && stability === "fresh" ? "not steady" : null;
}

/** No rule knows it, but it plainly waits for a person. */
export function isStructural({ activity, basis }: EventOf<"screen">["reading"]): boolean {
  return basis === "structure" && (activity === "question" || activity === "approval");
}

function isKnownFront({ front, launched }: TerminalState, event: EventOf<"foreground">): boolean {
  return (
    front?.pid === event.pid &&
    front.start === event.start &&
    isSameProgram(front.program, seenProgram(front, launched, event))
  );
}

/** A name that a person gave holds as long as the process does. */
export function seenProgram(front: Front | null, launched: Program, event: EventOf<"foreground">): Program {
  if (front?.isNamed && isSameProcess(front, event)) return front.program;
  return frontProgram(event, launched);
}

export function isSameProcess(front: Front, event: EventOf<"foreground">): boolean {
  return front.pid === event.pid && (front.start === event.start || front.start === "");
}

function isPrintingKnown(state: TerminalState): boolean {
  const program = programIn(state);
  if (isShellRun(state)) return state.isReady;
  return program.type === "agent" ? state.seated === program.agent : state.isReady;
}
