import { memo, useEffect, type ReactNode } from "react";
import { agentName, wordsForFailure, type LastActivity, type SeatStatus } from "../../core/index.js";
import { useActivity, useDoing, useTimeline } from "../../react/hooks.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useStore } from "../../react/signalbox-provider.js";
import { endWords, isNotKnown, isShellSession, returnedWords } from "../../protocol/session-words.js";
import { hasWorked, type Timeline } from "../../react/timelines.js";
import { StatusMark } from "../parts/status-mark.js";
import { usePlaces } from "../places/places.js";
import { Link, sessionPath } from "../routing/router.js";
import { useNowMs } from "../time/now.js";
import { costWords, countWords, momentWords, spanWords } from "../time/time-words.js";
import { SeatBadge } from "./seat-badge.js";
import { TimelineStrip } from "./timeline-strip.js";
import "./session-row.css";

interface Props {
  readonly session: AgentSession;
  readonly seat: SeatStatus;
}

export const SessionRow = memo(function SessionRow({ session, seat }: Props): ReactNode {
  const { id, title, status, ui, harness, cwd, position, certainty } = session;
  const timeline = useTimeline(id);
  const { branch } = usePlaces()(session);
  useLooks(session, seat);
  return (
    <article
      className="row"
      data-session={id}
      data-status={status}
      data-position={position}
      data-attention={ui.needsAttention}
    >
      <div className="row-status">
        <StatusMark status={status} ui={ui} certainty={certainty} hasWorked={hasWorked(timeline.changes)} />
        <Duration session={session} />
      </div>
      <div className="row-what">
        <div className="row-heading">
          <h2 className="row-title">
            <Link to={sessionPath(id)} className="row-link" data-row-link={id}>
              {title}
            </Link>
          </h2>
          {ui.showAutoModeWarning && (
            <span className="row-auto" title="Auto-approve: commands run and files change without asking you">
              Auto
            </span>
          )}
          {session.background > 0 && (
            <span className="row-background">{session.background} in background</span>
          )}
          {session.returned.length > 0 && (
            <span className="row-returned" title={returnedWords(session.returned.length)}>
              {session.returned.length} not delivered
            </span>
          )}
          <SeatBadge sessionId={id} title={title} status={seat} />
        </div>
        <DoingNow session={session} timeline={timeline} />
      </div>
      <div className="row-strip">
        <TimelineStrip changes={timeline.changes} isActive={ui.isActive} />
      </div>
      <div className="row-where">
        <span className="row-harness">{agentName(harness)}</span>
        <span className="row-folder" title={cwd}>
          {branch ?? folderWords(cwd)}
        </span>
      </div>
      <Cost usage={session.usage} />
    </article>
  );
});

interface PartProps {
  readonly session: AgentSession;
  readonly timeline: Timeline;
}

/** How long it has been so; it stands still when nothing goes on. */
function Duration({ session }: { readonly session: AgentSession }): ReactNode {
  const { statusSinceMs, unknownSinceMs, ui } = session;
  const goesOn = ui.isActive || isNotKnown(session) || isShellSession(session);
  return (
    <span className="row-duration">
      <Ago sinceMs={unknownSinceMs ?? statusSinceMs} />
      {goesOn ? "" : " ago"}
    </span>
  );
}

function Ago({ sinceMs }: { readonly sinceMs: number }): ReactNode {
  return spanWords(useNowMs() - sinceMs);
}

const LOOK_MS = 5_000;
/** Who scrolls past looks for nothing. */
const FIRST_LOOK_MS = 1_000;

