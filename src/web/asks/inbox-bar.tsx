import { useState, type ReactNode } from "react";
import { useClient } from "../../react/hooks.js";
import { newClientId } from "../session/requests.js";
import { useActions } from "../session/use-action.js";
import { askKey, type ShownAsk } from "./use-lingering.js";

interface Props {
  readonly approvals: readonly ShownAsk[];
  readonly selected: readonly ShownAsk[];
  readonly onSelect: (keys: readonly string[]) => void;
  /** What became of each that was not taken. */
  readonly onOutcomes: (outcomes: ReadonlyMap<string, string>) => void;
}

/** Answers several at once, each once. */
export function InboxBar({ approvals, selected, onSelect, onOutcomes }: Props): ReactNode {
  const client = useClient();
  const { pending, problem, run } = useActions();
  const [message, setMessage] = useState<string | null>(null);
  const isAll = selected.length === approvals.length;
  const answer = (decision: "approve" | "reject") => {
    const said = decision === "reject" && message !== null && message.trim() !== "" ? { message } : {};
    const answers = selected.map(({ session, ask }) => ({
      ...{ sessionId: session.id, askId: ask.askId, decision },
      ...said,
    }));
    void run(decision, async () => {
      const { items } = await client.answerAsks({ answers, clientId: newClientId() });
      onOutcomes(new Map(items.flatMap(flawOf)));
      onSelect([]);
      setMessage(null);
    });
  };
  const isDisabled = selected.length === 0 || pending !== null;
  return (
    <div className="inbox-bar" role="group" aria-label="Several at once">
      <label className="inbox-all">
        <input
          type="checkbox"
          checked={isAll}
          onChange={() => onSelect(isAll ? [] : approvals.map(({ key }) => key))}
        />
        <span>{selected.length === 0 ? "Select all" : `${selected.length} selected`}</span>
      </label>
      <button className="button button-primary" disabled={isDisabled} onClick={() => answer("approve")}>
        Approve selected
      </button>
      {message === null ? (
        <button className="button" disabled={isDisabled} onClick={() => setMessage("")}>
          Reject selected…
        </button>
      ) : (
        <form
          className="inbox-reject"
          onSubmit={(event) => {
            event.preventDefault();
            answer("reject");
          }}
        >
          <input
            className="input"
            aria-label="Reason, for all of them"
            placeholder="Reason (optional)"
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
          <button className="button button-danger" disabled={isDisabled}>
            Reject
          </button>
        </form>
      )}
      {problem !== null && (
        <p className="inbox-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface Outcome {
  readonly sessionId: string;
  readonly askId: string;
  readonly ok: boolean;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
}

function flawOf({ sessionId, askId, ok, code, detail }: Outcome): [string, string][] {
  if (ok) return [];
  const words = code === "ask_stale" ? "Answered elsewhere." : `Not answered: ${detail ?? code ?? "refused"}`;
  return [[askKey(sessionId, askId), words]];
}
