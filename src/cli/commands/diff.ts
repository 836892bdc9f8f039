/** `signalbox diff`: how a session's files changed. */
import type { ChangesReport, FileChangeItem } from "../../protocol/changes.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { painter, type Paint } from "../paint.js";
import { parseOptions } from "../parse-options.js";
import { plainText, visibleLine } from "../plain-text.js";
import { print, printJson, readerIsGone } from "../print.js";
import { resolveSession } from "../session-name.js";
import { columnsOf } from "../text-width.js";
import { takeSeveral } from "../take-words.js";

type Client = Awaited<ReturnType<typeof openClient>>;
interface Span {
  readonly from?: string;
  readonly to?: string;
}

export const diffCommand: Command = {
  help: `Usage: signalbox diff ID [PATH...] [options]

Shows how the files of a session changed since it was started. A PATH is a file or a folder, from the top of the
repository.

Options:
  --turn N         only what changed in turn N
  --from POINT     since base (the start), turn:N (the end of turn N), head (the last commit)
  --to POINT       until then, not until now
  --stat           only the names, and how many lines
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("diff", args, {
    ...CLIENT_OPTIONS,
    turn: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    stat: { type: "boolean" },
  });
  const [id = "", ...paths] = takeSeveral("diff", positionals, "ID");
  const span = spanOf(values);
  const client = await openClient(values);
  const session = await resolveSession(client, id);
  if (values.stat === true || values.json === true) {
    const report = await wholeReport(client, session.id, span);
    const items = report.items.filter(
      ({ path, oldPath }) => isAsked(path, paths) || isAsked(oldPath ?? path, paths),
    );
    if (values.json === true) await printJson({ ...report, items });
    else await print(statLines({ ...report, items }, painter()));
    return EXIT.ok;
  }
  const paint = painter();
  for (const path of paths.length === 0 ? [undefined] : paths) {
    let cursor: string | undefined;
    do {
      const page = await client.getPatch(session.id, {
        ...span,
        ...(path === undefined ? {} : { path }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      cursor = page.nextCursor;
      await print(page.lines.map((line) => `${coloured(line, paint)}\n`).join(""));
    } while (cursor !== undefined && !readerIsGone());
  }
  return EXIT.ok;
}

function spanOf({ turn, from, to }: { turn?: string; from?: string; to?: string }): Span {
  const hint = "See signalbox diff --help.";
  if (turn === undefined)
    return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (from !== undefined || to !== undefined) throw new UsageError("--turn says both ends already", hint);
  if (!/^[1-9]\d{0,8}$/.test(turn))
    throw new UsageError(`${JSON.stringify(turn)} is no number of a turn`, hint);
  return { from: `start:${turn}`, to: `turn:${turn}` };
}

async function wholeReport(client: Client, id: string, span: Span): Promise<ChangesReport> {
  const first = await client.getChanges(id, span);
  const items: FileChangeItem[] = [...first.items];
  for (let cursor = first.nextCursor; cursor !== undefined;) {
    const page = await client.getChanges(id, { ...span, cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  const { nextCursor: _next, ...report } = first;
  return { ...report, items };
}

function isAsked(path: string, paths: readonly string[]): boolean {
  if (paths.length === 0) return true;
  return paths.some((asked) => {
    const folder = asked.replace(/\/+$/, "");
    return path === folder || path.startsWith(`${folder}/`) || folder === ".";
  });
}

/** What could steer a terminal is taken out there, and stays for a program that reads it. */
function coloured(line: string, paint: Paint): string {
  const shown = process.stdout.isTTY ? plainText(line) : line;
  if (/^(diff --git|index |--- |\+\+\+ |new file|deleted file|rename |similarity )/.test(line))
    return paint("bold", shown);
  if (line.startsWith("@@")) return paint("dim", shown);
  if (line.startsWith("+")) return paint("green", shown);
  return line.startsWith("-") ? paint("red", shown) : shown;
}

const LETTERS: Readonly<Record<FileChangeItem["status"], string>> = {
  added: "A",
  deleted: "D",
  modified: "M",
  renamed: "R",
  type_changed: "T",
};

function statLines(report: ChangesReport, paint: Paint): string {
  const names = report.items.map(({ path, oldPath }) =>
    visibleLine(oldPath === null ? path : `${oldPath} → ${path}`),
  );
  const width = Math.min(100, Math.max(0, ...names.map(columnsOf)));
  const lines = report.items.map(({ status, added, removed }, at) => {
    const name = names[at] ?? "";
    const counts =
      added === null || removed === null
        ? "no text"
        : `${paint("green", `+${added}`)} ${paint("red", `-${removed}`)}`;
    return `${LETTERS[status]} ${name}${" ".repeat(Math.max(0, width - columnsOf(name)))}  ${counts}`;
  });
  const added = report.items.reduce((sum, file) => sum + (file.added ?? 0), 0);
  const removed = report.items.reduce((sum, file) => sum + (file.removed ?? 0), 0);
  const files = `${report.items.length} file${report.items.length === 1 ? "" : "s"}`;
  return [
    ...lines,
    `${files} changed, +${added} -${removed}${report.branch === null ? "" : `, on ${visibleLine(report.branch)}`}`,
    ...report.skipped.map(({ path, why }) => `not kept: ${visibleLine(path)} (${SKIPPED[why]})`),
    "",
  ].join("\n");
}

const SKIPPED = { large: "larger than 10 MiB", repository: "a repository of its own" } as const;
