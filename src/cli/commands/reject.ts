/** `signalbox reject`: rejects what an agent asks for. */
import { answerApproval } from "../answer-command.js";
import { CLIENT_HELP, CLIENT_OPTIONS } from "../client-options.js";
import type { Command } from "../command.js";
import type { ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { takeWords } from "../take-words.js";

export const rejectCommand: Command = {
  help: `Usage: signalbox reject [ID] [options]

Rejects what the session waits for; without an ID, the only approval that any session waits for. When there are
several they are listed, and one must be named.

Options:
  --ask ASK        which approval: its id, or the beginning of it, as signalbox asks lists it
  -m, --message T  what the agent should do instead
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("reject", args, {
    ...CLIENT_OPTIONS,
    ask: { type: "string" },
    message: { type: "string", short: "m" },
  });
  const [id] = takeWords("reject", positionals, ["[ID]"]);
  const message = values.message === undefined ? {} : { message: values.message };
  return answerApproval(values, id, { decision: "reject", ...message });
}
