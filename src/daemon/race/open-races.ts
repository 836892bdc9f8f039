import { join } from "node:path";
import type { Engine } from "../engine.js";
import type { Board } from "../http/board.js";
import { withDefaults } from "../http/routes/session-workspace.js";
import { startSession, type SessionDesk } from "../http/routes/sessions.js";
import type { Log } from "../log/log.js";
import { newId } from "../new-id.js";
import { SqliteRaceStore } from "./race-store.js";
import { Races } from "./races.js";

interface Opened {
  readonly dataDir: string;
  readonly board: Board;
  readonly engine: Pick<Engine, "isHeld" | "runtime" | "walls" | "changes" | "workspaces">;
  readonly log: Log;
}

/** Goes on with every race that is not over, unless nothing goes on. */
export function openRaces({ dataDir, board, engine, log }: Opened): Races {
  const { runtime, walls, changes, workspaces } = engine;
  const onProblem = (what: string, error: unknown): void =>
    log.warn(`trouble: ${what}`, { error: error instanceof Error ? error.message : String(error) });
  const desk: SessionDesk = { board, walls, changes, workspaces, log };
  const store = new SqliteRaceStore(join(dataDir, "races.db"), (what) =>
    onProblem("races.db is damaged", new Error(what)),
  );
  const races = new Races({
    ...{ store, workspaces, newId, onProblem },
    session: (id) => runtime.session(id),
    sessions: () => runtime.sessions(),
  });
  if (engine.isHeld) return races;
  races.start({
    async startSession({ directory, prompt, by }, { harness, model, args, title, workspaceId }, receipt) {
      const wanted = {
        ...{ harness, title, prompt, cwd: directory, workspace: { id: workspaceId } },
        ...(model === null ? {} : { model }),
        ...(args.length === 0 ? {} : { args: [...args] }),
      };
      // The models are what a race compares: of the project's settings only the one for approvals counts.
      const usual = await withDefaults(wanted, by, desk);
      const approve = "approve" in usual ? { approve: usual.approve } : {};
      const reply = await startSession({ ...wanted, ...approve }, receipt, by, desk);
      if (reply.ok) return { ok: true, sessionId: reply.value.id };
      return { ok: false, words: reply.message, later: reply.unavailable === true };
    },
    async stopSession({ by }, sessionId) {
      const request = { type: "cancel_session" } as const;
      const answer = await board.submit({ type: "request", sessionId, request }, null, by);
      return answer.ok ? null : answer.message;
    },
  });
  return races;
}
