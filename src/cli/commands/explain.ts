/** `signalbox explain`: why a session is in its state. */
import type { Explanation } from "../../protocol/api-schemas.js";
import { byWords } from "../../protocol/principal-words.js";
import { isNotKnown } from "../../protocol/session-words.js";
import type { SessionSummary } from "../../protocol/session.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { clipped, oneLine } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { resolveSession } from "../session-name.js";
import { provenWord } from "../../core/words/status-words.js";
import { statusColour, statusWord, wordFor } from "../status-words.js";
import { takeWords } from "../take-words.js";
import { timeAgo } from "../time-span.js";

const EVIDENCE_LENGTH_MAX = 160;

export const explainCommand: Command = {
  help: `Usage: signalbox explain ID [options]

Says why a session is in its state: the last changes, newest first, each with the evidence that made it, and what could
change it next.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("explain", args, CLIENT_OPTIONS);
  const [id] = takeWords("explain", positionals, ["ID"]);
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  const explanation = await client.explain(session.id);
  if (values.json) await printJson(explanation);
  else await print(describe(explanation, session, painter()));
  return EXIT.ok;
}

function describe(explanation: Explanation, session: SessionSummary, paint: Paint): string {
  const { status, process: agent, changes, waitingFor } = explanation;
  const shown = { ...session, status };
  const running = agent.pid === null ? "its agent runs" : `its agent runs: process ${agent.pid}`;
  const lines = [
    `${paint(statusColour(shown), statusWord(shown))} for ${timeAgo(explanation.sinceMs)}: ${oneLine(explanation.because)}`,
    ...notKnownLines(session),
    agent.alive ? running : "its agent does not run",
    ...(session.wall === undefined ? [] : [`wall: ${oneLine(session.wall.sentence)}`]),
    // Changes of the phase alone are for programs.
    ...changes.filter(({ from, to }) => from !== to).flatMap((change) => describeChange(change, paint)),
    ...waitingFor.map((what) => `next: ${oneLine(what)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function notKnownLines(session: SessionSummary): readonly string[] {
  if (!isNotKnown(session)) return [];
  const since = session.unknownSinceMs === null ? "" : ` for ${timeAgo(session.unknownSinceMs)}`;
  return [`not known${since}: no rule understands what the terminal shows; before: ${provenWord(session)}`];
}

function describeChange(change: Explanation["changes"][number], paint: Paint): readonly string[] {
  const { from, to, reason, source, by, evidence } = change;
  const line = `${timeAgo(change.atMs)} ago  ${wordFor(from)} → ${wordFor(to)}  ${oneLine(reason)}, by ${source}${by ? ` (${oneLine(byWords(by))})` : ""}`;
  if (evidence === null) return [line];
  const body = clipped(JSON.stringify(evidence.body), EVIDENCE_LENGTH_MAX);
  return [line, paint("dim", `    entry ${evidence.seq}  ${oneLine(evidence.type)}  ${body}`)];
}
