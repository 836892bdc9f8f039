/** `signalbox review`: comments on a session's changes, written in an editor, sent to its agent as one message. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FileChangeItem } from "../../protocol/changes.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { setVariable } from "../data-folder.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { personOnly } from "../person-only.js";
import { print, printJson } from "../print.js";
import { readStdin } from "../read-stdin.js";
import { isSameChange, readReview, ReviewFlaw, reviewText, type ReviewText } from "../review-text.js";
import { resolveSession } from "../session-name.js";
import { takeWords } from "../take-words.js";

export const reviewCommand: Command = {
  help: `Usage: signalbox review ID [options]

Opens $VISUAL or $EDITOR with the changes of a session. Write comments beneath the lines that they are about, on lines
that begin with ">"; ">3" speaks of the three lines above it, and above the first file of the whole change. When the
editor is closed, all open comments go to the agent as one message.

Options:
  --turn N         only what changed in turn N
  --keep           keep the comments open, and send nothing
  --print          only print the text that the editor would get
  --from FILE      take the text from FILE, or with - from stdin, and open no editor
${CLIENT_HELP}`,
  run,
};

type Client = Awaited<ReturnType<typeof openClient>>;
interface Span {
  readonly from?: string;
  readonly to?: string;
}
interface Change {
  readonly lines: readonly string[];
  readonly files: readonly FileChangeItem[];
}

const LINES_MAX = 100_000;

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("review", args, {
    ...CLIENT_OPTIONS,
    turn: { type: "string" },
    keep: { type: "boolean" },
    print: { type: "boolean" },
    from: { type: "string" },
  });
  const [id] = takeWords("review", positionals, ["ID"]);
  const span = spanOf(values.turn);
  if (values.print !== true) personOnly("A review");
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  const change = await readChange(client, session.id, span);
  const { items } = await client.listComments(session.id);
  const open = items.filter(({ state }) => state === "open").length;
  const text = reviewText(change.lines, open);
  if (values.print === true) {
    await print(text);
    return EXIT.ok;
  }
  const review =
    values.from === undefined
      ? await edited(text, change)
      : parsed(values.from === "-" ? await readStdin() : await readFile(values.from, "utf8"), change);
  for (const comment of review.comments) await client.addComment(session.id, comment);
  const all = open + review.comments.length;
  const sent =
    values.keep === true || (all === 0 && review.text === null)
      ? null
      : await send(client, session.id, review);
  if (values.json === true) await printJson({ added: review.comments.length, open: sent ? 0 : all, sent });
  else await print(`${outcome(review, all, sent !== null)}\n`);
  return EXIT.ok;
}

function send(client: Client, id: string, { text }: ReviewText): ReturnType<Client["sendReview"]> {
  return client.sendReview(id, text === null ? {} : { text });
}

function outcome({ text }: ReviewText, all: number, isSent: boolean): string {
  const count = `${all} comment${all === 1 ? "" : "s"}`;
  if (isSent) return all === 0 ? "sent" : `sent with ${count}`;
  if (all === 0)
    return text === null ? "no comment: nothing was sent" : "nothing was sent, and nothing is kept";
  return `${count} open, nothing was sent`;
}

function spanOf(turn: string | undefined): Span {
  if (turn === undefined) return {};
  if (!/^[1-9]\d{0,8}$/.test(turn))
    throw new UsageError(`${JSON.stringify(turn)} is no number of a turn`, "See signalbox review --help.");
  return { from: `start:${turn}`, to: `turn:${turn}` };
}

async function readChange(client: Client, id: string, span: Span): Promise<Change> {
  const files: FileChangeItem[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await client.getChanges(id, { ...span, ...(cursor === undefined ? {} : { cursor }) });
    files.push(...page.items);
    cursor = page.nextCursor;
  }
  const lines: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await client.getPatch(id, {
      ...span,
      limit: 20_000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    lines.push(...page.lines);
    cursor = page.nextCursor;
    if (lines.length > LINES_MAX)
      throw new CommandFailure(
        `the change has more than ${LINES_MAX} lines`,
        "Look at it by turn (--turn N), or on the page.",
        EXIT.refused,
      );
  }
  if (!isSameChange(lines, files))
    throw new CommandFailure(
      "the files change while they are read",
      "Try again, or wait until the agent has ended its turn.",
      EXIT.refused,
    );
  if (files.length === 0)
    throw new CommandFailure("there are no changes to review", `See signalbox show ${id}.`, EXIT.refused);
  return { lines, files };
}

/** What is wrong with it is told, and what was written stays. */
async function edited(text: string, change: Change): Promise<ReviewText> {
  const folder = await mkdtemp(join(tmpdir(), "signalbox-review-"));
  const file = join(folder, "review.diff");
  await writeFile(file, text, { mode: 0o600 });
  await openEditor(file);
  try {
    const review = parsed(await readFile(file, "utf8"), change);
    await rm(folder, { recursive: true, force: true });
    return review;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new CommandFailure(
      error.message,
      `What you wrote is in ${file}: mend it, then use --from with it.`,
      EXIT.invalidInput,
    );
  }
}

function parsed(text: string, { lines, files }: Change): ReviewText {
  try {
    return readReview(text, lines, files);
  } catch (error) {
    if (!(error instanceof ReviewFlaw)) throw error;
    throw new CommandFailure(error.message, "See signalbox review --help.", EXIT.invalidInput);
  }
}

async function openEditor(file: string): Promise<void> {
  const editor = setVariable(process.env, "VISUAL") ?? setVariable(process.env, "EDITOR") ?? "vi";
  // As git does it: what the variable says may have arguments.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, editor, file], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code === 0) return;
  throw new CommandFailure(
    `the editor ended with ${code ?? "a signal"}: nothing was sent`,
    `What it saved is in ${file}.`,
    EXIT.refused,
  );
}
