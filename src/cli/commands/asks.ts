/** `signalbox asks`: what agents wait for, of every session. */
import { askWords } from "../../core/words/ask-words.js";
import type { InboxItem } from "../../protocol/api-schemas.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import type { Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { oneLine, visibleLine, visibleText } from "../plain-text.js";
import { print, printJson } from "../print.js";
import { takeWords } from "../take-words.js";
import { timeAgo } from "../time-span.js";

export const asksCommand: Command = {
  help: `Usage: signalbox asks [options]

Lists the approvals and questions that wait for you, oldest first. Approvals are answered with signalbox approve or
reject, questions with signalbox send, and dialogs that no rule knows in the terminal, with signalbox attach.

Options:
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("asks", args, CLIENT_OPTIONS);
  takeWords("asks", positionals, []);
  const client = await openClient(values);
  const { items } = await client.listAsks();
  if (values.json) await printJson(items);
  else await print(items.map((item) => describe(item, painter())).join(""));
  return EXIT.ok;
}

/** Whole: nobody should approve what they have not seen. */
function describe(item: InboxItem, paint: Paint): string {
  const rule = item.needsHuman ? "" : ", a rule may answer it";
  const kind = item.ask === "followup" ? "question" : item.source === "wall" ? "wall" : "approval";
  const { heading, rest } = askWords(item);
  const head = `${item.sessionId} ${item.askId} (${kind}${rule}) ${timeAgo(item.openedAtMs)}`;
  return [
    `${paint("yellow", head)}  ${oneLine(`${item.harness}: ${item.sessionTitle}`)}`,
    ...indented(heading, "  "),
    ...indented(rest, "    "),
    ...(item.atTerminal === true ? [`  answer it in the terminal: signalbox attach ${item.sessionId}`] : []),
    ...item.suggestions.map(
      (rule) => `  --scope session, project or always also allows ${visibleLine(rule)}`,
    ),
    "",
  ].join("\n");
}

function indented(text: string, indent: string): readonly string[] {
  const shown = visibleText(text).trimEnd();
  return shown === "" ? [] : [shown.replace(/^/gm, indent)];
}
