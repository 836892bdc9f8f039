import { useMemo, useState, type ReactNode } from "react";
import { questionOf } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { exactText } from "../session/text/visible-text.js";
import { choicesIn, type Choice } from "./choices.js";
import type { Answering, Ask } from "./use-answer.js";

interface Props {
  readonly session: AgentSession;
  readonly ask: Ask;
  readonly answering: Answering;
  /** Without one, the session's own message field is for answers in words. */
  readonly hasField: boolean;
}

export function QuestionForm({ session, ask, answering, hasField }: Props): ReactNode {
  const { text, items, isMultiple } = useMemo(
    () => choicesIn(ask.title, ask.detail),
    [ask.title, ask.detail],
  );
  const isSending = answering.answer.type === "sending";
  const isNext = questionOf(session) === ask.askId;
  const isDisabled = isSending || !isNext;
  return (
    <div className="ask-form">
      {text !== "" && <p className="ask-question">{exactText(text)}</p>}
      {isMultiple ? (
        <Several items={items} isDisabled={isDisabled} reply={answering.reply} />
      ) : (
        <OneOf items={items} isDisabled={isDisabled} reply={answering.reply} />
      )}
      {hasField && <InWords isDisabled={isDisabled} reply={answering.reply} hasChoices={items.length > 0} />}
      {!isNext && <p className="ask-note">Answer the earlier question first.</p>}
      {isNext && !hasField && (
        <p className="ask-note">
          {items.length > 0 ? "Or answer in your own words below." : "Answer below."}
        </p>
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly items: readonly Choice[];
  readonly isDisabled: boolean;
  readonly reply: (text: string) => void;
}

function OneOf({ items, isDisabled, reply }: ChoicesProps): ReactNode {
  if (items.length === 0) return null;
  return (
    <div className="ask-actions ask-choices" role="group" aria-label="Choices">
      {items.map((choice) => (
        <button
          key={choice.label}
          className="button"
          disabled={isDisabled}
          onClick={() => reply(choice.reply)}
        >
          {exactText(choice.label)}
        </button>
      ))}
    </div>
  );
}

function Several({ items, isDisabled, reply }: ChoicesProps): ReactNode {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (label: string) => {
    const next = new Set(chosen);
    if (!next.delete(label)) next.add(label);
    setChosen(next);
  };
  const replies = items.filter(({ label }) => chosen.has(label)).map((choice) => choice.reply);
  return (
    <>
      <div className="ask-several" role="group" aria-label="Choices, several possible">
        {items.map(({ label }) => (
          <label key={label} className="ask-several-choice">
            <input
              type="checkbox"
              checked={chosen.has(label)}
              disabled={isDisabled}
              onChange={() => toggle(label)}
            />
            <span>{exactText(label)}</span>
          </label>
        ))}
      </div>
      <div className="ask-actions">
        <button
          className="button button-primary"
          disabled={isDisabled || replies.length === 0}
          onClick={() => reply(replies.join(", "))}
        >
          Answer
        </button>
      </div>
    </>
  );
}

interface WordsProps {
  readonly isDisabled: boolean;
  readonly hasChoices: boolean;
  readonly reply: (text: string) => void;
}

function InWords({ isDisabled, hasChoices, reply }: WordsProps): ReactNode {
  const [text, setText] = useState("");
  return (
    <form
      className="ask-words"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") reply(text);
      }}
    >
      <input
        className="input"
        aria-label="Answer in your own words"
        placeholder={hasChoices ? "Or in your own words" : "Answer"}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <button className="button" disabled={isDisabled || text.trim() === ""}>
        Answer
      </button>
    </form>
  );
}
