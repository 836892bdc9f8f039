/** A command that the built-in agent suggests for the person's own shell (002). */
import type { EventItem } from "../client/event-item.js";
import type { Paint } from "./paint.js";
import { oneLine, visibleText } from "./plain-text.js";

const LEVELS = ["low", "medium", "high"] as const;
type Level = (typeof LEVELS)[number];

export interface Suggestion {
  readonly command: string;
  readonly description: string;
  readonly danger: Level;
  readonly dangerNotes: string;
  readonly confidence: Level | null;
  readonly confidenceNotes: string;
}

/** The suggestion that an event carries, if it does. What is not known to be harmless is not called so. */
export function suggestionIn(item: EventItem): Suggestion | null {
  if (item.type !== "event" || item.channel !== "stream" || item.event.type !== "artifact_delta") return null;
  const given = item.event.payload["suggestion"];
  if (typeof given !== "object" || given === null) return null;
  const fields = new Map<string, unknown>(Object.entries(given));
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === "string" ? value : "";
  };
  const level = (name: string): Level | null => LEVELS.find((known) => known === fields.get(name)) ?? null;
  const command = text("command");
  if (command.trim() === "") return null;
  return {
    command,
    description: text("description"),
    danger: level("danger") ?? "high",
    dangerNotes: text("dangerNotes"),
    confidence: level("confidence"),
    confidenceNotes: text("confidenceNotes"),
  };
}

/** Whether what a person sees is what would run: nothing hidden, nothing that steers the terminal. */
export function isShownWhole({ command }: Suggestion): boolean {
  return visibleText(command) === command;
}

/** The command, and what is to be known of it. */
export function suggestionText(suggestion: Suggestion, paint: Paint): string {
  const { command, description, danger, dangerNotes, confidence, confidenceNotes } = suggestion;
  const shown = visibleText(command).trimEnd().replace(/\n/g, "\n  ");
  const lines = [
    paint("bold", `$ ${shown}`),
    ...(description === "" ? [] : [`  ${oneLine(description)}`]),
    `  ${paint(COLOURS[danger], withNotes(`danger ${danger}`, dangerNotes))}`,
    ...(confidence === null
      ? []
      : [`  ${paint("dim", withNotes(`confidence ${confidence}`, confidenceNotes))}`]),
  ];
  return `${lines.join("\n")}\n`;
}

const COLOURS = { low: "dim", medium: "yellow", high: "red" } as const;

function withNotes(text: string, notes: string): string {
  return notes === "" ? text : `${text}: ${oneLine(notes)}`;
}
