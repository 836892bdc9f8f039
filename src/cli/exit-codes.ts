/** What the exit status of `signalbox` means. */
export const EXIT = {
  ok: 0,
  /** It ran to the end, but some of its input was invalid. */
  invalidInput: 1,
  /** The command line itself is wrong; nothing was run. */
  usage: 2,
  /** It could not go on: a broken stream, or a fault of our own. */
  failure: 70,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
