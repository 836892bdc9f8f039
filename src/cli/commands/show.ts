/** `signalbox show`: one session. */
import { endWords, isNotKnown } from "../../protocol/session-words.js";
import type { AskSummary, SessionDetail } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { clipped, oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { statusColour, statusWord } from "../status-words.js";
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

function describe(session: SessionDetail, paint: Paint): string {
  const { phase, error, usage, returned } = session;
  const doing = paint(statusColour(session), statusWords(session, phase));
  const cost = usage.costUsd === null ? "" : `, $${usage.costUsd.toFixed(2)}`;
  const lines: (readonly [string, string])[] = [
    ["id", session.id],
    ["title", oneLine(session.title)],
    ["status", doing],
    ...(session.agent === null ? [] : ([["agent", `${oneLine(session.agent.name)}, in front`]] as const)),
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
    ...session.asks.map((ask) => ["ask", askWords(session.id, ask)] as const),
    ...session.queue.map((message) => ["message", `${message.messageId} ${message.status}`] as const),
    ...returned.map(({ messageId, text }) => ["returned", `${messageId} ${clipped(text, 200)}`] as const),
    ...(returned.length === 0 ? [] : ([["", returnedHint(session)]] as const)),
  ];
  return lines.map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${value}\n`).join("");
}

const NAME_WIDTH = 8;

/** The status, and what else is to be known of it. */
function statusWords(session: SessionDetail, phase: SessionDetail["phase"]): string {
  const { status, unknownSinceMs, ending, state } = session;
  if (isNotKnown(session)) {
    const since = unknownSinceMs === null ? "" : ` for ${timeAgo(unknownSinceMs)}`;
    return `${statusWord(session)}  not known${since}: look with signalbox attach ${session.id}`;
  }
  const end = endWords(status === "completed" ? ending : null, state.background);
  return [statusWord(session), phase ?? "", end].filter((part) => part !== "").join(", ");
}

function askWords(sessionId: string, { askId, ask, title, atTerminal }: AskSummary): string {
  const where = atTerminal === true ? `; answer it with signalbox attach ${sessionId}` : "";
  return oneLine(`${askId} (${ask}): ${title}${where}`);
}

function returnedHint({ id }: SessionDetail): string {
  return `not delivered: signalbox send ${id} --resend MESSAGE, or --drop MESSAGE`;
}
