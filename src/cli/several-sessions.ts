import type { Client } from "../client/client.js";
import { SignalboxError } from "../client/signalbox-error.js";
import type { SessionSummary } from "../protocol/session.js";
import { CommandFailure } from "./command.js";
import { errorReport } from "./error-report.js";
import { resolveSession } from "./session-name.js";

/**
 * Does the same with each. Of several, one that cannot be done does not keep the others from it: it is said, and the answer
 * is false. With only one, its error is the command's.
 */
export async function forEachSession(
  client: Client,
  ids: readonly string[],
  act: (session: SessionSummary) => Promise<void>,
): Promise<boolean> {
  let isDone = true;
  for (const id of ids) {
    try {
      await act(await resolveSession(client, id));
    } catch (error) {
      if (ids.length === 1 || !(error instanceof CommandFailure || error instanceof SignalboxError))
        throw error;
      isDone = false;
      const { message, hint } = errorReport(error);
      process.stderr.write(`signalbox: ${message}\n${hint}\n`);
    }
  }
  return isDone;
}
