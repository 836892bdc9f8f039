/** `signalbox show`: one session. */
import { wordsForFailure } from "../../core/words/failure-words.js";
import { endWords, HOLD_WORDS, isNotKnown } from "../../protocol/session-words.js";
import type { Roster } from "../../protocol/api-schemas.js";
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { AskSummary, SessionDetail } from "../../protocol/session.js";
import type { PortLink } from "../../protocol/wall-state.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { doingNow } from "../doing-now.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { clipped, oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { provenWord } from "../../core/words/status-words.js";
import { listedWord, statusColour, statusWord } from "../status-words.js";
import { takeWords } from "../take-words.js";
import { timeAgo } from "../time-span.js";

export const showCommand: Command = {
  help: `Usage: signalbox show ID [options]

Shows one session: what it is, what it does, what it waits for, what it used, and whether messages without an ID go
to it.

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
  if (values.json) {
    await printJson(session);
    return EXIT.ok;
  }
  const [{ seats }, doing, ports] = await Promise.all([
    client.getRoster(),
    doingNow(client, session),
    portsOf(client, session),
  ]);
  const seat = seats.find((each) => each.sessionId === sessionId)?.status ?? "none";
  await print(describe(session, seat, doing, ports, painter()));
  return EXIT.ok;
}

type SeatStatus = Roster["seats"][number]["status"];

/** 004's words; nothing where no agent runs that could get a message. */
function connectionLines(
  { id }: SessionDetail,
  seat: SeatStatus,
  paint: Paint,
): readonly (readonly [string, string])[] {
  switch (seat) {
    case "connected":
      return [["messages", `${paint("green", "Connected")}: those without an ID come here`]];
    case "disconnected":
      return [["messages", `${paint("yellow", "Disconnected")}; signalbox connect ${id} connects it`]];
    case "none":
      return [];
  }
}

/** How far permission rules hold, by what the agent lets us see. */
const RULES: Readonly<Record<SessionDetail["enforcement"], string>> = {
  enforced: "checked before every tool call",
  "when-asked": "checked when the agent asks",
  none: "not checked: nothing asks before it acts",
};

function approveWords({ approve, autoApprove }: SessionDetail): string {
  if (approve === "contained") return "; the wall answers what stays inside it";
  return autoApprove ? ", auto-approve" : "";
}

/** What its programs serve behind the wall. Whoever may not know is told nothing. */
async function portsOf(client: Client, { id, wall }: SessionDetail): Promise<readonly PortLink[]> {
  if (wall?.network !== "listed") return [];
  try {
    return (await client.listPorts(id)).items;
  } catch (error) {
    if (error instanceof SignalboxError) return [];
    throw error;
  }
}

function describe(
  session: SessionDetail,
  seat: SeatStatus,
  doing: string,
  ports: readonly PortLink[],
  paint: Paint,
): string {
  const { error, usage, returned } = session;
  const status = paint(statusColour(session), statusWords(session, doing));
  const cost = usage.costUsd === null ? "" : `, $${usage.costUsd.toFixed(2)}`;
  const lines: (readonly [string, string])[] = [
    ["id", session.id],
    ["title", oneLine(session.title)],
    ["status", status],
    ["agent", session.model === null ? session.harness : `${session.harness}, ${session.model}`],
    ...(session.agent === null ? [] : ([["in front", oneLine(session.agent.name)]] as const)),
    ...connectionLines(session, seat, paint),
    ["folder", oneLine(session.cwd)],
    ["rules", `${RULES[session.enforcement]}${approveWords(session)}`],
    ...(session.wall === undefined ? [] : ([["wall", wallWords(session.wall, paint)]] as const)),
    ...(session.labels ?? []).map(
      ({ category, holds, sentence }) =>
        ["", `${category}: ${HOLD_WORDS[holds]}. ${oneLine(sentence)}`] as const,
    ),
    ...ports.map(({ port, url }) => ["port", `${port} inside is ${url} here`] as const),
    [
      "used",
      `${usage.inputTokens} tokens in, ${usage.outputTokens} out, ${usage.cachedTokens} cached${cost}`,
    ],
    ["created", `${timeAgo(session.createdAtMs)} ago`],
    ["changed", `${timeAgo(session.statusSinceMs)} ago`],
    ...(error === null ? [] : errorLines(error)),
    ...session.asks.map((ask) => [kindOf(ask), askWords(session.id, ask)] as const),
    ...session.queue.map((message) => ["message", `${message.messageId} ${message.status}`] as const),
    ...returned.map(({ messageId, text }) => ["returned", `${messageId} ${clipped(text, 200)}`] as const),
    ...(returned.length === 0 ? [] : ([["", returnedHint(session)]] as const)),
  ];
  return lines.map(([name, value]) => `${name.padEnd(NAME_WIDTH)} ${value}\n`).join("");
}

const NAME_WIDTH = 8;

function wallWords({ label, sentence }: NonNullable<SessionDetail["wall"]>, paint: Paint): string {
  return label === "none" ? paint("yellow", oneLine(sentence)) : oneLine(sentence);
}

/** The words and the remedy first; the code is for who searches for it. */
function errorLines({
  code,
  message,
}: NonNullable<SessionDetail["error"]>): readonly (readonly [string, string])[] {
  const words = wordsForFailure(code);
  const what = words === null ? message : `${words.what}: ${message}`;
  return [["error", oneLine(`${what} (${code})`)], ...(words === null ? [] : [["", words.remedy] as const])];
}

/** The status, and what else is to be known of it. `doing`: what it does just now, in words. */
function statusWords(session: SessionDetail, doing: string): string {
  const { status, unknownSinceMs, ending, state } = session;
  if (isNotKnown(session)) {
    const since = unknownSinceMs === null ? "" : ` for ${timeAgo(unknownSinceMs)}`;
    const proven = provenWord(session);
    return `${statusWord(session)}${since}; before: ${proven}. Look with signalbox attach ${session.id}`;
  }
  const end = endWords(status === "completed" ? ending : null, state.background);
  return [listedWord(session), doing, end].filter((part) => part !== "").join(", ");
}

function kindOf({ ask, source }: AskSummary): string {
  if (source === "wall") return "wall asks";
  return ask === "followup" ? "question" : "approval";
}

function askWords(sessionId: string, { askId, title, atTerminal }: AskSummary): string {
  const where = atTerminal === true ? `; answer it with signalbox attach ${sessionId}` : "";
  return oneLine(`${askId}: ${title}${where}`);
}

function returnedHint({ id }: SessionDetail): string {
  return `not delivered: signalbox send ${id} --resend MESSAGE, or --drop MESSAGE`;
}
