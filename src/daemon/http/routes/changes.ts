import { ChangesError } from "../../../changes/points.js";
import type { Point, Span } from "../../../changes/changes.js";
import type { SessionRecord } from "../../../runtime/session-record.js";
import type { Desk, Handler } from "../call-handler.js";
import { failure, flawed, sessionNotFound, type Failure } from "../problem.js";

const FILES_MAX = 200;
const LINES_MAX = 5_000;

export const getChanges: Handler<"getChanges"> = async ({ params, query }, desk) =>
  withChanges(params.id, desk, async ({ record, changes }) => {
    const start = startAt(query.cursor);
    if (start === null) return flawed("cursor", "Not a cursor of ours");
    const { branch, turns, files, skipped } = await changes.changes(
      params.id,
      record.settings.cwd,
      spanOf(query),
    );
    const end = start + (query.limit ?? FILES_MAX);
    const total = {
      files: files.length,
      added: files.reduce((sum, { added }) => sum + (added ?? 0), 0),
      removed: files.reduce((sum, { removed }) => sum + (removed ?? 0), 0),
    };
    const items = files.slice(start, end).map(({ bytes: _bytes, oldBytes: _old, ...file }) => file);
    const more = end < files.length ? { nextCursor: String(end) } : {};
    return {
      ok: true,
      value: { branch, turns: [...turns], total, items, skipped: [...skipped], ...more },
    };
  });

/** What is no UTF-8 is shown as such. */
export const getPatch: Handler<"getPatch"> = async ({ params, query }, desk) =>
  withChanges(params.id, desk, async ({ record, changes }) => {
    const start = startAt(query.cursor);
    if (start === null) return flawed("cursor", "Not a cursor of ours");
    const paths = query.path === undefined ? null : [query.path];
    const patch = await changes.patch(params.id, record.settings.cwd, spanOf(query), paths);
    const lines = patch.toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    const end = start + (query.limit ?? LINES_MAX);
    const more = end < lines.length ? { nextCursor: String(end) } : {};
    return { ok: true, value: { lines: lines.slice(start, end), ...more } };
  });

const TURN: ReadonlySet<string> = new Set(["creating", "streaming", "waiting_approval", "waiting_input"]);

export const rewind: Handler<"rewind"> = async ({ params, body }, desk) =>
  withChanges(params.id, desk, async ({ record, changes }) => {
    if (TURN.has(record.state.status))
      return failure(
        "state_transition_invalid",
        "A turn runs, and may change the files: wait for its end, or interrupt it.",
      );
    const value = await changes.rewind(params.id, record.settings.cwd, body.turn, body.confirm === true);
    return {
      ok: true,
      value: { ...value, restored: [...value.restored], removed: [...value.removed], left: [...value.left] },
    };
  });

type Known = { readonly record: SessionRecord; readonly changes: NonNullable<Desk["changes"]> };

async function withChanges<T>(
  id: string,
  desk: Desk,
  act: (known: Known) => Promise<T>,
): Promise<T | Failure> {
  const record = desk.board.session(id);
  if (!record) return sessionNotFound(id);
  const { changes } = desk;
  if (!changes) return failure("not_found", "Nothing is kept of the files of sessions here.");
  try {
    return await act({ record, changes });
  } catch (error) {
    if (!(error instanceof ChangesError)) throw error;
    return failure(error.code === "git" ? "conflict" : "not_found", error.message);
  }
}

function spanOf({
  from = "base",
  to = "now",
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): Span {
  return { from: pointOf(from), to: pointOf(to) };
}

function pointOf(text: string): Point {
  const [type = "", number = "0"] = text.split(":");
  switch (type) {
    case "turn":
    case "start":
      return { type, turn: Number(number) };
    case "head":
    case "now":
      return { type };
    default:
      return { type: "base" };
  }
}

function startAt(cursor: string | undefined): number | null {
  if (cursor === undefined) return 0;
  return /^\d{1,9}$/.test(cursor) ? Number(cursor) : null;
}
