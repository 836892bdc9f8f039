import type { ExitCode } from "./exit-codes.js";

/** One file in `commands/` each, loaded only when it is asked for. */
export interface Command {
  readonly help: string;
  readonly run: (args: readonly string[]) => Promise<ExitCode>;
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
