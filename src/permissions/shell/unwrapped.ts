/** What a command runs in turn. */
import type { ShellWord } from "./shell-word.js";

export type Inner =
  /**
   * A command of these words. `isSeen`: only looked at for denies and asks. `isScript`: its name is a file, wherever it
   * runs. `isContained`: its words are no files of this machine. `folders`: it runs in one of these, seen from where the
   * line is.
   */
  | {
      readonly type: "words";
      readonly words: readonly ShellWord[];
      readonly isSeen?: boolean;
      readonly isScript?: boolean;
      readonly isContained?: boolean;
      readonly folders?: readonly string[];
    }
  /** A line for a shell. `isAll`: that shell is started for it, and reads nothing else. */
  | { readonly type: "script"; readonly text: string; readonly isPosix?: true; readonly isAll?: true }
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

/** Both at once. */
export function together(one: Unwrapped | null, other: Unwrapped | null): Unwrapped | null {
  if (!one || !other) return one ?? other;
  return { ...one, opaque: one.opaque ?? other.opaque, inner: [...one.inner, ...other.inner] };
}

export function glimpse(words: readonly ShellWord[]): Inner {
  return { type: "glimpse", text: words.map((word) => word.value).join(" ") };
}
