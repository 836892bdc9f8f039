import { useEffect, useState, type ReactNode } from "react";
import { STATUS_WORDS, type Status } from "../../core/index.js";
import { byWords } from "../../protocol/principal-words.js";
import type { Explanation } from "../../protocol/api-schemas.js";
import { useAgentSession, useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { StatusMark } from "../parts/status-mark.js";
import { OutputView } from "../session/text/output-view.js";
import { isNotKnown } from "../../protocol/session-words.js";
import { proseText } from "../session/text/visible-text.js";
import { useNowMs } from "../time/now.js";
import { clockTime, spanWords } from "../time/time-words.js";
import { MachineDiagram } from "./machine-diagram.js";
import "./explain.css";
import "../session/text/text.css";

const DELAY_MS = 300;

/** Why a session is in its status: the evidence, the machine, and the last changes. */
export function ExplainPanel({ id }: { readonly id: string }): ReactNode {
  const { session, status, ui } = useAgentSession(id);
  const { explanation, problem } = useExplanation(id, session?.position ?? 0);
  const turning = explanation?.changes.find(({ from, to }) => from !== to) ?? null;
  return (
    <section className="explain" aria-label="Why it is in this state" tabIndex={0}>
      <header className="explain-head">
        <h2>Why</h2>
        <StatusMark status={status} ui={ui} certainty={session?.certainty ?? "known"} />
      </header>
      {problem !== null && (
        <p className="explain-problem" role="alert">
          {problem}
        </p>
      )}
      {explanation && (
        <>
          {session && isNotKnown(session) && <NotKnown sinceMs={session.unknownSinceMs} />}
          <p className="explain-because">{proseText(explanation.because)}</p>
          <Facts explanation={explanation} />
          <MachineDiagram status={status} last={turning} />
          <h3>The last changes</h3>
          <ol className="explain-changes">
            {explanation.changes.map((change, index) => (
              <ChangeView key={`${change.atMs} ${index}`} change={change} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** What is explained is the last that was proven. */
function NotKnown({ sinceMs }: { readonly sinceMs: number | null }): ReactNode {
  const nowMs = useNowMs();
  const span = sinceMs === null ? "" : ` for ${spanWords(nowMs - sinceMs)}`;
  return (
    <p className="explain-because">
      Signalbox cannot read what the terminal shows{span}. The state below is the last one that was certain.
    </p>
  );
}

function useExplanation(id: string, position: number) {
  const client = useClient();
  const [explanation, setExplanation] = useState<Explanation | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      client.explain(id).then(
        (answer) => {
          if (isOver) return;
          setExplanation(answer);
          setProblem(null);
        },
        (error: unknown) => {
          if (!isOver) setProblem(readFailureWords(error));
        },
      );
    }, DELAY_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, id, position]);
  return { explanation, problem };
}

function Facts({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const nowMs = useNowMs();
  const { sinceMs, process, waitingFor } = explanation;
  return (
    <dl className="explain-facts">
      <dt>For</dt>
      <dd>{spanWords(nowMs - sinceMs)}</dd>
      <dt>Process</dt>
      <dd>{processWords(process)}</dd>
      <dt>Waiting for</dt>
      <dd>
        {waitingFor.length === 0 ? (
          "you"
        ) : (
          <ul>
            {waitingFor.map((each) => (
              <li key={each}>{proseText(each)}</li>
            ))}
          </ul>
        )}
      </dd>
    </dl>
  );
}

function processWords({ run, alive, pid }: Explanation["process"]): string {
  if (run === 0) return "not started";
  if (!alive) return `ended (run ${run})`;
  return pid === null ? `running (run ${run})` : `running, pid ${pid} (run ${run})`;
}

/** Where evidence comes from, best first. */
const SOURCES: Readonly<Record<string, string>> = {
  request: "a request",
  protocol: "the agent’s protocol",
  hooks: "the agent’s hooks",
  screen: "the terminal’s screen",
  process: "the agent’s process",
  timer: "a timer",
  rule: "a permission rule",
  daemon: "the daemon",
};

function wordOf(status: string): string {
  return Object.hasOwn(STATUS_WORDS, status) ? STATUS_WORDS[status as Status] : status;
}

function ChangeView({ change }: { readonly change: Explanation["changes"][number] }): ReactNode {
  const { atMs, from, to, reason, source, by, evidence } = change;
  const time = clockTime(atMs);
  return (
    <li className="explain-change">
      <time dateTime={new Date(atMs).toISOString()}>{time}</time>
      <div>
        <p>
          {from === to ? (
            <strong>{wordOf(to)}</strong>
          ) : (
            <>
              {wordOf(from)} → <strong>{wordOf(to)}</strong>
            </>
          )}
          <span className="explain-reason">
            {" "}
            {reason}, from {SOURCES[source] ?? source}
            {by && ` (${proseText(byWords(by))})`}
          </span>
        </p>
        {evidence !== null && (
          <details>
            <summary>
              Evidence: {evidence.type}, entry {evidence.seq}
            </summary>
            <OutputView text={JSON.stringify(evidence.body, null, 2)} linesMax={30} label="Evidence" />
          </details>
        )}
      </div>
    </li>
  );
}
