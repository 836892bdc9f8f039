/** `signalbox machine tour`: a few real events through the real machines, one line each. */
import type { RosterEvent } from "../core/roster/events.js";
import { rosterMachine } from "../core/roster/roster-machine.js";
import { deriveUi, type UiState } from "../core/session/derive-ui.js";
import type { SessionEvent } from "../core/session/events.js";
import { sessionMachine } from "../core/session/session-machine.js";
import type { Step } from "../core/step.js";
import { painter, type Paint } from "./paint.js";
import { programName } from "./program-name.js";

interface Scene<E> {
  readonly who: "you" | "agent" | "rules";
  readonly event: E;
}

const SESSION_SCENES: readonly Scene<SessionEvent>[] = [
  { who: "you", event: { type: "start_session", messageId: "m1" } },
  { who: "agent", event: { type: "session_created", sessionId: "s1" } },
  { who: "agent", event: { type: "api_req_started" } },
  { who: "agent", event: { type: "ask:command", askId: "a1", partial: true } },
  { who: "agent", event: { type: "ask:command", askId: "a1" } },
  { who: "rules", event: { type: "permission_resolved", askId: "a1", verdict: "none" } },
  { who: "you", event: { type: "send_message", messageId: "m2" } },
  { who: "you", event: { type: "approve_action", askId: "a1" } },
  { who: "you", event: { type: "approve_action", askId: "a1" } },
  { who: "agent", event: { type: "ask:completion_result", askId: "a2" } },
  { who: "agent", event: { type: "api_req_started" } },
  { who: "you", event: { type: "cancel_session" } },
  { who: "agent", event: { type: "api_req_started" } },
  { who: "agent", event: { type: "process_exit", code: 143 } },
];

const ROSTER_SCENES: readonly Scene<RosterEvent>[] = [
  { who: "agent", event: { type: "agent_started", seat: "api", agent: "claude" } },
  { who: "agent", event: { type: "agent_started", seat: "web", agent: "codex" } },
  { who: "you", event: { type: "input_entered", seat: "web", text: "/exit" } },
  { who: "agent", event: { type: "agent_terminated", seat: "web", evidence: "process_exit" } },
  { who: "you", event: { type: "connect", seat: "web" } },
];

export function machineTour(): string {
  const paint = painter();
  const parts = [sessionTour(paint), rosterTour(paint), whatNext(paint)];
  return `${parts.flat().join("\n")}\n`;
}

function sessionTour(paint: Paint): readonly string[] {
  const widths = [5, 24, 16, 17];
  const lines = [
    paint("bold", "The session machine: what is this agent doing?"),
    paint("dim", row(widths, "who", "event", "status", "a screen shows", "effects (emit_* not shown)")),
  ];
  let state = sessionMachine.initial;
  for (const { who, event } of SESSION_SCENES) {
    const step = sessionMachine.transition(state, event);
    state = step.state;
    const shown = screen(deriveUi(state));
    const effects = step.effects.map((effect) => effect.type).filter((type) => !type.startsWith("emit_"));
    const outcome = step.result === "ok" ? effects.join(", ") : refusal(step);
    const line = row(widths, who, briefly(event), state.status, shown, outcome);
    lines.push(tint(paint, step.result, shown, line));
  }
  return lines;
}

function rosterTour(paint: Paint): readonly string[] {
  const widths = [5, 24, 16];
  const lines = [
    "",
    paint("bold", "The roster machine: who gets the message?"),
    paint("dim", row(widths, "who", "event", "connected", "changes")),
  ];
  let state = rosterMachine.initial;
  for (const { who, event } of ROSTER_SCENES) {
    const step = rosterMachine.transition(state, event);
    state = step.state;
    const changes = step.effects.map((effect) => `${effect.seat} ${effect.from} to ${effect.to}`);
    const outcome = step.result === "ok" ? changes.join(", ") : refusal(step);
    const line = row(widths, who, briefly(event), state.connected ?? "nobody", outcome);
    lines.push(tint(paint, step.result, "", line));
  }
  return lines;
}

function whatNext(paint: Paint): readonly string[] {
  const signalbox = programName();
  return [
    "",
    paint("bold", "Try next"),
    `  echo '{"type":"start_session","messageId":"m1"}' | ${signalbox} machine session`,
    `  ${signalbox} machine turn --mermaid`,
    `  ${signalbox} machine --help`,
    "  and read docs/machines: every decision of every machine, from the tables that are run",
  ];
}

function screen(ui: UiState): string {
  const words: readonly (readonly [boolean, string])[] = [
    [ui.showSpinner, "spinner"],
    [ui.needsAttention, "NEEDS YOU"],
    [ui.inputEnabled, "input"],
    [ui.canCancel, "cancel"],
    [ui.showResumeButton, "resume"],
    [ui.showRetryButton, "retry"],
  ];
  return words
    .filter(([shown]) => shown)
    .map(([, word]) => word)
    .join(", ");
}

/** The event's type and the first thing that tells it from others like it. */
function briefly(event: SessionEvent | RosterEvent): string {
  const { type, ...fields } = event;
  const values: readonly unknown[] = Object.values(fields);
  const detail = values.find((value) => typeof value === "string" || typeof value === "number");
  const partial = "partial" in fields && fields.partial === true ? " (partial)" : "";
  return detail === undefined ? type : `${type} ${detail}${partial}`;
}

function refusal({ result, error }: Pick<Step<unknown, unknown>, "result" | "error">): string {
  return error ? `${result}: ${error.code}` : result;
}

function tint(paint: Paint, result: string, shown: string, line: string): string {
  if (result === "rejected") return paint("red", line);
  if (result === "ignored") return paint("dim", line);
  return shown.includes("NEEDS YOU")
    ? paint("yellow", line)
    : shown.includes("spinner")
      ? paint("green", line)
      : line;
}

function row(widths: readonly number[], ...cells: readonly string[]): string {
  return `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd();
}
