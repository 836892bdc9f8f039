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
  /** `rules`: other than those that are suggested; for the project or for always. */
  readonly approve: (scope: Scope, rules?: readonly string[]) => void;
  readonly reject: (message: string) => void;
  readonly reply: (text: string) => void;
}

/** One answer per ask: what is pressed while it is under way, or after, does nothing. */
export function useAnswer(session: AgentSession, ask: Ask): Answering {
  const client = useClient();
  const [answer, setAnswer] = useState<Answer>({ type: "none" });
  const isLocked = useRef(false);
  const clientId = useRef<string | null>(null);
  /** What `act` gives back is said instead of `words`. */
  const send = async (words: string, act: (clientId: string) => Promise<string | null>) => {
    if (isLocked.current) return;
    isLocked.current = true;
    setAnswer({ type: "sending" });
    try {
      const other = await act((clientId.current ??= newClientId()));
      setAnswer({ type: "taken", words: other ?? words });
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
    approve: (scope, rules) =>
      void send(scope === "once" ? "Approved" : `Approved: ${SCOPE_WORDS[scope]}`, async (key) => {
        const isOther = rules !== undefined && (scope === "project" || scope === "always");
        const answered = { decision: "approve", scope: isOther ? "once" : scope, clientId: key } as const;
        await client.answerAsk(id, askId, answered);
        if (!isOther) return null;
        const { cwd } = session;
        try {
          for (const rule of rules) await client.addRule({ rule, effect: "grant", scope, cwd });
          return null;
        } catch (error) {
          return `Approved once. ${undoneWords("The rule was not added", error)}`;
        }
      }),
    reject: (message) => {
      const said = message.trim() === "" ? {} : { message };
      void send("Rejected", async (key) => {
        await client.answerAsk(id, askId, { decision: "reject", ...said, clientId: key });
        return null;
      });
    },
    reply: (text) =>
      void send("Answered", async (key) => {
        await client.sendMessage(id, { text, askId, clientId: key });
        return null;
      }),
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
