/** `signalbox show`: one session. */
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { STATUS_COLOURS } from "../session-table.js";
import { takeWords } from "../take-words.js";
import { timeAgo } from "../time-span.js";

export const showCommand: Command = {
  help: `Usage: signalbox show ID [options]

Shows one session: what it is, what it does, what it waits for and what it used.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("show", args, CLIENT_OPTIONS);
  const [id] = takeWords("show", positionals, ["ID"]);
  const client = await openClient(values);
  const { id: sessionId } = await resolveSession(client, id);
  const session = await client.getSession(sessionId);
  if (values.json) await printJson(session);
  else await print(describe(session, painter()));
  return EXIT.ok;
}

function describe(session: SessionSummary, paint: Paint): string {
  const { status, phase, error, usage } = session;
  const doing = paint(STATUS_COLOURS[status], phase === null ? status : `${status}, ${phase}`);
  const cost = usage.costUsd === null ? "" : `, $${usage.costUsd.toFixed(2)}`;
  const lines: (readonly [string, string])[] = [
    ["id", session.id],
    ["title", oneLine(session.title)],
    ["status", doing],
    ["harness", session.model === null ? session.harness : `${session.harness}, ${session.model}`],
    ["folder", oneLine(session.cwd)],
    ["rules", session.autoApprove ? `${session.enforcement}, auto-approve` : session.enforcement],
    ["run", String(session.run)],
    [
      "used",
      `${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${usage.cachedTokens} cached${cost}`,
    ],
    ["created", `${timeAgo(session.createdAtMs)} ago`],
    ["changed", `${timeAgo(session.statusSinceMs)} ago`],
    ...(error === null ? [] : ([["error", oneLine(`${error.code}: ${error.message}`)]] as const)),
    ...session.asks.map((ask) => ["ask", oneLine(`${ask.askId} (${ask.ask}): ${ask.title}`)] as const),
    ...session.queue.map((message) => ["message", `${message.messageId} ${message.status}`] as const),
  ];
  return lines.map(([name, value]) => `${name.padEnd(8)} ${value}\n`).join("");
}
