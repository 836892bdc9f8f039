import type { ExitCode } from "./exit-codes.js";

/** One file in `commands/` each, loaded only when it is asked for. */
export interface Command {
  readonly help: string;
  /** Gives the exit status; that of another program, when the command only runs one. */
  readonly run: (args: readonly string[]) => Promise<number>;
}

/** The command line is wrong. The hint says what would be right. */
export class UsageError extends Error {
  override readonly name = "UsageError";

  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** The command was understood and cannot be done. The hint says what to do about it. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";

  constructor(
    message: string,
    readonly hint: string,
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}
