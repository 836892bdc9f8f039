/** `signalbox type`: keys for whatever is in front of a session's terminal. */
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { readStdin } from "../read-stdin.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

const ENTER = "\r";

export const typeCommand: Command = {
  help: `Usage: signalbox type ID TEXT [options]

Types TEXT at the session's terminal and presses Enter, as if you sat there. Whatever is in front takes it: a shell
runs it. It is not a message: nothing waits for its turn, and nothing is typed again. What starts with a dash stands
after --. A TEXT of - is read from stdin. To see what becomes of it, use signalbox attach.

Options:
  --no-enter       only the text; an Enter alone is signalbox type ID ""
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("type", args, {
    ...CLIENT_OPTIONS,
    "no-enter": { type: "boolean" },
  });
  const [id, typed] = takeWords("type", positionals, ["ID", "TEXT"]);
  personOnly("typing at a terminal");
  const text = typed === "-" ? await readStdin() : typed;
  const keys = values["no-enter"] === true ? text : `${text}${ENTER}`;
  if (keys === "") throw new UsageError("there is nothing to type", "See signalbox type --help.");
  const client = await openClient(values);
  const { id: sessionId, title } = await resolveSession(client, id);
  await client.typeKeys(sessionId, { text: keys });
  if (values.json) await printJson({ sessionId, text: keys });
  else await print(`typed: ${sessionId} ${clipped(title, 60)}\n`);
  return EXIT.ok;
}
