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
import { hasNobody, isNotKnown, isShellSession } from "../../protocol/session-words.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { keepDraft, readDraft } from "./drafts.js";
import { useOpenTerminal } from "./open-terminal.js";
import { accepts, newClientId } from "./requests.js";
import { ReturnedList } from "./returned-list.js";
import { proseText } from "./text/visible-text.js";
import { useUnsent, type Unsent } from "./unsent.js";
import { useActions } from "./use-action.js";
import "./composer.css";

const HEIGHT_MAX_PX = 240;
/** Of a message that is not sent yet, more than there is room for. */
const SHOWN_LENGTH_MAX = 500;
const SHORT_ID_LENGTH = 8;
const KEYS_NOTE = <span className="keys-note">Enter sends, Shift+Enter starts a new line.</span>;

/** Sends to one session, whatever it does; what the agent cannot take now waits for it. */
export function Composer({ session }: { readonly session: AgentSession }): ReactNode {
  const nobody = nobodyWords(session);
  return (
    <div className="composer">
      <ReturnedList session={session} />
      {nobody === null ? <MessageForm session={session} /> : <Nobody session={session} words={nobody} />}
    </div>
  );
}

/** Why nothing that is written here would be taken; null when it would. */
function nobodyWords(session: AgentSession): string | null {
  if (isShellSession(session))
    return "This is a shell without an agent, so there is nobody to send a message to.";
  if (hasNobody(session)) return "No agent is running here.";
  const question = questionOf(session);
  const isAtTerminal = session.asks.some(
    ({ askId, atTerminal }) => askId === question && atTerminal === true,
  );
  return isAtTerminal ? "The agent shows a dialog that can only be answered in the terminal." : null;
}

/** No field for what would be refused. */
function Nobody({ session, words }: { readonly session: AgentSession; readonly words: string }): ReactNode {
  const openTerminal = useOpenTerminal();
  const canType = session.ui.canCancel;
  return (
    <div className="composer-nobody">
      <p className="composer-nobody-words">
        {words} {canType && "Type in the terminal, or run: "}
        {canType && <code>signalbox type {session.id.slice(0, SHORT_ID_LENGTH)} TEXT</code>}
      </p>
      {canType && openTerminal && (
        <button type="button" className="button" onClick={openTerminal}>
          Open the terminal
        </button>
      )}
    </div>
  );
}

function MessageForm({ session }: { readonly session: AgentSession }): ReactNode {
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
  const submit = (force = false) => {
    if (text.trim() === "" || !canSend) return;
    send(text, questionOf(session), force);
    change("");
  };
  const isSent = (ui.inputEnabled || status === "error") && !isNotKnown(session);
  return (
    <form
      className="composer-form"
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
      <div className="composer-row" data-unknown={isNotKnown(session) || undefined}>
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
          {isSent ? "Send" : "Queue"}
        </button>
        {isNotKnown(session) && <SendAnyway session={session} text={text} submit={() => submit(true)} />}
      </div>
      <p id="composer-note" className="composer-note">
        {noteWords(session)}
      </p>
    </form>
  );
}

interface AnywayProps {
  readonly session: AgentSession;
  readonly text: string;
  readonly submit: () => void;
}

/** Somebody has looked at the terminal and knows that it takes a message. Without a text, the first that waits goes. */
function SendAnyway({ session, text, submit }: AnywayProps): ReactNode {
  const client = useClient();
  const actions = useActions();
  const first = session.queue.find(({ status }) => status === "queued");
  const isEmpty = text.trim() === "";
  const sendFirst = () => {
    if (!first) return;
    const wish = { resend: first.messageId, force: true, clientId: newClientId() };
    void actions.run("force", () => client.sendMessage(session.id, wish));
  };
  return (
    <>
      <button
        type="button"
        className="button"
        title="You have looked at the terminal: it takes a message now"
        disabled={(isEmpty && !first) || actions.pending !== null}
        onClick={isEmpty ? sendFirst : submit}
      >
        Send anyway
      </button>
      {actions.problem !== null && (
        <span className="unsent-problem" role="alert">
          {actions.problem}
        </span>
      )}
    </>
  );
}

function onKey(event: KeyboardEvent<HTMLTextAreaElement>, submit: () => void): void {
  if (event.key === "Escape") event.currentTarget.blur();
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  submit();
}

function placeholder(session: AgentSession): string {
  const question = questionOf(session);
  const asked = session.asks.find(({ askId }) => askId === question);
  return asked ? `Answer: ${proseText(asked.title)}` : `Message to ${proseText(session.title)}`;
}

/** What becomes of a message that is sent now. */
function noteWords(session: AgentSession): ReactNode {
  const { status, queue } = session;
  const waiting = queue.filter((each) => each.status === "queued").length;
  const more = waiting === 0 ? "" : ` ${waiting} already queued.`;
  if (isNotKnown(session))
    return `Signalbox cannot read what the terminal shows. Messages are queued until it can.${more} Look at the terminal first; then you can send anyway.`;
  switch (status) {
    case "idle":
      return "Not started yet: there is nobody to send a message to.";
    case "creating":
    case "streaming":
      return `The agent is working. Messages are queued until the turn is over.${more}`;
    case "waiting_approval":
      return `The agent is waiting for your approval. Messages are queued until the turn is over.${more}`;
    case "waiting_input":
      return "Your message answers the question.";
    case "error":
      return `A message retries the turn.${more}`;
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
