import { useEffect, useState, type ReactNode } from "react";
import type { SessionState } from "../../core/index.js";
import type { ChangesReport, FileChangeItem } from "../../protocol/changes.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { OutputView } from "./text/output-view.js";
import { proseText } from "./text/visible-text.js";

const DELAY_MS = 300;

/** What changed in the session's files since its start; null: not known, or nothing is kept of them. */
export function useChanges(session: AgentSession, state: SessionState | null): ChangesReport | null {
  const client = useClient();
  const [report, setReport] = useState<ChangesReport | null>(null);
  const { id, status } = session;
  const isKept = state?.checkpoints === true;
  // Looked at when a turn has ended and its files are kept, not while they change.
  const turn = state?.checkpoint === null ? state.turn : null;
  useEffect(() => {
    if (!isKept || turn === null) return undefined;
    let isOver = false;
    const read = async (): Promise<void> => {
      try {
        const read = await client.getChanges(id);
        if (!isOver) setReport(read);
      } catch {
        // It is asked for again with the next turn; whoever opens the list is told why.
        if (!isOver) setReport(null);
      }
    };
    const timer = setTimeout(() => void read(), DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, id, isKept, turn, status]);
  return report;
}

export function countWords({ total, branch }: ChangesReport): string {
  const files = `${total.files} file${total.files === 1 ? "" : "s"}`;
  return `${branch === null ? "" : `${branch}: `}${files}, +${total.added} −${total.removed}`;
}

interface Props {
  readonly session: AgentSession;
  readonly report: ChangesReport;
}

/** A plain list of the files; each shows how it changed. */
export function SessionChanges({ session, report }: Props): ReactNode {
  const [shown, setShown] = useState<string | null>(null);
  const { items, total, skipped } = report;
  return (
    <section className="session-changes" aria-label="Changed files">
      {items.length === 0 && <p className="quiet">No file has changed since the start.</p>}
      <ul>
        {items.map((file) => (
          <li key={file.path}>
            <button
              className="link-button"
              aria-expanded={shown === file.path}
              onClick={() => setShown(shown === file.path ? null : file.path)}
            >
              {proseText(file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`)}
            </button>{" "}
            <span className="quiet">{fileWords(file)}</span>
            {shown === file.path && <Patch id={session.id} path={file.path} />}
          </li>
        ))}
      </ul>
      {total.files > items.length && (
        <p className="quiet">
          {total.files - items.length} more: <code>signalbox diff {session.id}</code>
        </p>
      )}
      {skipped.map(({ path, why }) => (
        <p key={path} className="quiet">
          Not kept: {proseText(path)}, {why === "large" ? "larger than 10 MiB" : "a repository of its own"}
        </p>
      ))}
    </section>
  );
}

function fileWords({ status, added, removed }: FileChangeItem): string {
  const counts = added === null || removed === null ? "no text" : `+${added} −${removed}`;
  return `${status.replace("_", " ")}, ${counts}`;
}

function Patch({ id, path }: { readonly id: string; readonly path: string }): ReactNode {
  const client = useClient();
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    client.getPatch(id, { path }).then(
      ({ lines, nextCursor }) => {
        if (!isOver) setText([...lines, ...(nextCursor === undefined ? [] : ["…"])].join("\n"));
      },
      (error: unknown) => {
        if (!isOver) setText(readFailureWords(error));
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, id, path]);
  return text === null ? (
    <p className="quiet">Reading…</p>
  ) : (
    <OutputView text={text} linesMax={200} label={`Changes of ${path}`} />
  );
}
