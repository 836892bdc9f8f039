/** What a command runs in turn. */
import type { ShellWord } from "./shell-word.js";

export type Inner =
  /**
   * A command of these words. `isSeen`: only looked at for denies and asks. `isScript`: its name is a file, wherever it
   * runs.
   */
  | {
      readonly type: "words";
      readonly words: readonly ShellWord[];
      readonly isSeen?: boolean;
      readonly isScript?: boolean;
    }
  /** A line for a shell. */
  | { readonly type: "script"; readonly text: string; readonly isPosix?: true }
  /** Something in which a command may be hidden. */
  | { readonly type: "glimpse"; readonly text: string };

export interface Unwrapped {
  /** It does nothing but run what is inside, which is all that needs to be allowed. */
  readonly isTransparent: boolean;
  readonly inner: readonly Inner[];
  /** Why it can never be allowed. */
  readonly opaque: string | null;
}

export function runs(inner: readonly Inner[]): Unwrapped {
  return { isTransparent: false, inner, opaque: null };
}

export function hides(opaque: string, inner: readonly Inner[] = []): Unwrapped {
  return { isTransparent: false, inner, opaque };
}

export function glimpse(words: readonly ShellWord[]): Inner {
  return { type: "glimpse", text: words.map((word) => word.value).join(" ") };
}

/** What is computed in it is computed when it is read again: the rest can be seen. */
export function lineOf(words: readonly ShellWord[]): Inner {
  return { type: "script", text: words.map((word) => word.value).join(" ") };
}
