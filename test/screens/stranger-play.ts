/** Agents that nobody has tuned anything to: what they show first, which must be read as what it is, or not at all. */
import type { Activity, OTHER_AGENTS } from "../../src/core/index.js";
import { pause, type LiveTerminal, type Size } from "./live-terminal.js";
import type { Shots } from "./shots.js";

export type Stranger = (typeof OTHER_AGENTS)[number];

interface FirstScreen {
  readonly seen: RegExp;
  readonly activity: Activity;
}

/** Nobody has logged in. */
export const STRANGERS: Readonly<Record<Stranger, FirstScreen>> = {
  amp: { seen: /Would you like to log in/, activity: "question" },
  auggie: { seen: /Login to continue/, activity: "question" },
  cline: { seen: /Enter to select/, activity: "question" },
  crush: { seen: /provider|model/i, activity: "question" },
  droid: { seen: /> Login/, activity: "question" },
};

const START_MAX_MS = 90_000;
const DRAWN_AFTER_MS = 2_500;

export interface StrangerScene {
  readonly agent: Stranger;
  readonly version: string;
  readonly terminal: LiveTerminal;
  readonly size: Size;
  readonly shots: Shots;
}

export async function playStranger({ agent, version, terminal, size, shots }: StrangerScene): Promise<void> {
  const { seen, activity } = STRANGERS[agent];
  await terminal.until(/\$ $|\$$/m);
  await terminal.type(agent);
  terminal.press("\r");
  await terminal.until(seen, START_MAX_MS);
  await pause(DRAWN_AFTER_MS);
  const file = `${agent}-${version}-${size.cols}x${size.rows}/01-first.ansi`;
  shots.take(terminal, { file, agent, version, activity, ...size });
}
