import { useEffect, useId, useRef, useState, type ReactNode } from "react";
import type { AgentSession } from "../../react/agent-session.js";
import { useOwnRole } from "../settings/own-role.js";
import { RuleFields, useRuleTests } from "./rule-fields.js";
import { SCOPE_WORDS, type Answering, type Ask, type Scope } from "./use-answer.js";

interface Props {
  readonly session: AgentSession;
  readonly ask: Ask;
  readonly answering: Answering;
}

const SCOPES: readonly Scope[] = ["once", "session", "project", "always"];
/** An answer that is kept is a rule, and rules are the owner's. */
const OF_OWNERS: ReadonlySet<Scope> = new Set(["project", "always"]);

export function ApprovalForm({ session, ask, answering }: Props): ReactNode {
  const [scope, setScope] = useState<Scope>("once");
  const [edited, setEdited] = useState<readonly string[] | null>(null);
  const isEditable = OF_OWNERS.has(scope);
  const rules = isEditable ? (edited ?? ask.suggestions) : ask.suggestions;
  const tests = useRuleTests(session, ask, scope === "once" ? null : rules);
  const [isRejecting, setRejecting] = useState(false);
  const isSending = answering.answer.type === "sending";
  if (isRejecting)
    return <Rejection answering={answering} isSending={isSending} onLeave={() => setRejecting(false)} />;
  return (
    <div className="ask-form">
      <ScopeChoice ask={ask} scope={scope} onChange={setScope} />
      {scope !== "once" && (
        <RuleFields
          rules={rules}
          suggested={ask.suggestions}
          onChange={isEditable ? setEdited : null}
          tests={tests}
        />
      )}
      <div className="ask-actions">
        <button
          className="button button-primary"
          data-action="approve"
          disabled={isSending || (isEditable && tests.flaw !== null)}
          onClick={() => answering.approve(scope, isEditable && edited !== null ? edited : undefined)}
        >
          {scope === "once" ? "Approve" : `Approve ${SCOPE_WORDS[scope]}`}
        </button>
        <button
          className="button"
          data-action="reject"
          disabled={isSending}
          onClick={() => setRejecting(true)}
        >
          Reject…
        </button>
      </div>
    </div>
  );
}

interface ScopeProps {
  readonly ask: Ask;
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
}

/** How far an approval reaches, and which rules it would grant. */
function ScopeChoice({ ask, scope, onChange }: ScopeProps): ReactNode {
  const { suggestions } = ask;
  // Not the ask's id: asks of two sessions may have the same.
  const name = useId();
  const isFixed = suggestions.length === 0;
  const role = useOwnRole();
  const offered = SCOPES.filter((each) => role === "own" || !OF_OWNERS.has(each));
  return (
    <fieldset className="scope">
      <legend className="visually-hidden">How far the approval reaches</legend>
      <div className="scope-choices">
        {offered.map((each) => (
          <label key={each} className="scope-choice">
            <input
              type="radio"
              name={name}
              checked={scope === each}
              disabled={isFixed && each !== "once"}
              onChange={() => onChange(each)}
            />
            <span>{SCOPE_WORDS[each]}</span>
          </label>
        ))}
      </div>
      <p className="scope-note">
        {isFixed ? "No rule can allow this: it can only be approved once." : grantWords(scope)}
      </p>
    </fieldset>
  );
}

function grantWords(scope: Scope): string {
  switch (scope) {
    case "once":
      return "Only this once. You are asked again next time.";
    case "session":
      return "Also grants, until the session is deleted:";
    case "project":
      return "Also grants, for every agent in this folder:";
    case "always":
      return "Also grants, for every agent everywhere:";
  }
}

interface RejectionProps {
  readonly answering: Answering;
  readonly isSending: boolean;
  readonly onLeave: () => void;
}

function Rejection({ answering, isSending, onLeave }: RejectionProps): ReactNode {
  const [message, setMessage] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // Somebody just pressed a button to get here.
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      className="ask-form"
      onSubmit={(event) => {
        event.preventDefault();
        answering.reject(message);
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") onLeave();
      }}
    >
      <label className="field">
        <span className="field-note">What to do instead (optional)</span>
        <input
          ref={field}
          className="input"
          aria-label="Why, or what to do instead"
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </label>
      <div className="ask-actions">
        <button className="button button-danger" disabled={isSending}>
          Reject
        </button>
        <button type="button" className="button button-plain" disabled={isSending} onClick={onLeave}>
          Back
        </button>
      </div>
    </form>
  );
}
