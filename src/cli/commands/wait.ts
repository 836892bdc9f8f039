/** `signalbox wait`: until a session has one of some statuses. */
import type { Client } from "../../client/client.js";
import type { FollowItem } from "../../client/follow-session.js";
import type { Status } from "../../core/session/state.js";
import { isNotKnown } from "../../protocol/session-words.js";
import { awayNote } from "../away-note.js";
import { CLIENT_HELP, CLIENT_OPTIONS, openClient } from "../client-options.js";
import { CommandFailure, UsageError, type Command } from "../command.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { parseOptions } from "../parse-options.js";
import { print, printJson } from "../print.js";
import { parseStatuses } from "../session-list.js";
import { resolveSession } from "../session-name.js";
import { provenWord, STATUS_WORDS } from "../../core/words/status-words.js";
import { takeWords } from "../take-words.js";

const DEFAULT_STATUSES = "completed,error,stopped";

export const waitCommand: Command = {
  help: `Usage: signalbox wait ID [options]

Waits until the session has one of the statuses, and prints which. One that it had for a moment counts. While what its
terminal shows is not understood, it says so on stderr and waits on.

Options:
  --for LIST       the statuses, such as done,failed; ${DEFAULT_STATUSES} when absent
  --timeout S      give up after so many seconds, with exit status ${EXIT.timeout}
${CLIENT_HELP}`,
  run,
};

async function run(args: readonly string[]): Promise<ExitCode> {
  const { values, positionals } = parseOptions("wait", args, {
    ...CLIENT_OPTIONS,
    for: { type: "string" },
    timeout: { type: "string" },
  });
  const [id] = takeWords("wait", positionals, ["ID"]);
  const statuses = parseStatuses(values.for ?? DEFAULT_STATUSES);
  const timeoutMs = values.timeout === undefined ? null : parseSeconds(values.timeout);
  const client = await openClient(values);
  const { id: sessionId } = await resolveSession(client, id);
  const reached = await waitFor(client, sessionId, statuses, timeoutMs);
  if (reached === null) {
    throw new CommandFailure(
      `${sessionId} was not ${statuses.map((status) => STATUS_WORDS[status]).join(" or ")} within ${values.timeout ?? ""} s`,
      `See signalbox explain ${sessionId}.`,
      EXIT.timeout,
    );
  }
  if (values.json) await printJson({ id: sessionId, status: reached });
  else await print(`${STATUS_WORDS[reached]}\n`);
  return EXIT.ok;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  // Longer than this, a timer fires at once.
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 2_000_000) return seconds * 1_000;
  throw new UsageError(`--timeout ${text}: not a number of seconds`, "An example: --timeout 60.");
}

/** Null when the time is up before. */
async function waitFor(
  client: Client,
  sessionId: string,
  statuses: readonly Status[],
  timeoutMs: number | null,
): Promise<Status | null> {
  const abort = new AbortController();
  const timer = timeoutMs === null ? undefined : setTimeout(() => abort.abort(), timeoutMs);
  try {
    for await (const item of client.follow(sessionId, { ...awayNote(), signal: abort.signal })) {
      tellNotKnown(item);
      const status = statusIn(item);
      if (status !== null && statuses.includes(status)) return status;
    }
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** Somebody has to look: nothing may come of it by itself. */
function tellNotKnown(item: FollowItem): void {
  if (item.type !== "session" || !isNotKnown(item.session) || !item.session.ui.needsAttention) return;
  const { id } = item.session;
  process.stderr.write(
    `signalbox: ${id} was: ${provenWord(item.session)}. What its terminal shows now is not understood: signalbox attach ${id}\n`,
  );
}

function statusIn(item: FollowItem): Status | null {
  if (item.type === "session") return item.session.status;
  if (item.type === "reset" || item.channel === "stream") return null;
  const { payload } = item.event;
  return payload.type === "state_changed" ? payload.to : null;
}
