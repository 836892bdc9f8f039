/** `signalbox send`: a message to the connected agent, or to the one named. */
import type { Client } from "../../client/client.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { clipped } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { readStdin } from "../read-stdin.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

export const sendCommand: Command = {
  help: `Usage: signalbox send [ID] TEXT [options]

Sends a message to the session, or without an ID to the connected agent, and says who got it. A message that the agent
cannot take now is queued, never lost. A TEXT of - is read from stdin.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("send", args, CLIENT_OPTIONS);
  const [id, typed] =
    positionals.length < 2
      ? ([undefined, ...takeWords("send", positionals, ["TEXT"])] as const)
      : takeWords("send", positionals, ["ID", "TEXT"]);
  const text = typed === "-" ? await readStdin() : typed;
  const client = await openClient(values);
  const sent = await send(client, id, text);
  if (values.json) {
    await printJson(sent);
    return EXIT.ok;
  }
  const { title } = await client.getSession(sent.sessionId);
  await print(`${sent.status}: ${sent.sessionId} ${clipped(title, 60)}\n`);
  return EXIT.ok;
}

async function send(client: Client, id: string | undefined, text: string) {
  if (id === undefined) return client.routeMessage({ text });
  const { id: sessionId } = await resolveSession(client, id);
  return { sessionId, ...(await client.sendMessage(sessionId, { text })) };
}
