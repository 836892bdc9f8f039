/** `signalbox ls --watch`: the list again whenever something changes. */
import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../client/client.js";
import { UnreachableError } from "../client/signalbox-error.js";
import type { SessionSummary } from "../protocol/session.js";
import { awayNote } from "./away-note.js";
import { EXIT, type ExitCode } from "./exit-codes.js";
import { painter } from "./paint.js";
import { print, printJson, readerGone, readerIsGone } from "./print.js";
import { RELIST_MS } from "./session-list.js";
import { sessionTable } from "./session-table.js";
import { terminalSize } from "./terminal-size.js";
import { outputWidth } from "./text-table.js";

/** Changes that come together are shown together. */
const GATHER_DELAY_MS = 100;
const CLEAR_SCREEN = "\u001b[H\u001b[2J";

/** Resolves when nobody reads any more. */
export async function watchSessions(
  client: Client,
  list: () => Promise<readonly SessionSummary[]>,
  json: boolean,
): Promise<ExitCode> {
  const abort = new AbortController();
  readerGone().addEventListener("abort", () => abort.abort());
  const changes = new Changes();
  const watching = changes.watch(client, abort.signal);
  const show = json ? showAsJson() : process.stdout.isTTY ? showOnScreen(client) : showRows();
  try {
    while (!readerIsGone()) {
      await Promise.race([changes.next(), watching]);
      if (readerIsGone()) break;
      await delay(GATHER_DELAY_MS);
      changes.clear();
      await ifThere(async () => show(await list()));
    }
    return EXIT.ok;
  } finally {
    abort.abort();
    await watching;
  }
}

/** Not while the daemon is away: its coming back is a change too. */
async function ifThere(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
  }
}

/** Remembers that something changed until somebody has looked. */
class Changes {
  private pending = false;
  private wake: (() => void) | null = null;

  async watch(client: Client, signal: AbortSignal): Promise<void> {
    const note = awayNote();
    const onOpen = () => {
      note.onOpen();
      this.note();
    };
    const relisting = setInterval(() => this.note(), RELIST_MS);
    try {
      for await (const item of client.events({ ...note, signal, onOpen })) {
        if (item.type === "reset" || item.channel === "state") this.note();
      }
    } finally {
      clearInterval(relisting);
    }
  }

  next(): Promise<void> {
    if (this.pending) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  clear(): void {
    this.pending = false;
  }

  private note(): void {
    this.pending = true;
    this.wake?.();
    this.wake = null;
  }
}

function showOnScreen(client: Client): (sessions: readonly SessionSummary[]) => Promise<void> {
  return async (sessions) => {
    const { connected } = await client.getRoster();
    const height = Math.max(2, terminalSize(process.stdout).rows - 1);
    const look = { paint: painter(), connected, ...outputWidth() };
    await print(`${CLEAR_SCREEN}${sessionTable(sessions, look).slice(0, height).join("\n")}\n`);
  };
}

/** The sessions that are not as they were shown before. */
function changedOnly(): (sessions: readonly SessionSummary[]) => readonly SessionSummary[] {
  let shown = new Map<string, string>();
  return (sessions) => {
    const next = new Map(sessions.map((session) => [session.id, JSON.stringify(session)]));
    const changed = sessions.filter(({ id }) => shown.get(id) !== next.get(id));
    shown = next;
    return changed;
  };
}

function showAsJson(): (sessions: readonly SessionSummary[]) => Promise<void> {
  const changed = changedOnly();
  return async (sessions) => {
    for (const session of changed(sessions)) await printJson(session);
  };
}

function showRows(): (sessions: readonly SessionSummary[]) => Promise<void> {
  const changed = changedOnly();
  return async (sessions) => {
    const [, ...rows] = sessionTable(changed(sessions), { paint: painter() });
    await print(rows.map((row) => `${row}\n`).join(""));
  };
}
