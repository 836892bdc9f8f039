import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
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

/** What is written, to whom it goes, and what came of it. */
function useMessage(connected: string | null, titleOf: (sessionId: string) => string) {
  const client = useClient();
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const attempt = async (act: () => Promise<string>) => {
    try {
      setOutcome({ isError: false, words: await act() });
    } catch (error) {
      setOutcome({ isError: true, words: failureWords(error) });
    }
  };
  const lost = useRef<{ readonly wish: string; readonly clientId: string } | null>(null);
  const send = async () => {
    if (text.trim() === "" || isSending || connected === null) return;
    setSending(true);
    // To the one that is named here, even if another has just been connected.
    await attempt(async () => {
      const wish = JSON.stringify([connected, text]);
      // Sent again after a lost answer, it is the same message.
      const clientId = lost.current?.wish === wish ? lost.current.clientId : newId();
      lost.current = { wish, clientId };
      const routed = await client.routeMessage({ text, sessionId: connected, clientId });
      lost.current = null;
      // What was written meanwhile is not sent yet.
      setText((now) => (now === text ? "" : now));
      const how = routed.status === "queued" ? "Queued for" : "Sent to";
      return `${how} ${titleOf(routed.sessionId)}`;
    });
    setSending(false);
  };
  const connect = (sessionId: string) =>
    attempt(async () => {
      await client.connect({ sessionId });
      return `Messages go to ${titleOf(sessionId)}`;
    });
  return { text, setText, isSending, outcome, send, connect };
}

/** Writes to whoever is connected, and says who that is before anything is sent. */
export function MessageBar(): ReactNode {
  const { connected, seats } = useRoster();
  const titles = new Map(useSessions()?.map(({ id, title }) => [id, title]));
  const titleOf = (sessionId: string) => titles.get(sessionId) ?? sessionId;
  const { text, setText, isSending, outcome, send, connect } = useMessage(connected, titleOf);
  const field = useRef<HTMLTextAreaElement>(null);
  useShortcuts("Messages", [
    { keys: "m", label: "Write to the connected agent", run: () => field.current?.focus() },
  ]);
  if (connected === null) return null;

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
      <Receiver
        seats={seats.filter(({ status }) => status !== "none")}
        connected={connected}
        titleOf={titleOf}
        connect={(sessionId) => void connect(sessionId)}
      />
      <textarea
        ref={field}
        className="textarea message-text"
        rows={1}
        enterKeyHint="send"
        value={text}
        aria-label={`Message to ${titleOf(connected)}`}
        placeholder="Message the connected agent"
        onChange={(event) => setText(event.target.value)}
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

interface ReceiverProps {
  readonly seats: Roster["seats"];
  readonly connected: string;
  readonly titleOf: (sessionId: string) => string;
  readonly connect: (sessionId: string) => void;
}

/** Who gets the message; choosing another connects it. */
function Receiver({ seats, connected, titleOf, connect }: ReceiverProps): ReactNode {
  return (
    <label className="message-to">
      <span>To</span>
      <select className="select" value={connected} onChange={(event) => connect(event.target.value)}>
        {seats.map(({ sessionId, agent }) => (
          <option key={sessionId} value={sessionId}>
            {titleOf(sessionId)}
            {agent === null || agent === "" ? "" : ` · ${agent}`}
          </option>
        ))}
      </select>
    </label>
  );
}
