import { SESSION_VARIABLE } from "../protocol/session-variable.js";
import { CommandFailure } from "./command.js";
import { setVariable } from "./data-folder.js";
import { EXIT } from "./exit-codes.js";

/**
 * Refuses what only a person decides when an agent runs the command. It keeps an agent from doing it in good faith; what
 * keeps it from doing it otherwise are the rules about its shell.
 */
export function personOnly(what: string, env: NodeJS.ProcessEnv = process.env): void {
  const sessionId = setVariable(env, SESSION_VARIABLE);
  if (sessionId === undefined) return;
  throw new CommandFailure(
    `${what} is for a person; this is session ${sessionId}`,
    "Tell your user what is needed; they see it in signalbox asks.",
    EXIT.refused,
  );
}
