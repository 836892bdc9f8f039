/** Where captured screens are kept, and what is known of each. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Activity, AgentProgram, ScreenAgent } from "../../src/core/index.js";
import type { LiveTerminal, Size } from "./live-terminal.js";

/** One screen, and what a person who watched says that it shows. */
export interface Shot extends Size {
  readonly file: string;
  readonly agent: AgentProgram | null;
  /** Of the agent; screens from before versions were kept have none. */
  readonly version?: string;
  readonly activity: Activity;
  /** What would tell is covered by something else: unknown is the right answer. */
  readonly covered?: true;
  /** The window title, of a screen that was recorded without it. */
  readonly title?: string;
  /** The agent that has just said goodbye. */
  readonly goodbye?: ScreenAgent;
}

const SIZE_MAX_BYTES = 60_000;

export class Shots {
  constructor(private readonly folder: string) {}

  take(terminal: LiveTerminal, shot: Shot): void {
    const data = terminal.serialized();
    if (Buffer.byteLength(data) > SIZE_MAX_BYTES) throw new Error(`${shot.file} is too large`);
    const file = join(this.folder, shot.file);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, data);
    addTo(join(dirname(file), "screens.json"), { ...shot, file: basename(file) });
  }
}

/** Beside the screens of each folder stands what they show, in order. */
function addTo(manifest: string, shot: Shot): void {
  const kept = existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as readonly Shot[]) : [];
  const shots = [...kept.filter(({ file }) => file !== shot.file), shot].sort((a, b) =>
    a.file < b.file ? -1 : 1,
  );
  writeFileSync(manifest, `[\n${shots.map((each) => `  ${JSON.stringify(each)}`).join(",\n")}\n]\n`);
}
