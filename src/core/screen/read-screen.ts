import type { ScreenReading } from "./reading.js";
import type { Screen } from "./screen.js";

/**
 * What a screen shows. `agent` is the agent whose process runs in the terminal, `null` when it is a shell or not known.
 * Total and quick; what no rule recognises is `unknown`, never idle.
 */
export function readScreen(agent: string | null, screen: Screen): ScreenReading {
  const shown = screen.rows.some((row) => row.trim() !== "");
  const evidence = [shown ? `no rule of ${agent ?? "a shell"} matched` : "the screen is blank"];
  return { activity: "unknown", confidence: 0, evidence, prompt: null, input: null };
}
