/** What is seen of a terminal beside its bytes, and how something is typed into it with care. */
import type { Addressee, Asked, FrontProcess, ScreenReading } from "../core/index.js";
import type { RunExit } from "../protocol/keeper.js";

export type TerminalObservation =
  /**
   * The screen shows this, since `atMs`. Told when it changes (`fresh`), and once more when it has held for three seconds
   * (`steady`). That a program waits (`idle`, `shell`) is told only after it has held for a moment, a prompt only after it
   * was read the same twice. What no rule knows (`unknown`, or of basis `structure`) is told only when it is steady, and
   * once more when nothing of it has changed for twenty seconds (`still`).
   */
  | {
      readonly type: "screen";
      readonly reading: ScreenReading;
      readonly stability: "fresh" | "steady" | "still";
      readonly atMs: number;
      /** The agent shows that it waits to try again, and when. */
      readonly retry: { readonly attempt: number; readonly atMs: number } | null;
    }
  /** The program in the terminal's foreground; `agent` when it is one that we know. */
  | ({ readonly type: "foreground" } & FrontProcess)
  /** A person says that the program in front is this agent. */
  | { readonly type: "named"; readonly name: string }
  /** OSC 133 or 633: the shell itself says where it is. */
  | {
      readonly type: "mark";
      readonly mark: "prompt" | "input" | "running" | "finished";
      readonly exitCode: number | null;
    }
  /** Where processes cannot be seen: the agent's end, by what stands on the screen above a shell's prompt. */
  | { readonly type: "left"; readonly evidence: "goodbye" | "shell_integration" }
  /** The codec's newest typing is done. What the screen shows by then is told anew after this. */
  | { readonly type: "typed"; readonly typing: Typing["type"]; readonly isTaken: boolean }
  /** A command that we run for the agent (`TerminalQuery`) has printed more, or has ended; its end may be told again. */
  | {
      readonly type: "command";
      readonly terminal: number;
      /** The newest of what it printed, for people; null: it could not be read. */
      readonly output: string | null;
      readonly exit: RunExit | null;
    };

export type Typing =
  /**
   * Pasted, bracketed when the program asked for it; Enter when the paste has settled; then verified. `force`: a person
   * wants it typed although nobody knows what the screen shows; never to another than the addressee.
   */
  | {
      readonly type: "message";
      readonly text: string;
      readonly force: boolean;
      readonly addressee: Addressee;
    }
  /**
   * Chosen only while a prompt with this fingerprint is shown; null: its prompt was not seen yet, and one that says itself
   * that it asks what was `asked` is waited for.
   */
  | {
      readonly type: "choice";
      readonly fingerprint: string | null;
      readonly asked?: Asked;
      readonly choice: Choice;
      readonly addressee: Addressee;
    }
  /** One after the other; those after the first only while the program is still seen to work. */
  | { readonly type: "keys"; readonly keys: readonly string[] };

export type Choice =
  | { readonly type: "meaning"; readonly meaning: "approve" | "reject" }
  /** The one that the text names, or else the text itself where the prompt takes one. */
  | { readonly type: "text"; readonly text: string };
