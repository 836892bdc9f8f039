/** What an agent behind a wall sees and asks of the runtime: the sessions of its own project. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { FOLDER_NAME, realPath } from "../../permissions/files/project-folders.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { Answer, Submission } from "../../runtime/submission.js";
import type { Board } from "./board.js";
import { sessionNotFound } from "./problem.js";

/**
 * The nearest folder with a repository or with rules, links followed; else the folder itself. What is open to everybody is
 * not left out, as it is for rules: an agent could open its own folder, and would see more by that.
 */
export function projectOf(cwd: string, homeDir: string): string {
  const real = realPath(cwd);
  const home = realPath(homeDir);
  for (let at = real; at !== home && dirname(at) !== at; at = dirname(at))
    if (isThere(join(at, ".git")) || isThere(join(at, FOLDER_NAME))) return at;
  return real;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What cannot be looked at is there: the project is narrower by that, never wider.
    return true;
  }
}

/** Whether two folders are of one project; each folder is looked at once. */
export function sameProject(own: string, homeDir: string): (cwd: string) => boolean {
  const known = new Map<string, boolean>();
  const project = projectOf(own, homeDir);
  return (cwd) => {
    const seen = known.get(cwd);
    if (seen !== undefined) return seen;
    const isSame = projectOf(cwd, homeDir) === project;
    known.set(cwd, isSame);
    return isSame;
  };
}

/** `sessionId`: the agent's own. Sessions of other projects are not there. */
export function agentBoard(board: Board, sessionId: string, homeDir: string): Board {
  const isOwn = (): ((record: SessionRecord) => boolean) => {
    const own = board.session(sessionId);
    if (!own) return () => false;
    const isSame = sameProject(own.settings.cwd, homeDir);
    return ({ settings }) => isSame(settings.cwd);
  };
  const session = (id: string): SessionRecord | null => {
    const record = board.session(id);
    return record && isOwn()(record) ? record : null;
  };
  return {
    journal: board.journal,
    suggest: board.suggest,
    ...(board.setup ? { setup: board.setup } : {}),
    lastPosition: () => board.lastPosition(),
    harnesses: () => board.harnesses(),
    audit: (by, operation, id) => board.audit(by, operation, id),
    session,
    sessions: () => [...board.sessions()].filter(isOwn()),
    messageText: (id, messageId) => (session(id) ? board.messageText(id, messageId) : null),
    roster: () => {
      const { seats, connected, ...rest } = board.roster();
      const seen = seats.filter(({ seat }) => session(seat) !== null);
      const isSeen = seen.some(({ seat }) => seat === connected);
      return { ...rest, seats: seen, connected: isSeen ? connected : null };
    },
    explain: (id) => (session(id) ? board.explain(id) : Promise.resolve(null)),
    submit: (submission, receipt, by): Promise<Answer> => {
      const about = submission.type === "create" ? sessionId : submission.sessionId;
      const record = about === null ? null : session(about);
      if (record === null) return Promise.resolve(sessionNotFound(about ?? ""));
      return board.submit(held(submission, record.settings.cwd), receipt, by);
    },
  };
}

/**
 * As an agent may ask for it: its agents have a wall as it has, around the same folder, and what waits for a person is not
 * answered by it.
 */
function held(submission: Submission, cwd: string): Submission {
  if (submission.type === "create")
    return {
      ...submission,
      settings: { ...submission.settings, cwd, wall: "on" },
      approve: submission.approve === "auto" ? "ask" : submission.approve,
    };
  if (submission.type !== "request") return submission;
  const { request } = submission;
  if (request.type !== "send_message" && request.type !== "resend_message") return submission;
  return { ...submission, request: { ...request, unlessAsked: true } };
}
