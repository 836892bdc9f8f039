import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { questionOf } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { keepDraft, readDraft } from "./drafts.js";
import { accepts } from "./requests.js";
import { proseText } from "./text/visible-text.js";
import { useUnsent, type Unsent } from "./unsent.js";
import "./composer.css";

const HEIGHT_MAX_PX = 240;
/** Of a message that is not sent yet, more than there is room for. */
const SHOWN_LENGTH_MAX = 500;
const KEYS_NOTE = <span className="keys-note">Enter sends, Shift + Enter begins a new line.</span>;

/** Sends to one session, whatever it does; what the agent cannot take now waits for it. */
export function Composer({ session }: { readonly session: AgentSession }): ReactNode {
  const { id, status, ui } = session;
  const [text, setText] = useState(() => readDraft(id));
  const field = useRef<HTMLTextAreaElement>(null);
  const { unsent, send, again, drop } = useUnsent(id);
  useFocusWhenAsked(session, field);
  useGrowing(field, text);
  useShortcuts("Message", [{ keys: "m", label: "Write a message", run: () => field.current?.focus() }]);
  const canSend = accepts(status, "send_message");
  const change = (next: string) => {
    setText(next);
    keepDraft(id, next);
  };
  const submit = () => {
    if (text.trim() === "" || !canSend) return;
    send(text, questionOf(session));
    change("");
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <UnsentList
        unsent={unsent}
        again={again}
        edit={(each) => {
          drop(each.clientId);
          change(text === "" ? each.text : `${each.text}\n${text}`);
          field.current?.focus();
        }}
      />
      <div className="composer-row">
        <textarea
          ref={field}
          className="textarea composer-field"
          aria-label={`Message to ${session.title}`}
          aria-describedby="composer-note"
          placeholder={placeholder(session)}
          rows={1}
          enterKeyHint="send"
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => onKey(event, submit)}
        />
        <button className="button button-primary" disabled={!canSend || text.trim() === ""}>
          {ui.inputEnabled || status === "error" ? "Send" : "Queue"}
        </button>
      </div>
      <p id="composer-note" className="composer-note">
        {noteWords(session)}
      </p>
    </form>
  );
}

function onKey(event: KeyboardEvent<HTMLTextAreaElement>, submit: () => void): void {
  if (event.key === "Escape") event.currentTarget.blur();
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  submit();
}

function placeholder({ asks, status, title }: AgentSession): string {
  if (status === "waiting_input") return `Answer: ${proseText(asks[0]?.title ?? "")}`;
  return `Message to ${proseText(title)}`;
}

/** What becomes of a message that is sent now. */
function noteWords({ status, queue }: AgentSession): ReactNode {
  const waiting = queue.filter((each) => each.status === "queued").length;
  const more = waiting === 0 ? "" : ` ${waiting} ${waiting === 1 ? "waits" : "wait"} already.`;
  switch (status) {
    case "idle":
      return "It has not been started: there is nobody to take a message.";
    case "creating":
    case "streaming":
      return `It works. A message waits until the turn is over.${more}`;
    case "waiting_approval":
      return `It waits for your approval. A message waits until the turn is over.${more}`;
    case "waiting_input":
      return "What you send is the answer to its question.";
    case "error":
      return `A message makes it try again.${more}`;
    case "completed":
    case "paused":
    case "stopped":
      return waiting === 0 ? KEYS_NOTE : more.trim();
  }
}

interface UnsentListProps {
  readonly unsent: readonly Unsent[];
  readonly again: (each: Unsent) => void;
  readonly edit: (each: Unsent) => void;
}

function UnsentList({ unsent, again, edit }: UnsentListProps): ReactNode {
  if (unsent.length === 0) return null;
  return (
    <ul className="unsent" aria-label="Not sent yet">
      {unsent.map((each) => (
        <li key={each.clientId} className="unsent-line" data-failed={each.problem !== null}>
          <span className="unsent-text">{each.text.slice(0, SHOWN_LENGTH_MAX)}</span>
          {each.problem === null ? (
            <span className="quiet">sending</span>
          ) : (
            <>
              <span className="unsent-problem" role="alert">
                {each.problem}
              </span>
              <button type="button" className="button button-small" onClick={() => again(each)}>
                Try again
              </button>
              <button type="button" className="button button-small button-plain" onClick={() => edit(each)}>
                Edit
              </button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** When the session begins to ask, and at no other time; and not away from where somebody types or reads. */
function useFocusWhenAsked(session: AgentSession, field: RefObject<HTMLTextAreaElement | null>): void {
  const question = questionOf(session);
  useEffect(() => {
    if (question === null || isElsewhere() || document.querySelector("dialog[open]") !== null) return;
    field.current?.focus({ preventScroll: true });
  }, [question, field]);
}

/** The focus is in something that somebody chose, and not where a view leaves it. */
function isElsewhere(): boolean {
  const { activeElement, body } = document;
  return activeElement !== null && activeElement !== body && activeElement.id !== "main";
}

/** As high as its text, up to a bound. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(HEIGHT_MAX_PX, element.scrollHeight + 2)}px`;
  }, [field, text]);
}
