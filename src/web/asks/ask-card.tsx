import { useId, useMemo, useRef, type ReactNode } from "react";
import { agentName, askWords } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { usePlaces } from "../places/places.js";
import { Link, sessionPath } from "../routing/router.js";
import { DiffView } from "../session/text/diff-view.js";
import { looksLikeDiff } from "../session/text/diff-lines.js";
import { isLongText, LongText } from "../session/text/long-text.js";
import { exactText, proseText } from "../session/text/visible-text.js";
import { useNowMs } from "../time/now.js";
import { spanWords } from "../time/time-words.js";
import { ApprovalForm } from "./approval-form.js";
import { useOnScreen } from "./on-screen.js";
import { QuestionForm } from "./question-form.js";
import { useOpenTerminal } from "../session/open-terminal.js";
import { useAnswer, type Answer, type Answering, type Ask } from "./use-answer.js";
import "./ask-card.css";
import "../session/text/text.css";

interface Props {
  readonly session: AgentSession;
  readonly ask: Ask;
  /** Beside other sessions' asks: it says whose it is, and has a field of its own for an answer. */
  readonly isAmongOthers?: boolean;
  /** It is closed. */
  readonly isGone?: boolean;
  readonly children?: ReactNode;
}

const KINDS: Readonly<Record<string, string>> = {
  command: "Approve a command",
  tool: "Approve a tool",
  browser_action_launch: "Approve the browser",
  use_mcp_server: "Approve an MCP server's tool",
  network: "Reach a host",
  followup: "A question",
};

function kindOf({ ask, atTerminal }: Ask): string {
  return atTerminal === true ? "A dialog in the terminal" : (KINDS[ask] ?? ask);
}

/** One ask: what exactly it is about, and every way to answer it. */
export function AskCard({ session, ask, isAmongOthers = true, isGone = false, children }: Props): ReactNode {
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  useOnScreen(card, `${ask.title}\n${ask.detail}`);
  const answering = useAnswer(session, ask);
  const { answer } = answering;
  const isOver = isGone || answer.type === "taken" || answer.type === "elsewhere";
  return (
    <article
      ref={card}
      className="ask"
      tabIndex={-1}
      aria-labelledby={titleId}
      data-ask={ask.askId}
      data-gone={isOver || undefined}
    >
      <header className="ask-head">
        {children}
        <span className="ask-kind">{kindOf(ask)}</span>
        <Age openedAtMs={ask.openedAtMs} />
        {isAmongOthers && (
          <Link className="ask-session" to={sessionPath(session.id)}>
            {proseText(session.title)}
          </Link>
        )}
      </header>
      <Where session={session} />
      <What ask={ask} titleId={titleId} />
      {ask.atTerminal !== true && isFromScreen(session, ask) && (
        <p className="ask-note">
          Read from the terminal’s screen, which may show more. Look there when in doubt.
        </p>
      )}
      {ask.source === "wall" && (
        <p className="ask-note">
          The wall asks: this host is not on the agent’s list. Its connection is held for up to two minutes,
          then refused; the agent may go on meanwhile.
        </p>
      )}
      {!ask.needsHuman && <p className="ask-note">A rule may still answer this.</p>}
      {!isOver && <AnswerForm session={session} ask={ask} answering={answering} hasField={isAmongOthers} />}
      <Outcome answer={answer} isGone={isGone} />
    </article>
  );
}

interface FormProps {
  readonly session: AgentSession;
  readonly ask: Ask;
  readonly answering: Answering;
  readonly hasField: boolean;
}

function AnswerForm({ session, ask, answering, hasField }: FormProps): ReactNode {
  if (ask.atTerminal === true) return <AtTerminal session={session} />;
  if (ask.ask !== "followup") return <ApprovalForm session={session} ask={ask} answering={answering} />;
  return <QuestionForm session={session} ask={ask} answering={answering} hasField={hasField} />;
}

