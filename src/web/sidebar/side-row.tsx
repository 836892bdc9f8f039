import { memo, type ReactNode } from "react";
import { NOT_KNOWN_WORD, provenWord, wordsForFailure } from "../../core/index.js";
import { endWords, isNotKnown, isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useDoing, useTimeline } from "../../react/hooks.js";
import { hasWorked } from "../../react/timelines.js";
import { useTotal } from "../places/change-counts.js";
import { Link, sessionPath } from "../routing/router.js";
import { proseText } from "../session/text/visible-text.js";
import { useNowMs } from "../time/now.js";
import { shortSpanWords } from "../time/time-words.js";
import { LineCounts } from "../parts/line-counts.js";

interface Props {
  readonly session: AgentSession;
  readonly branch: string | null;
  readonly isCurrent: boolean;
}

/** A session in two lines: its mark, title and time; what it does, its branch and its lines. */
export const SideSession = memo(function SideSession({ session, branch, isCurrent }: Props): ReactNode {
  const { id, title, unknownSinceMs, statusSinceMs } = session;
  const total = useTotal(session);
  return (
    <Link to={sessionPath(id)} className="side-row" aria-current={isCurrent ? "page" : undefined}>
      <SideMark session={session} />
      <span className="side-title">{proseText(title)}</span>
      <span className="side-time">
        <Since sinceMs={unknownSinceMs ?? statusSinceMs} />
      </span>
      <Line session={session} branch={branch} />
      <span className="side-lines">{total !== null && <LineCounts total={total} />}</span>
    </Link>
  );
});

function Since({ sinceMs }: { readonly sinceMs: number }): ReactNode {
  return shortSpanWords(useNowMs() - sinceMs);
}

/** Each kind has a shape of its own: colour alone says nothing to everybody. */
function SideMark({ session }: { readonly session: AgentSession }): ReactNode {
  const timeline = useTimeline(session.id);
  const words = isNotKnown(session) ? NOT_KNOWN_WORD : provenWord(session);
  return (
    <span
      className="side-mark"
      data-mark={markOf(session, hasWorked(timeline.changes))}
      role="img"
      aria-label={words}
    />
  );
}

type Mark = "needs" | "works" | "done" | "failed" | "rests" | "shell" | "unknown";

function markOf(session: AgentSession, worked: boolean): Mark {
  const { status, ui } = session;
  if (isNotKnown(session)) return "unknown";
  if (status === "error") return "failed";
  if (ui.needsAttention) return "needs";
  if (ui.showSpinner) return "works";
  if (isShellSession(session)) return "shell";
  return status === "completed" && worked ? "done" : "rests";
}

function Line({ session, branch }: Pick<Props, "session" | "branch">): ReactNode {
  const doing = useDoing(session.id);
  const { words, kind } = lineOf(session, doing, branch);
  return (
    <span className="side-line" data-kind={kind}>
      {words}
      {branch !== null && (
        <>
          {words !== "" && " · "}
          <span className="side-branch">{branch}</span>
        </>
      )}
    </span>
  );
}

interface Said {
  readonly words: string;
  readonly kind: "needs" | "failed" | "plain";
}

function lineOf(session: AgentSession, doing: string, branch: string | null): Said {
  const { asks, status, error } = session;
  const ask = asks.find(({ needsHuman }) => needsHuman);
  if (ask) return { words: proseText(ask.title === "" ? provenWord(session) : ask.title), kind: "needs" };
  if (isNotKnown(session)) return { words: "look at the terminal", kind: "needs" };
  if (status === "error" && error)
    return { words: proseText(wordsForFailure(error.code)?.what ?? error.message), kind: "failed" };
  const end = status === "completed" ? endWords(session.ending, session.background) : "";
  if (end !== "" || doing !== "") return { words: end === "" ? doing : end, kind: "plain" };
  // The mark says it too: where there is a branch, that is worth more.
  return { words: branch === null ? provenWord(session) : "", kind: "plain" };
}
