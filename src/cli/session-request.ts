import type { Client } from "../client/client.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "./client-options.js";
import type { Command } from "./command.js";
import { EXIT } from "./exit-codes.js";
import { parseOptions } from "./parse-options.js";
import { print, printJson } from "./print.js";
import { resolveSession } from "./session-name.js";
import { statusWord } from "./status-words.js";
import { takeWords } from "./take-words.js";

export interface SessionRequest {
  readonly name: string;
  readonly does: string;
  readonly call: "interrupt" | "retry" | "start";
}

/** A command that makes one request of one session and says what became of it. */
export function sessionRequestCommand({ name, does, call }: SessionRequest): Command {
  return {
    help: `Usage: signalbox ${name} ID [options]

${does}

Options:
${CLIENT_HELP}`,
    run: async (args) => {
      const { values, positionals } = parseOptions(name, args, CLIENT_OPTIONS);
      const [id] = takeWords(name, positionals, ["ID"]);
      const client = await openClient(values);
      await requestOf(client, call, id, values.json === true);
      return EXIT.ok;
    },
  };
}

async function requestOf(client: Client, call: SessionRequest["call"], id: string, json: boolean) {
  const { id: sessionId } = await resolveSession(client, id);
  const session = await client[call](sessionId);
  if (json) await printJson(session);
  else await print(`${session.id} ${statusWord(session)}\n`);
}
