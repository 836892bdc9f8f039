/** What a shell line would run, as far as that can be seen. The parser is in `src/permissions/shell`. */

/** One command that a line runs, or that a command of it runs in turn. */
export interface SimpleCommand {
  /** The program and its arguments, quotes resolved. A word that the shell computes stands as it is written. */
  readonly words: readonly string[];
  /** Which of `words` the shell computes: their value is not known. */
  readonly unknown: readonly number[];
  /** Which of those are surely the value of the option before them, and so no option and no operand. */
  readonly values?: readonly number[];
  /** `NAME=value` in front of it, where that may change what it does. An allow must name them. */
  readonly assignments: readonly string[];
  /** For people. */
  readonly text: string;
  /** Whether any word is computed. */
  readonly dynamic: boolean;
  /** The programs that run it, outermost first: `sudo`, `xargs`. */
  readonly wrappers: readonly string[];
  /** The index of the command that runs this one; null when the line itself does. */
  readonly outer: number | null;
  /** False: it need not be allowed itself, as it only runs another, or is only seen. Denies and asks look at it. */
  readonly needsAllow: boolean;
  /** Which of `words` are names of programs or scripts in another folder than the line's: an allow of them is not meant. */
  readonly elsewhere: readonly number[];
}

/** A file that the line would use. */
export interface ShellFile {
  readonly category: "Read" | "Write";
  /** From a possible working directory of its command; `~` is the home folder. A glob when not `exact`. */
  readonly path: string;
  readonly exact: boolean;
  /** `allow`: must be allowed by itself (a redirection). `watch`: only denies and asks look at it (a word). */
  readonly demand: "allow" | "watch";
  /** False: it is a piece of a text, and may be no file at all. */
  readonly certain: boolean;
  /** The index of the command that uses it; null for a redirection of a group. */
  readonly command: number | null;
}

/** Words that a program is given which may run them, or may not. */
export interface Hint {
  readonly words: readonly string[];
  /** They are words of a text: the name of a program alone says nothing there. */
  readonly isText: boolean;
}

/** A host that a word of the line names. Only denies and asks look at it. */
export interface ShellHost {
  /** Empty: the shell computes it. */
  readonly host: string;
  readonly certain: boolean;
  readonly command: number | null;
}

export interface ShellAnalysis {
  readonly commands: readonly SimpleCommand[];
  readonly files: readonly ShellFile[];
  readonly hosts: readonly ShellHost[];
  /** Words in which a command may be hidden: code of other languages, lines that cannot be read. */
  readonly glimpses: readonly (readonly string[])[];
  /** Denies and asks that may be about these ask. */
  readonly hints: readonly Hint[];
  /** Why the line can never be allowed; null when it can. */
  readonly opaque: string | null;
}
