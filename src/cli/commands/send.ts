/** `signalbox send`: a message to the connected agent, or to the one named. */
import type { Client } from "../../client/client.js";
import { isNotKnown } from "../../protocol/session-words.js";
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

export const sendCommand: Command = {
  help: `Usage: signalbox send [ID] TEXT [options]
       signalbox send ID --resend MESSAGE | --drop MESSAGE [options]

Sends a message to the session, or without an ID to the connected agent, and says who got it. A message that the agent
cannot take now is queued, never lost. A TEXT of - is read from stdin. A message is for an agent: with only a shell in
front of a terminal it is refused, and what an agent did not take before it ended comes back (see signalbox show).

Options:
  --fallback       when no agent runs in the session, send it to the connected agent instead of starting one
  --force          look at the terminal first: type it although what is shown there is not understood
  --resend MESSAGE send one that came back, or with --force one that waits, to whoever is there now
  --drop MESSAGE   forget one that came back
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("send", args, {
    ...CLIENT_OPTIONS,
    fallback: { type: "boolean" },
    force: { type: "boolean" },
    resend: { type: "string" },
    drop: { type: "string" },
  });
  const { fallback = false, force = false, resend, drop, json = false } = values;
  if (force) personOnly("sending to a screen that is not understood");
  if (resend !== undefined && drop !== undefined)
    throw new UsageError("--resend and --drop exclude each other", "See signalbox send --help.");
  if (fallback && (force || resend !== undefined || drop !== undefined))
    throw new UsageError("--fallback goes with an ID and a TEXT alone", "See signalbox send --help.");
  if (drop !== undefined) return dropReturned(await openClient(values), takeId(positionals), drop, json);
  if (resend !== undefined) {
    const id = takeId(positionals);
    return say(await openClient(values), json, (client) => sendTo(client, id, { resend }, force));
  }
  const [id, typed] =
    positionals.length < 2
      ? ([undefined, ...takeWords("send", positionals, ["TEXT"])] as const)
      : takeWords("send", positionals, ["ID", "TEXT"]);
  if (id === undefined && force)
    throw new UsageError("--force needs an ID", "It is for a session whose terminal you have looked at.");
  if (id === undefined && fallback)
    throw new UsageError("--fallback needs an ID", "Without one the message goes to the connected agent.");
  const text = typed === "-" ? await readStdin() : typed;
  return say(await openClient(values), json, (client) => {
    if (id === undefined) return client.routeMessage({ text });
    return fallback ? routeFrom(client, id, text) : sendTo(client, id, { text }, force);
  });
}

async function routeFrom(client: Client, id: string, text: string): Promise<Sent> {
  const { id: sessionId } = await resolveSession(client, id);
  return client.routeMessage({ text, sessionId, fallback: true });
}

function takeId(positionals: readonly string[]): string {
  const [id] = takeWords("send", positionals, ["ID"]);
  return id;
}

interface Sent {
  readonly sessionId: string;
  readonly messageId: string;
  readonly status: string;
}

async function sendTo(
  client: Client,
  id: string,
  what: { readonly text: string } | { readonly resend: string },
  force: boolean,
): Promise<Sent> {
  const { id: sessionId } = await resolveSession(client, id);
  const message = { ...what, ...(force ? { force } : {}) };
  return { sessionId, ...(await client.sendMessage(sessionId, message)) };
}

/** Who got it, and why it waits where that is not plain. */
async function say(
  client: Client,
  json: boolean,
  send: (client: Client) => Promise<Sent>,
): Promise<ExitCode> {
  const sent = await send(client);
  if (json) {
    await printJson(sent);
    return EXIT.ok;
  }
  const session = await client.getSession(sent.sessionId);
  await print(`${sent.status}: ${sent.sessionId} ${clipped(session.title, 60)}\n`);
  if (sent.status === "queued" && isNotKnown(session))
    await print(
      `It waits because what the terminal shows is not understood. Look with signalbox attach ${sent.sessionId};\n` +
        `then signalbox send ${sent.sessionId} --resend ${sent.messageId} --force sends it anyway.\n`,
    );
  return EXIT.ok;
}

async function dropReturned(client: Client, id: string, messageId: string, json: boolean): Promise<ExitCode> {
  const { id: sessionId } = await resolveSession(client, id);
  await client.dropMessage(sessionId, messageId);
  if (json) await printJson({ sessionId, messageId });
  else await print(`dropped: ${sessionId} ${messageId}\n`);
  return EXIT.ok;
}
