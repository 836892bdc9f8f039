/** `signalbox attach`: a session's terminal in this one. */
import { SignalboxError } from "../../client/signalbox-error.js";
import { clientOf } from "../client-options.js";
import { CommandFailure, type Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { needDaemon } from "../daemon-process.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";
import type { Parting } from "../attach/attached-terminal.js";

export const attachCommand: Command = {
  help: `Usage: signalbox attach ID [options]

Shows the terminal of a session in this one, in its size, and types what you type: Ctrl-C too. Ctrl-\\ twice detaches;
the agent goes on. It goes on, too, when the daemon goes away: attach waits for the daemon and connects again. Only
sessions of the agent terminal have one: for others, see signalbox logs -f.

Options:
  --data-dir DIR   the daemon's data folder

Exit status: 0 detached, or the program ended; 1 there is no terminal; 69 the daemon went away.
`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("attach", args, { "data-dir": { type: "string" } });
  const [id] = takeWords("attach", positionals, ["ID"]);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new CommandFailure(
      "attach needs a terminal",
      "Follow a session without one with signalbox logs -f ID.",
      EXIT.refused,
    );
  }
  const dataDir = dataFolder(values["data-dir"]);
  const daemon = await needDaemon(dataDir);
  const session = await resolveSession(clientOf(daemon), id);
  const { AttachedTerminal } = await import("../attach/attached-terminal.js");
  const parting = await new AttachedTerminal(dataDir, session.id).attach(daemon).catch((error: unknown) => {
    throw withHint(error, session.id);
  });
  return tell(parting, session.id);
}

function withHint(error: unknown, sessionId: string): unknown {
  if (!(error instanceof SignalboxError) || error.code !== "conflict") return error;
  return new CommandFailure(
    `${sessionId}: ${oneLine(error.detail)}`,
    `See what happens in it with signalbox logs -f ${sessionId}; start an ended one with signalbox resume.`,
    EXIT.refused,
  );
}

function tell(parting: Parting, sessionId: string): ExitCode {
  switch (parting.type) {
    case "detached":
      process.stderr.write(`signalbox: detached; the agent goes on. Back: signalbox attach ${sessionId}\n`);
      return EXIT.ok;
    case "ended": {
      const how = parting.signal ?? (parting.code === null ? null : `exit status ${parting.code}`);
      process.stderr.write(`signalbox: the program has ended${how === null ? "" : ` (${how})`}\n`);
      return EXIT.ok;
    }
    case "away":
      throw new CommandFailure(
        "the daemon went away",
        `The agent goes on. Try signalbox up, then signalbox attach ${sessionId}.`,
        EXIT.unavailable,
      );
    case "failed":
      throw new CommandFailure(parting.reason, `See signalbox explain ${sessionId}.`, EXIT.failure);
  }
}
