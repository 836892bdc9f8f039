import { useRef, useState } from "react";
import { SignalboxError } from "../../client/signalbox-error.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { undoneWords } from "../parts/failure-words.js";
import { newClientId } from "../session/requests.js";

export type Ask = AgentSession["asks"][number];
export type Scope = "once" | "session" | "project" | "always";

/** What became of an answer of this page. */
export type Answer =
  | { readonly type: "none" }
  | { readonly type: "sending" }
  | { readonly type: "taken"; readonly words: string }
  /** Somebody else was first. */
  | { readonly type: "elsewhere" }
  | { readonly type: "failed"; readonly problem: string };

export interface Answering {
  readonly answer: Answer;
  readonly approve: (scope: Scope) => void;
  readonly reject: (message: string) => void;
  readonly reply: (text: string) => void;
}

/** One answer per ask: what is pressed while it is under way, or after, does nothing. */
export function useAnswer(session: AgentSession, ask: Ask): Answering {
  const client = useClient();
  const [answer, setAnswer] = useState<Answer>({ type: "none" });
  const isLocked = useRef(false);
  const clientId = useRef<string | null>(null);
  const send = async (words: string, act: (clientId: string) => Promise<unknown>) => {
    if (isLocked.current) return;
    isLocked.current = true;
    setAnswer({ type: "sending" });
    try {
      await act((clientId.current ??= newClientId()));
      setAnswer({ type: "taken", words });
    } catch (error) {
      if (isStale(error)) setAnswer({ type: "elsewhere" });
      else {
        isLocked.current = false;
        // Another answer is another request.
        if (error instanceof SignalboxError) clientId.current = null;
        setAnswer({ type: "failed", problem: undoneWords("Not answered", error) });
      }
    }
  };
  const { id } = session;
  const { askId } = ask;
  return {
    answer,
    approve: (scope) =>
      void send(scope === "once" ? "Approved" : `Approved: ${SCOPE_WORDS[scope]}`, (key) =>
        client.answerAsk(id, askId, { decision: "approve", scope, clientId: key }),
      ),
    reject: (message) => {
      const said = message.trim() === "" ? {} : { message };
      void send("Rejected", (key) =>
        client.answerAsk(id, askId, { decision: "reject", ...said, clientId: key }),
      );
    },
    reply: (text) => void send("Answered", (key) => client.sendMessage(id, { text, askId, clientId: key })),
  };
}

export const SCOPE_WORDS: Readonly<Record<Scope, string>> = {
  once: "once",
  session: "for this session",
  project: "in this project",
  always: "always",
};

function isStale(error: unknown): boolean {
  return (
    error instanceof SignalboxError && (error.code === "ask_stale" || error.code === "session_not_found")
  );
}
