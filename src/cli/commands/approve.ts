/** `signalbox approve`: approves what an agent asks for. */
import { answerApproval } from "../answer-command.js";
import { CLIENT_HELP, CLIENT_OPTIONS } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import type { ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { takeWords } from "../take-words.js";

const SCOPES = ["once", "session", "project", "always"] as const;
type Scope = (typeof SCOPES)[number];

export const approveCommand: Command = {
  help: `Usage: signalbox approve [ID] [options]

Approves what the session waits for; without an ID, the only approval that any session waits for. When there are
several they are listed, and one must be named.

Options:
  --ask ASK        which approval: its id, or the beginning of it, as signalbox asks lists it
  --scope SCOPE    how far it reaches: ${SCOPES.join(", ")}
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("approve", args, {
    ...CLIENT_OPTIONS,
    ask: { type: "string" },
    scope: { type: "string" },
  });
  const [id] = takeWords("approve", positionals, ["[ID]"]);
  const scope = values.scope === undefined ? {} : { scope: parseScope(values.scope) };
  return answerApproval(values, id, { decision: "approve", ...scope });
}

function parseScope(text: string): Scope {
  const scope = SCOPES.find((name) => name === text);
  if (scope) return scope;
  throw new UsageError(`unknown scope ${JSON.stringify(text)}`, `The scopes are: ${SCOPES.join(", ")}.`);
}
