/** The recorded conversations in `facts/`, as the session machine's events. */
import { readFileSync, readdirSync } from "node:fs";
import { describeFlaw } from "../../src/core/schema.js";
import { parseSessionEvent } from "../../src/core/session/events.js";
import { isPlayed, type PlayedEvent } from "./contenders/pieces.js";

export interface Facts {
  readonly name: string;
  readonly events: readonly PlayedEvent[];
}

/** Every file of the folder, in order of their names; a line that is no event, or that nobody plays, is an error. */
export function readFacts(folder: URL): readonly Facts[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toSorted().map((name) => {
    const lines = readFileSync(new URL(name, folder), "utf8").split("\n");
    const events = lines.flatMap((line, index) =>
      line === "" ? [] : [parseLine(line, `${name}:${index + 1}`)],
    );
    return { name, events };
  });
}

function parseLine(line: string, place: string): PlayedEvent {
  const parsed = parseSessionEvent(JSON.parse(line));
  if (!parsed.ok) throw new Error(`${place}: ${describeFlaw(parsed.flaw)}`);
  if (!isPlayed(parsed.value)) throw new Error(`${place}: the contenders do not play ${parsed.value.type}`);
  return parsed.value;
}
