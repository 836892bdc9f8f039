/** What the exit status of `signalbox` means. */
export const EXIT = {
  ok: 0,
  /** It ran to the end, but some of its input was invalid. */
  invalidInput: 1,
  /** The daemon refused, or what was named is not there. */
  refused: 1,
  /** `run`: the session ended with an error. */
  sessionError: 1,
  /** The command line itself is wrong; nothing was run. */
  usage: 2,
  /** `run`: the session was stopped. */
  stopped: 2,
  /** `run`: the session waits for a person, and nobody is there to be asked. */
  needsInput: 3,
  /** The daemon does not answer and could not be started, or went away. */
  unavailable: 69,
  /** It could not go on: a broken stream, or a fault of our own. */
  failure: 70,
  /** `wait`: the time was up. */
  timeout: 124,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_HELP = `Exit status:
  0    done; run: the session is done
  1    refused or not found, or some input was invalid; run: the session failed
  2    the command line is wrong, and nothing was run; run: the session was stopped
  3    run: the session needs you, and nobody is at the terminal
  69   the daemon does not answer and could not be started, or went away and did not come back
  70   a fault of our own
  124  wait: the time was up
  130  ended by Ctrl-C`;
