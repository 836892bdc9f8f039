/** `signalbox ask`: the built-in agent at the prompt. */
import { realpathSync } from "node:fs";
import type { Client } from "../../client/client.js";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { SessionSummary } from "../../protocol/session.js";
import { answerEvents } from "../answer-events.js";
import { readLine } from "../ask-prompter.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { dataFolder } from "../data-folder.js";
import { EXIT } from "../exit-codes.js";
import { InlineAsk, type Asked, type PromptTerminal } from "../inline-ask.js";
import { InlineSessions } from "../inline-session.js";
import { painter } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { readStdin } from "../read-stdin.js";
import { runInShell } from "../run-in-shell.js";

const HARNESS = "builtin";

export const askCommand: Command = {
  help: `Usage: signalbox ask [options] [--] TEXT

Asks the built-in agent, which answers in text or suggests a command for your shell. At a terminal, Enter runs a
suggested command in your shell (twice within 5 s when it is dangerous), Tab prints it, Esc leaves. Approvals are asked
for as in signalbox run. Ctrl-C interrupts a tool that runs; once more, the turn. After a failure, r retries.

Each folder has a conversation of its own: the next question knows the last one. /new begins another, /help says what
else there is. A TEXT of - is read from stdin. To have it on a key, with Tab putting the command on the command line,
see signalbox init --help.

Options:
  --new            begin a new conversation first
  --model NAME     provider/model; or demo, which needs no key
  --full           all that tools print, not only the last lines
  --inline         for key bindings: talk on stderr; say on stdout what to do: run or insert, then the command
${CLIENT_HELP}
Without a terminal it prints the text and the suggestion; with --json one value, {text, suggestion}.

Exit status: that of the command when it was run; else 0 answered, 1 failed, 2 stopped, 3 it needs you, 130 left
by Ctrl-C.
`,
  run,
};

interface AskValues {
  readonly new?: boolean | undefined;
  readonly model?: string | undefined;
  readonly inline?: boolean | undefined;
  readonly full?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly "data-dir"?: string | undefined;
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions("ask", args, {
    ...CLIENT_OPTIONS,
    new: { type: "boolean" },
    model: { type: "string" },
    inline: { type: "boolean" },
    full: { type: "boolean" },
  });
  const terminal = terminalFor(values);
  const text = await question(positionals, terminal);
  if (text === null) return EXIT.interrupted;
  const asked = await ask(text, values, terminal);
  if (values.json) await printJson({ text: asked.text, suggestion: asked.suggestion });
  return act(asked, values.inline === true);
}

/** A key binding reads what is on stdout: then the person is talked to on stderr. */
function terminalFor({ inline, json }: AskValues): PromptTerminal | null {
  const output = inline ? process.stderr : process.stdout;
  return json !== true && process.stdin.isTTY && output.isTTY ? { input: process.stdin, output } : null;
}

/** Null when the person left. */
async function question(words: readonly string[], terminal: PromptTerminal | null): Promise<string | null> {
  const typed = words.join(" ").trim();
  if (typed === "-") return readStdin();
  if (typed !== "") return typed;
  const said = terminal && (await readLine(terminal, "Ask: ", new AbortController().signal));
  if (terminal && (said === null || said.trim() === "")) return null;
  if (said === null) throw new UsageError("TEXT is missing", "See signalbox ask --help.");
  return said;
}

async function ask(text: string, values: AskValues, terminal: PromptTerminal | null): Promise<Asked> {
  const client = await openClient(values);
  const cwd = realpathSync(process.cwd());
  const sessions = new InlineSessions(client, dataFolder(values["data-dir"]));
  const found = await sessions.find(cwd, values.model);
  const isReady = found !== null && (values.new !== true || (await beganAnew(client, found.id)));
  const show = (shown: string): void => {
    if (values.json !== true) (terminal?.output ?? process.stdout).write(shown);
  };
  const look = { terminal, show, wholeOutput: values.full === true };
  if (found !== null && isReady) {
    const isNew = values.new === true || /^\/new\b/.test(text);
    // Whoever asks should know that the agent remembers.
    if (terminal && !isNew) show(painter(terminal.output)("dim", `${continues(found)}\n`));
    return new InlineAsk(client, found.id, look).follow((signal) =>
      answerEvents(client, found.id, text, signal),
    );
  }
  const model = values.model === undefined ? {} : { model: values.model };
  const { id } = await client.createSession({
    harness: HARNESS,
    cwd,
    prompt: text,
    args: ["--inline"],
    ...model,
  });
  await sessions.remember(cwd, id);
  return new InlineAsk(client, id, look).follow((signal) => client.events({ session: id, after: 0, signal }));
}

function continues({ statusSinceMs }: SessionSummary): string {
  const then = new Date(statusSinceMs);
  const time = `${String(then.getHours()).padStart(2, "0")}:${String(then.getMinutes()).padStart(2, "0")}`;
  const isToday = then.toDateString() === new Date().toDateString();
  const when = isToday
    ? time
    : `${then.toLocaleDateString("en", { day: "numeric", month: "short" })}, ${time}`;
  return `continues the conversation of ${when}; --new begins another`;
}

/** False when its agent cannot: then another session is begun. */
async function beganAnew(client: Client, sessionId: string): Promise<boolean> {
  if ((await client.getSession(sessionId)).status !== "completed") return false;
  try {
    await client.command(sessionId, { command: "new" });
    return true;
  } catch (error) {
    if (error instanceof SignalboxError && error.status === 409) return false;
    throw error;
  }
}

async function act({ choice, exitCode }: Asked, inline: boolean): Promise<number> {
  if (choice === null || choice.type === "leave") return exitCode;
  if (inline) {
    await print(`${choice.type === "execute" ? "run" : "insert"}\n${choice.command}\n`);
    return EXIT.ok;
  }
  if (choice.type === "execute") return runInShell(choice.command);
  await print(`${choice.command}\n`);
  return EXIT.ok;
}
