/** The documents in `docs/machines`: what they must say, and which of them do not. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineDocument } from "../../src/core/machine-document.js";
import { MACHINES } from "../../src/core/machines.js";

const INTRODUCTIONS: Readonly<Record<keyof typeof MACHINES, string>> = {
  session:
    "One per session, whatever agent runs in it: it turns what a person wants and what the agent does into one status " +
    "and a list of effects. A column is a status. A row is a kind of event, or one variant of it in brackets.",
  turn:
    "The built-in agent's conversation turn: from what a person submits, through the model's stream and the tools it " +
    "calls, to the next time it is idle. A column is the mode, and within a turn how far its stream has come.",
  roster:
    "One per daemon: it knows in which seats an agent really runs, and which one of them gets a message that names " +
    "none. A column is what the event's own seat is before the event; `unknown` is a seat that is not in the roster.",
  terminal:
    "One per run of a program in a terminal: it says what the agent's hooks, its screen, the processes in the " +
    "foreground, a shell's marks and what is typed mean together, as facts for the session, and whom something is typed " +
    "to. A column is what the program in front is doing, as far as it was told; `shell` is a terminal without an agent.",
  workspace:
    "One per workspace: a checkout of its own for the sessions that change something, from its clone to the moment when " +
    "what was made is part of the original repository, or is thrown away by a person who saw it. A column is a status.",
};

export interface MachineDoc {
  readonly file: string;
  readonly text: string;
}

export function machineDocs(): readonly MachineDoc[] {
  return Object.values(MACHINES).map(({ description }) => ({
    file: `${description.machine}.md`,
    text: machineDocument(description, INTRODUCTIONS[description.machine as keyof typeof MACHINES]),
  }));
}

export function writeMachineDocs(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of machineDocs()) writeFileSync(join(folder, file), text);
}

/** The files that are missing or do not say what the tables say. */
export function staleMachineDocs(folder: string): readonly string[] {
  return machineDocs()
    .filter(({ file, text }) => readIfThere(join(folder, file)) !== text)
    .map(({ file }) => file);
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