/** No rule knows the dialog, so that no button could mean anything. */
function AtTerminal({ session }: { readonly session: AgentSession }): ReactNode {
  const openTerminal = useOpenTerminal();
  return (
    <div className="ask-form">
      <p className="ask-note">
        This is what the terminal shows. Answer it there: Signalbox does not know its keys.
      </p>
      <div className="ask-actions">
        {openTerminal ? (
          <button className="button button-primary" onClick={openTerminal}>
            Open the terminal
          </button>
        ) : (
          <Link className="button button-primary" to={sessionPath(session.id)}>
            Open the terminal
          </Link>
        )}
      </div>
    </div>
  );
}

function isFromScreen({ harness }: AgentSession, { ask, tool }: Ask): boolean {
  return tool === "screen" || (ask === "followup" && harness === "terminal");
}

/** Where it would happen, and who asks. */
function Where({ session }: { readonly session: AgentSession }): ReactNode {
  const { name, branch } = usePlaces()(session);
  const { harness, agent, model, cwd } = session;
  const who = agentName(agent?.name ?? harness);
  return (
    <p className="ask-where">
      <span className="ask-project">{proseText(name)}</span>
      {branch !== null && <span className="mono">{proseText(branch)}</span>}
      <span className="mono ask-folder" title={cwd}>
        {exactText(cwd)}
      </span>
      <span>{model === null ? who : `${who}, ${model}`}</span>
    </p>
  );
}

/** All that it is about. It scrolls by itself, so that the buttons are never in view without it. */
function What({ ask, titleId }: { readonly ask: Ask; readonly titleId: string }): ReactNode {
  const { heading, isCommand, rest } = useMemo(() => askWords(ask), [ask]);
  return (
    <div className="ask-what" tabIndex={0} role="group" aria-label="What it asks for">
      <h2 id={titleId} className="ask-title" data-command={isCommand || undefined}>
        {exactText(heading)}
      </h2>
      {(ask.ask !== "followup" || ask.atTerminal === true) && (
        <Detail kind={ask.ask} text={rest} isBeside={isCommand} />
      )}
      <ToolName ask={ask} />
    </div>
  );
}

interface DetailProps {
  readonly kind: string;
  readonly text: string;
  /** The command is above: this is what is said of it. */
  readonly isBeside: boolean;
}

/** What will run, or the change that will be made, to the last character. */
function Detail({ kind, text: detail, isBeside }: DetailProps): ReactNode {
  if (detail.trim() === "") return null;
  // A command can be written so that it looks like a change.
  if (kind !== "command" && looksLikeDiff(detail)) return <DiffView diff={detail} linesMax={60} />;
  const text = exactText(detail);
  const shown = isLongText(text) ? <LongText text={text} /> : text;
  return isBeside ? <div className="ask-beside">{shown}</div> : <pre className="ask-detail">{shown}</pre>;
}

/** What the agent itself calls its tool: for who writes a rule. */
function ToolName({ ask: { ask, tool } }: { readonly ask: Ask }): ReactNode {
  if (tool === null || tool === "screen" || tool === ask) return null;
  return (
    <p className="ask-tool">
      The agent’s own name for it: <code>{exactText(tool)}</code>
    </p>
  );
}

function Age({ openedAtMs }: { readonly openedAtMs: number }): ReactNode {
  const nowMs = useNowMs();
  return <span className="ask-age">{spanWords(nowMs - openedAtMs)}</span>;
}

function Outcome({ answer, isGone }: { readonly answer: Answer; readonly isGone: boolean }): ReactNode {
  return (
    <p className="ask-outcome" role="status" data-answer={answer.type}>
      {outcomeOf(answer, isGone)}
    </p>
  );
}

function outcomeOf(answer: Answer, isGone: boolean): string {
  switch (answer.type) {
    case "taken":
      return `${answer.words}.`;
    case "elsewhere":
      return "Answered elsewhere.";
    case "failed":
      // Whatever became of the answer, nobody waits for another.
      return isGone ? "It is no longer waiting for an answer." : answer.problem;
    case "sending":
      return isGone ? "" : "Sending…";
    case "none":
      return isGone ? "Answered elsewhere." : "";
  }
}
