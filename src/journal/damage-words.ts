/** What a person reads of a journal that cannot be used as it is, and what to do about it. */
import type { JournalError, JournalErrorCode } from "./journal-error.js";

const REPAIR =
  "End the daemon with signalbox down, then run signalbox repair (with --end-agents while agents run), " +
  "or signalbox restore FILE with a backup.";

export const READ_ONLY_SENTENCE = `The journal is damaged. It is open for reading only, and nothing is changed. ${REPAIR}`;

export const CUT_LOG_SENTENCE =
  "The journal's log ends in the middle of a transaction, after a crash, a power cut, or because the file was cut. " +
  "What that transaction held is not in the journal; everything before it is.";

export const CUT_LOG_REMEDY =
  "After a crash or a power cut there is nothing to do: whatever was answered as done had been written before. " +
  "If something else cut the file, signalbox restore FILE brings a backup back.";

/** `problems`: what SQLite and the loading of the journal found, for those who look into it; some of several lines. */
export function damagedDetail(problems: readonly string[]): string {
  const lines = problems.flatMap((problem) => problem.split("\n"));
  const [first = "nothing is known", ...others] = lines.filter((line) => !line.startsWith("*** in database"));
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  return `parts of its file are not as they were written and cannot be read. In detail: ${first}${more}`;
}

export const JOURNAL_REMEDIES: Readonly<Record<JournalErrorCode, string>> = {
  full: "Make room on the disk, then run signalbox up.",
  io: "See that the disk works and that the data folder is yours, then run signalbox up.",
  busy: "Another daemon has it: see signalbox status.",
  corrupt: `${REPAIR} Nothing was changed.`,
  damaged: REPAIR,
  too_new: "Install the newer version of signalbox again, or restore a backup of this version.",
  conflict: "Run signalbox doctor.",
  closed: "Run signalbox up.",
};

/** With the file's name and the reason. */
export function journalCause(path: string, { code, message }: JournalError): string {
  if (code === "corrupt" && message.includes("SQLITE_NOTADB"))
    return `${path} is damaged: its header is not that of a journal, so nothing of it can be read as it is.`;
  if (code === "corrupt")
    return `${path} is damaged: parts of it are missing or are not as they were written, so it cannot be opened. In detail: ${message}.`;
  if (code === "full") return `There is no room for the journal ${path}: ${message}`;
  return message;
}
