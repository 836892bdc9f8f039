import { useRef, useState, type ReactNode } from "react";
import { useSessions } from "../../react/hooks.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { AskCard } from "./ask-card.js";
import { AskKeys } from "./ask-keys.js";
import { InboxBar } from "./inbox-bar.js";
import { askKey, useLingering, type ShownAsk } from "./use-lingering.js";
import "./inbox.css";

/** Every open ask of every session, oldest first. */
export function InboxPage(): ReactNode {
  const sessions = useSessions();
  const asks = useLingering(
    (sessions ?? [])
      .flatMap((session) => session.asks.map((ask) => ({ key: askKey(session.id, ask.askId), session, ask })))
      .toSorted((a, b) => a.ask.openedAtMs - b.ask.openedAtMs),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, string>>(new Map());
  const root = useRef<HTMLElement>(null);
  useShortcuts("Inbox", [{ keys: "x", label: "Select", run: () => toggleFocused(root.current) }]);
  const open = asks.filter(({ isGone }) => !isGone);
  const approvals = open.filter(({ ask }) => isApprovedHere(ask));
  const selected = approvals.filter(({ key }) => chosen.has(key));
  const toggle = (key: string) => {
    const next = new Set(chosen);
    if (!next.delete(key)) next.add(key);
    setChosen(next);
  };
  return (
    <section className="page inbox" ref={root}>
      <header className="inbox-head">
        <h1 tabIndex={-1}>Inbox</h1>
        {open.length > 0 && <p className="quiet">{openWords(open.length)}</p>}
      </header>
      {approvals.length > 1 && (
        <InboxBar
          approvals={approvals}
          selected={selected}
          onSelect={(keys) => setChosen(new Set(keys))}
          onOutcomes={setOutcomes}
        />
      )}
      {asks.length === 0 && <Nothing isKnown={sessions !== null} />}
      {asks.length > 0 && <AskKeys root={root} />}
      <div className="inbox-asks">
        {asks.map(({ key, session, ask, isGone }) => (
          <div key={key} className="inbox-ask">
            <AskCard session={session} ask={ask} isGone={isGone}>
              {isApprovedHere(ask) && approvals.length > 1 && (
                <Chooser shown={{ key, session, ask, isGone }} isChosen={chosen.has(key)} toggle={toggle} />
              )}
            </AskCard>
            {outcomes.has(key) && (
              <p className="inbox-outcome" role="status">
                {outcomes.get(key)}
              </p>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

function isApprovedHere({ ask, atTerminal }: ShownAsk["ask"]): boolean {
  return ask !== "followup" && atTerminal !== true;
}

function openWords(count: number): string {
  return count === 1
    ? "1 request is waiting for you."
    : `${count} requests are waiting for you, oldest first.`;
}

function Nothing({ isKnown }: { readonly isKnown: boolean }): ReactNode {
  return (
    <p className="inbox-nothing">
      {isKnown ? "Nothing is waiting for you. Questions and approvals appear here." : "Loading…"}
    </p>
  );
}

interface ChooserProps {
  readonly shown: ShownAsk;
  readonly isChosen: boolean;
  readonly toggle: (key: string) => void;
}

function Chooser({ shown: { key, ask, isGone }, isChosen, toggle }: ChooserProps): ReactNode {
  return (
    <input
      type="checkbox"
      className="inbox-chooser"
      data-action="choose"
      aria-label={`Select: ${ask.title}`}
      checked={isChosen}
      disabled={isGone}
      onChange={() => toggle(key)}
    />
  );
}

function toggleFocused(root: HTMLElement | null): void {
  const asks = [...(root?.querySelectorAll("article.ask") ?? [])];
  const ask = asks.find((each) => each.contains(document.activeElement));
  ask?.querySelector<HTMLElement>('[data-action="choose"]')?.click();
}
