import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { agentName } from "../../core/index.js";
import { useClient, useRoster, useSessions } from "../../react/hooks.js";
import type { Roster } from "../../react/roster-view.js";
import { useShortcuts } from "../keys/shortcuts.js";
import { newId } from "../new-session/creation.js";
import { failureWords } from "../parts/failure-words.js";
import "./message-bar.css";

interface Outcome {
  readonly isError: boolean;
  readonly words: string;
}

/** What is written, and to whom it goes. The one that was named when the writing began stays, whoever is connected. */
function useDraft(connected: string | null) {
  const [text, setText] = useState("");
  const [pinned, setPinned] = useState<string | null>(null);
  const change = (next: string) => {
    setText(next);
    if (next === "") setPinned(null);
    else if (text === "") setPinned(connected);
  };
  return { text, change, to: pinned ?? connected, pin: setPinned };
}

type Draft = ReturnType<typeof useDraft>;

function useSending({ text, change, to, pin }: Draft, titleOf: (sessionId: string) => string) {
  const client = useClient();
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const lost = useRef<{ readonly wish: string; readonly clientId: string } | null>(null);
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  const attempt = async (act: () => Promise<string>) => {
    try {
      setOutcome({ isError: false, words: await act() });
    } catch (error) {
      setOutcome({ isError: true, words: failureWords(error) });
    }
  };
  const sendTo = async (sessionId: string | null) => {
    if (text.trim() === "" || isSending || sessionId === null) return;
    setSending(true);
    await attempt(async () => {
      const wish = JSON.stringify([sessionId, text]);
      // Sent again after a lost answer, it is the same message.
      const clientId = lost.current?.wish === wish ? lost.current.clientId : newId();
      lost.current = { wish, clientId };
      const routed = await client.routeMessage({ text, sessionId, clientId });
      lost.current = null;
      // What was written meanwhile is not sent yet.
      if (latest.current === text) change("");
      const how = routed.status === "queued" ? "Queued for" : "Sent to";
      return `${how} ${titleOf(routed.sessionId)}`;
    });
    setSending(false);
  };
  const connect = (sessionId: string) =>
    attempt(async () => {
      await client.connect({ sessionId });
      if (text !== "") pin(sessionId);
      return `Connected: ${titleOf(sessionId)}`;
    });
  return { isSending, outcome, send: () => sendTo(to), sendTo, connect };
}

/** Writes to whoever is connected, and says who that is before anything is sent. */
export function MessageBar(): ReactNode {
  const { connected, seats } = useRoster();
  const titles = new Map(useSessions()?.map(({ id, title }) => [id, title]));
  const titleOf = (sessionId: string) => titles.get(sessionId) ?? sessionId;
  const draft = useDraft(connected);
  const { isSending, outcome, send, sendTo, connect } = useSending(draft, titleOf);
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcuts("Messages", [
    { keys: "m", label: "Write to the connected agent", run: () => field.current?.focus() },
  ]);
  const { text, to } = draft;
  if (to === null) return null;

  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") field.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      className="message-bar"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {to !== connected && (
        <Moved to={to} connected={connected} titleOf={titleOf} sendTo={(other) => void sendTo(other)} />
      )}
      <Receiver
        seats={seats.filter(({ status, sessionId }) => status !== "none" || sessionId === to)}
        to={to}
        titleOf={titleOf}
        connect={(sessionId) => void connect(sessionId)}
      />
      <textarea
        ref={field}
        className="textarea message-text"
        rows={1}
        enterKeyHint="send"
        value={text}
        aria-label={`Message to ${titleOf(to)}`}
        placeholder="Message the connected agent"
        onChange={(event) => draft.change(event.target.value)}
        onKeyDown={keys}
      />
      <button className="button button-primary" disabled={text.trim() === "" || isSending}>
        {isSending ? "Sending…" : "Send"}
      </button>
      <p className="message-outcome" role="status" data-error={outcome?.isError ?? false}>
        {outcome?.words}
      </p>
    </form>
  );
}

interface MovedProps {
  readonly to: string;
  readonly connected: string | null;
  readonly titleOf: (sessionId: string) => string;
  readonly sendTo: (sessionId: string) => void;
}

/** Another agent was connected while somebody wrote. */
function Moved({ to, connected, titleOf, sendTo }: MovedProps): ReactNode {
  return (
    <p className="message-moved" role="status">
      {connected === null ? "No agent is connected now." : `Now connected: ${titleOf(connected)}.`} This goes
      to {titleOf(to)}.
      {connected !== null && (
        <button type="button" className="button button-small" onClick={() => sendTo(connected)}>
          Send to {titleOf(connected)} instead
        </button>
      )}
    </p>
  );
}

interface ReceiverProps {
  readonly seats: Roster["seats"];
  readonly to: string;
  readonly titleOf: (sessionId: string) => string;
  readonly connect: (sessionId: string) => void;
}

/** Who gets the message; choosing another connects it. */
function Receiver({ seats, to, titleOf, connect }: ReceiverProps): ReactNode {
  return (
    <label className="message-to">
      <span>To</span>
      <select className="select" value={to} onChange={(event) => connect(event.target.value)}>
        {seats.map(({ sessionId, agent }) => (
          <option key={sessionId} value={sessionId}>
            {titleOf(sessionId)}
            {agent === null || agent === "" ? "" : ` · ${agentName(agent)}`}
          </option>
        ))}
      </select>
    </label>
  );
}
