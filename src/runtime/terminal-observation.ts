/** What is seen of a terminal beside its bytes, and how something is typed into it with care. */
import type { ScreenReading } from "../core/index.js";

export type TerminalObservation =
  /** The screen has settled on this; only told when it has changed. */
  | { readonly type: "screen"; readonly reading: ScreenReading }
  /** The program in the terminal's foreground; `agent` when it is one that we know. */
  | {
      readonly type: "foreground";
      readonly pid: number;
      readonly command: string;
      readonly agent: string | null;
      readonly isShell: boolean;
    }
  /** OSC 133 or 633: the shell itself says where it is. */
  | {
      readonly type: "mark";
      readonly mark: "prompt" | "input" | "running" | "finished";
      readonly exitCode: number | null;
    };

export type Typing =
  /** Pasted, bracketed when the program asked for it; Enter when the paste has settled; then verified. */
  | { readonly type: "message"; readonly text: string }
  /** Pressed only while the prompt with this fingerprint is shown. */
  | { readonly type: "choice"; readonly keys: string; readonly fingerprint: string }
  /** Esc, Ctrl-C: whatever is shown. */
  | { readonly type: "keys"; readonly keys: string };
