/** `signalbox connect`: chooses the agent that gets messages. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

export const connectCommand: Command = {
  help: `Usage: signalbox connect ID [options]

From now on messages without an ID go to this session's agent. In a terminal that was started as a shell, an agent that
Signalbox knows is seen by itself; of any other program you say with --as that it is an agent, and messages go to it.

Options:
  --as NAME        the program in front of the session's terminal is this agent
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("connect", args, {
    ...CLIENT_OPTIONS,
    as: { type: "string" },
  });
  const [id] = takeWords("connect", positionals, ["ID"]);
  if (values.as !== undefined) personOnly("naming an agent");
  const client = await openClient(values);
  const { id: sessionId, title } = await resolveSession(client, id);
  const as = values.as === undefined ? {} : { as: values.as };
  const roster = await client.connect({ sessionId, ...as });
  if (values.json) await printJson(roster);
  else await print(`connected: ${sessionId} ${clipped(title, 60)}\n`);
  return EXIT.ok;
}