/** No event tells that an agent waits by itself, or leaves something in the background: a quiet row looks for it. */
function useLooks({ id, ui, background }: AgentSession, seat: SeatStatus): void {
  const store = useStore();
  const isRunning = seat !== "none" || ui.showSpinner;
  const isRepeated = ui.showSpinner || background > 0;
  useEffect(() => {
    if (!isRunning) return undefined;
    const look = () => {
      const quietMs = Date.now() - (store.activity(id)?.atMs ?? 0);
      if (quietMs >= LOOK_MS || !ui.showSpinner) store.want(id);
    };
    const first = setTimeout(look, FIRST_LOOK_MS);
    const timer = isRepeated ? setInterval(look, LOOK_MS) : undefined;
    return () => {
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [store, id, isRunning, isRepeated, ui.showSpinner]);
}

function DoingNow({ session, timeline }: PartProps): ReactNode {
  const { id, retry, ui } = session;
  if (isNotKnown(session) && !session.asks.some(({ needsHuman }) => needsHuman))
    return (
      <p className="row-doing" data-kind="unknown">
        Signalbox cannot read what it shows: <Link to={sessionPath(id)}>look at the terminal</Link>
      </p>
    );
  if (retry && ui.showSpinner) return <Waiting atMs={retry.atMs} />;
  return <DoingLast session={session} timeline={timeline} />;
}

function Waiting({ atMs }: { readonly atMs: number }): ReactNode {
  const nowMs = useNowMs();
  const words = atMs > nowMs ? `Waiting until ${momentWords(atMs, nowMs)} to try again` : "Trying again";
  return (
    <p className="row-doing" data-kind="quiet">
      {words}
    </p>
  );
}

function DoingLast({ session, timeline }: PartProps): ReactNode {
  const activity = useActivity(session.id);
  const now = useDoing(session.id);
  const { words, kind } = rowWords(session, activity, now, timeline);
  return (
    <p className="row-doing" data-kind={kind}>
      {words}
    </p>
  );
}

interface Doing {
  readonly words: string;
  readonly kind: "ask" | "error" | "tool" | "text" | "quiet";
}

/** What it asks goes before what it wrote last. */
function rowWords(
  session: AgentSession,
  activity: LastActivity | null,
  now: string,
  timeline: Timeline,
): Doing {
  const { asks, error, status } = session;
  const ask = asks.find(({ needsHuman }) => needsHuman);
  if (ask) return { words: ask.title === "" ? "Waiting for an answer" : ask.title, kind: "ask" };
  if (status === "error" && error) {
    const what = wordsForFailure(error.code)?.what;
    return { words: what === undefined ? error.message : `${what}: ${error.message}`, kind: "error" };
  }
  if (isShellSession(session)) return { words: "No agent is running in it", kind: "quiet" };
  const end = status === "completed" ? endWords(session.ending, 0) : "";
  if (end !== "") return { words: sentence(end), kind: "error" };
  // Its words say themselves that it writes.
  const isWriting = activity?.type === "text" && now === "Writing";
  if (now !== "" && !isWriting) return { words: now, kind: "quiet" };
  if (activity) {
    if (activity.type === "tool") return { words: activity.text, kind: "tool" };
    if (activity.type === "message") return { words: `You: ${activity.text}`, kind: "quiet" };
    if (activity.type === "error") return { words: activity.text, kind: "error" };
    return { words: lastSentence(activity.text), kind: "text" };
  }
  if (timeline.lastTool) return { words: timeline.lastTool.name, kind: "tool" };
  return { words: "", kind: "quiet" };
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** A sentence that grows is calmer to look at than a line that slides. */
function lastSentence(text: string): string {
  const sentences = text.split(/(?<=[.!?])\s+/).filter((each) => each !== "");
  return sentences.at(-1) ?? text;
}

function Cost({ usage }: { readonly usage: AgentSession["usage"] }): ReactNode {
  const { costUsd, inputTokens, outputTokens, cachedTokens } = usage;
  const tokens = inputTokens + outputTokens;
  const detail = `${countWords(inputTokens)} tokens in (${countWords(cachedTokens)} from a cache), ${countWords(outputTokens)} out`;
  return (
    <div className="row-cost" data-unknown={costUsd === null} title={detail}>
      <span className="row-money">{costUsd === null ? "–" : costWords(costUsd)}</span>
      <span className="row-tokens">{tokens === 0 ? "" : `${countWords(tokens)} tok`}</span>
    </div>
  );
}

/** The end of the path says most. */
function folderWords(cwd: string): string {
  const parts = cwd.split("/").filter(Boolean);
  return parts.length <= 2 ? cwd : `…/${parts.slice(-2).join("/")}`;
}
