import { Fragment, useEffect, useRef, useState, type ReactNode } from "react";
import { itemKey, type Item } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useThread } from "../../react/hooks.js";
import { useStore } from "../../react/signalbox-provider.js";
import type { ThreadView } from "../../react/thread-watches.js";
import { AskList } from "../asks/ask-list.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { FailureView } from "./note-view.js";
import { useSessionPast, type PastFailure } from "./session-past.js";
import { ThreadItem } from "./thread-item.js";
import { isUnfinished, unfinishedIn } from "./unfinished.js";
import { useEndOfThread } from "./use-end-of-thread.js";
import "./thread.css";

/** What is drawn at first, and more with each look further up. */
const PAGE_LENGTH = 120;
/** So many at most while somebody reads the end. */
const AT_END_MAX = 4 * PAGE_LENGTH;

export function ThreadPane({ session }: { readonly session: AgentSession }): ReactNode {
  const store = useStore();
  const view = useThread(session.id);
  const { items, dropped } = view.thread;
  const end = useEndOfThread(items);
  const { outcomes, failures } = useSessionPast(session.id);
  const { from, showEarlier } = useWindow(view, end.isAtEnd);
  useShortcuts("Thread", [{ keys: "G", label: "To the newest", run: end.toEnd }]);
  const left = from - dropped;
  const shown = items.slice(left);
  const openAsks = new Set(session.asks.map(({ askId }) => askId));
  // What is wrong now stands above, with what to do about it.
  const past = failures.filter((each) => each !== failures.at(-1) || session.status !== "error");
  const placed = placedFailures(shown, past, left === 0);
  const waiting = new Map(session.queue.map(({ messageId, status }) => [messageId, status]));
  return (
    <div className="thread-place">
      <div className="thread-scroller" ref={end.scroller} tabIndex={0} role="group" aria-label="Thread">
        <div className="thread" ref={end.content}>
          {left > 0 && <Earlier left={left} show={showEarlier} />}
          {left === 0 && dropped > 0 && (
            <p className="thread-note">{dropped.toLocaleString("en")} earlier items are not kept.</p>
          )}
          <Lack view={view} retry={() => store.threads.retry(session.id)} />
          <ol className="thread-items" aria-label="What was said and done">
            {shown.map((item) => (
              <Fragment key={itemKey(item)}>
                <Failures failures={placed.before.get(item)} />
                <li className="thread-item" data-type={item.type} data-nested={isNested(item)}>
                  <ThreadItem
                    item={item}
                    isOpenAsk={item.type === "ask" && openAsks.has(item.id)}
                    outcome={item.type === "ask" ? outcomes.get(item.id) : undefined}
                    delivery={item.type === "user_message" ? deliveryOf(waiting.get(item.id)) : null}
                    unfinished={
                      isUnfinished(item) ? unfinishedIn(session.status, openAsks.has(item.id)) : null
                    }
                  />
                </li>
              </Fragment>
            ))}
            <Failures failures={placed.atEnd} />
          </ol>
          <AskList session={session} />
        </div>
      </div>
      {end.isBehind && (
        <button className="button thread-new" onClick={end.toEnd}>
          New below <span aria-hidden="true">↓</span>
        </button>
      )}
    </div>
  );
}

interface PlacedFailures {
  readonly before: ReadonlyMap<Item, readonly PastFailure[]>;
  readonly atEnd: readonly PastFailure[];
}

/** Each before the first item that began after it. One that the stream told too is there already. */
function placedFailures(
  items: readonly Item[],
  failures: readonly PastFailure[],
  isWhole: boolean,
): PlacedFailures {
  const told = new Set(items.flatMap((item) => (item.type === "error" ? [item.message] : [])));
  const before = new Map<Item, readonly PastFailure[]>();
  const atEnd: PastFailure[] = [];
  for (const failure of failures) {
    if (told.has(failure.message)) continue;
    const next = items.find(({ atMs }) => atMs > failure.atMs);
    if (next === undefined) atEnd.push(failure);
    // What is older than all that is shown stands further up.
    else if (next !== items[0] || isWhole) before.set(next, [...(before.get(next) ?? []), failure]);
  }
  return { before, atEnd };
}

function Failures({ failures = [] }: { readonly failures?: readonly PastFailure[] | undefined }): ReactNode {
  return failures.map((failure) => (
    <li key={failure.eventId} className="thread-item" data-type="failure">
      <FailureView failure={failure} />
    </li>
  ));
}

/** From which item on, counted from the first there ever was: what is being read stays there while more comes. */
function useWindow({ type, thread }: ThreadView, isAtEnd: () => boolean) {
  const total = thread.dropped + thread.items.length;
  const [start, setStart] = useState<number | null>(null);
  if (start === null && type === "ready") setStart(Math.max(0, total - PAGE_LENGTH));
  const from = Math.max(thread.dropped, start ?? total - PAGE_LENGTH);
  useEffect(() => {
    if (total - from > AT_END_MAX && isAtEnd()) setStart(total - PAGE_LENGTH);
  }, [total, from, isAtEnd]);
  return { from, showEarlier: () => setStart(from - PAGE_LENGTH) };
}

function deliveryOf(
  status: AgentSession["queue"][number]["status"] | undefined,
): "queued" | "sending" | null {
  return status === "queued" || status === "sending" ? status : null;
}

function isNested(item: Item): boolean {
  return item.parentMessageId !== undefined;
}

function Lack({ view, retry }: { readonly view: ThreadView; readonly retry: () => void }): ReactNode {
  if (view.type === "failed")
    return (
      <p className="thread-note" role="alert">
        The thread cannot be read: {view.error.message}{" "}
        <button className="button button-small" onClick={retry}>
          Try again
        </button>
      </p>
    );
  if (view.thread.items.length > 0) return null;
  return <p className="thread-note">{view.type === "loading" ? "Loading…" : "No messages yet."}</p>;
}

/** Shows more as soon as somebody comes near. */
function Earlier({ left, show }: { readonly left: number; readonly show: () => void }): ReactNode {
  const button = useRef<HTMLButtonElement>(null);
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  useEffect(() => {
    const element = button.current;
    if (!element) return undefined;
    const near = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) latest.current();
    });
    near.observe(element);
    return () => near.disconnect();
  }, [left]);
  return (
    <button ref={button} className="button button-small thread-earlier" onClick={show}>
      {left.toLocaleString("en")} earlier
    </button>
  );
}
