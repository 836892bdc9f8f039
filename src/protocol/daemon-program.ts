/**
 * The daemon as a program: what `signalbox up --foreground` becomes. The command line never imports the daemon; it loads
 * `daemon/run-daemon.js` by its address, in this one case, and this type is all that the two agree on.
 */
export interface ReadyDaemon {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly dataDir: string;
}

/** Why it did not start, for a person, and what to do about it. */
export interface FailedStart {
  readonly message: string;
  readonly hint: string;
}

export interface StartListener {
  readonly ready: (ready: ReadyDaemon) => Promise<void>;
  /** The process ends next. */
  readonly failed: (failed: FailedStart) => void;
  /** It takes longer than usual, and why. */
  readonly waiting: (why: string) => void;
}

export interface DaemonProgram {
  /**
   * Makes this process the daemon: from now on it ends when the daemon does, by signals or by a failure, with the daemon's
   * status. Resolves once it is ready and `ready` has been told; rejects with what that threw.
   */
  readonly runDaemon: (args: readonly string[], listener: StartListener) => Promise<void>;
}

/** What a daemon in the background writes to stdout, a JSON value on a line: waits, and then one of the others. */
export type StartLine = ReadyDaemon | { readonly failed: FailedStart } | { readonly waiting: string };

/** What the system says, in an error of any part of the program, that of its loading too. */
const FEW_FILES = /\b(?:EMFILE|ENFILE)\b|too many open files/i;

/** With fewer the daemon cannot even be loaded, and Node says of that what it likes: a file that is there was not found. */
export const OPEN_FILES_MIN = 256;

export const TOO_FEW_FILES: FailedStart = {
  message: "this shell allows too few open files",
  hint: "Raise the limit with ulimit -n 1024, or more for many agents, and start it again.",
};

/** Null: it was something else. */
export function tooFewFiles(message: string): FailedStart | null {
  return FEW_FILES.test(message) ? TOO_FEW_FILES : null;
}
