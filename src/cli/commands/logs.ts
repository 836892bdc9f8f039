/** `signalbox logs`: what was said and done in a session, and with `-f` what is. */
import type { Client } from "../../client/client.js";
import type { EventItem } from "../../client/event-item.js";
import type { JournalEntry } from "../../protocol/api-schemas.js";
import { awayNote } from "../away-note.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { print, readerGone, readerIsGone } from "../print.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";
import { Transcript } from "../transcript.js";

const PAGE_LENGTH = 1_000;

export const logsCommand: Command = {
  help: `Usage: signalbox logs ID [options]

Prints what was said and done in a session. With --json, one entry of the journal per line: what the agent said
("stream"), what became of the session ("state"), what was asked of it ("request") and what happened to it ("fact").

Options:
  -f, --follow     go on with what happens now (without requests and facts)
  --full           all that tools printed, not only the last lines
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("logs", args, {
    ...CLIENT_OPTIONS,
    follow: { type: "boolean", short: "f" },
    full: { type: "boolean" },
  });
  const [id] = takeWords("logs", positionals, ["ID"]);
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  const log = values.json ? JSON_LOG : textLog(values.full === true);
  const position = await showPast(client, session.id, log);
  if (values.follow && !readerIsGone()) await followFrom(client, session.id, position, log);
  await print(log.end());
  return EXIT.ok;
}

/** Gives the text to print. */
interface Log {
  readonly page: (entries: readonly JournalEntry[]) => string;
  readonly item: (item: EventItem) => string;
  readonly end: () => string;
}

const JSON_LOG: Log = {
  page: (entries) => entries.map(jsonLine).join(""),
  item: (item) =>
    jsonLine(
      item.type === "reset" ? item : { kind: item.channel, position: item.position, event: item.event },
    ),
  end: () => "",
};

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function textLog(wholeOutput: boolean): Log {
  const transcript = new Transcript({ paint: painter(), full: true, wholeOutput });
  return {
    page: (entries) =>
      entries
        .map(itemOf)
        .filter((item) => item !== null)
        .toSorted((a, b) => startedAtMs(a) - startedAtMs(b))
        .map((item) => transcript.take(item))
        .join(""),
    item: (item) => transcript.take(item),
    end: () => transcript.end(),
  };
}

type Told = Exclude<EventItem, { readonly type: "reset" }>;

/** The text of a finished message stands in the journal where it ended; a person reads it where it began. */
function startedAtMs({ channel, event }: Told): number {
  const started = channel === "stream" ? event.payload["startedAtMs"] : undefined;
  return typeof started === "number" ? started : event.timestampMs;
}

/** Requests and facts are for machines: what they led to is told by state events. */
function itemOf(entry: JournalEntry): Told | null {
  switch (entry.kind) {
    case "stream":
      return { type: "event", channel: "stream", position: entry.position, event: entry.event };
    case "state":
      return { type: "event", channel: "state", position: entry.position, event: entry.event };
    case "request":
    case "fact":
      return null;
  }
}

/** The position up to which everything was shown. */
async function showPast(client: Client, sessionId: string, log: Log): Promise<number> {
  let after = 0;
  while (!readerIsGone()) {
    const { items, nextCursor } = await client.listEvents(sessionId, { after, limit: PAGE_LENGTH });
    await print(log.page(items));
    after = items.at(-1)?.position ?? after;
    if (items.length === 0 || nextCursor === undefined) break;
  }
  return after;
}

/** Ends only when nobody reads any more, or the session is deleted. */
async function followFrom(client: Client, sessionId: string, after: number, log: Log): Promise<void> {
  for await (const item of client.events({
    ...awayNote(),
    session: sessionId,
    after,
    signal: readerGone(),
  })) {
    await print(log.item(item));
    if (readerIsGone()) return;
  }
}
