import { useState, type ReactNode } from "react";
import type { Client } from "../../client/client.js";
import type { Workspace } from "../../protocol/workspace.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useAgentSession, useClient, useThread } from "../../react/hooks.js";
import { newClientId } from "../session/requests.js";
import { OutputView } from "../session/text/output-view.js";
import { proseText } from "../session/text/visible-text.js";
import { useActions, type Actions } from "../session/use-action.js";
import { CheckMark } from "./check-mark.js";
import { DiscardDialog } from "./discard-dialog.js";
import {
  FINISH_CHOICES,
  mendWords,
  planFor,
  proposedMessage,
  stateWords,
  type FinishChoice,
  type FinishPlan,
  type Hindrance,
  type Remedy,
} from "./finish-plan.js";
import { RequestState } from "./request-state.js";
import { useWorkspace, type WorkspaceView } from "./use-workspace.js";
import "./finish-bar.css";

interface Props {
  readonly sessionId: string;
  /** Only while the workspace needs somebody, or is not there yet. */
  readonly isBrief?: boolean;
}

/** What becomes of the change of a session that has a workspace; nothing for others. */
export function FinishBar({ sessionId, isBrief = false }: Props): ReactNode {
  const { session } = useAgentSession(sessionId);
  if (session?.workspaceId === undefined) return null;
  return <Bar key={session.id} session={session} isBrief={isBrief} />;
}

/** In which a session cannot go on, or its change is not finished as was wanted. */
const TOLD_BRIEFLY: ReadonlySet<Workspace["status"]> = new Set(["preparing", "failed", "conflicted"]);

interface Shared {
  readonly session: AgentSession;
  readonly workspace: Workspace;
  readonly actions: Actions;
  readonly act: Act;
}

/** Does something with the workspace, and shows how it is afterwards. */
type Act = (name: string, call: (client: Client, id: string) => Promise<Workspace>) => void;

interface BarProps {
  readonly session: AgentSession;
  readonly isBrief: boolean;
}

function Bar({ session, isBrief }: BarProps): ReactNode {
  const client = useClient();
  const actions = useActions();
  const view = useWorkspace(session, !isBrief);
  const { workspace } = view;
  const act: Act = (name, call) =>
    void actions.run(name, async () => {
      try {
        view.put(await call(client, session.id));
      } catch (error) {
        // It was refused for how it is now: that is to be seen.
        await view.look();
        throw error;
      }
    });
  if (isBrief && !(workspace && TOLD_BRIEFLY.has(workspace.status))) return null;
  return (
    <section className="finish" aria-label="Workspace" data-workspace={workspace?.status}>
      {workspace ? (
        <Inside session={session} workspace={workspace} actions={actions} act={act} view={view} />
      ) : (
        <p className="quiet">{view.problem ?? "Looking at the workspace…"}</p>
      )}
      {workspace && view.problem !== null && <p className="finish-problem">{view.problem}</p>}
      {actions.problem !== null && (
        <p className="finish-problem" role="alert">
          <span>{proseText(actions.problem)}</span>
          <button className="button button-small" onClick={actions.dismiss}>
            Dismiss
          </button>
        </p>
      )}
    </section>
  );
}

function Inside({ view, ...shared }: Shared & { readonly view: WorkspaceView }): ReactNode {
  const { workspace } = shared;
  const [how, setHow] = useState<FinishChoice>("squash");
  const [isDiscarding, setDiscarding] = useState(false);
  const [message, setMessage] = useMessage(shared.session);
  const plan = planFor(workspace, how);
  const state = stateWords(workspace);
  const isForm = workspace.status === "ready" || (workspace.status === "merged" && plan.will !== null);
  return (
    <>
      {state !== null && <State {...shared} words={state} onDiscard={() => setDiscarding(true)} />}
      {isForm && (
        <Form
          {...shared}
          {...{ plan, how, message, setMessage }}
          choose={setHow}
          onDiscard={() => setDiscarding(true)}
        />
      )}
      {(isForm || workspace.status === "failed" || workspace.status === "conflicted") && (
        <Hindrances
          {...shared}
          {...{ plan, how, message }}
          look={view.look}
          onDiscard={() => setDiscarding(true)}
        />
      )}
      {workspace.status === "conflicted" && (
        <FileList label="Files in conflict" files={workspace.conflicts} />
      )}
      <SetupOutput workspace={workspace} />
      {workspace.finished?.how === "pr" && (
        <RequestState workspace={workspace} sessionId={shared.session.id} />
      )}
      {isDiscarding && (
        <DiscardDialog
          workspace={workspace}
          discard={(observation) => actThenClose(shared, observation, () => setDiscarding(false))}
          onClose={() => setDiscarding(false)}
        />
      )}
    </>
  );
}

/** Only what was shown may go: with another observation the daemon refuses. */
function actThenClose({ act }: Shared, observation: string | null, close: () => void): void {
  close();
  act("discard", (client, id) =>
    client.discardWorkspace(id, {
      ...(observation === null ? {} : { observation, confirm: true }),
      clientId: newClientId(),
    }),
  );
}

interface StateProps extends Shared {
  readonly words: string;
  readonly onDiscard: () => void;
}

function State({ workspace, actions, act, words, onDiscard }: StateProps): ReactNode {
  const { status, setup, finish } = workspace;
  const isBusy = actions.pending !== null;
  const abort = (label: string): ReactNode => (
    <button
      className="button button-small"
      disabled={isBusy}
      onClick={() => act("abort", (client, id) => client.abortWorkspace(id, { clientId: newClientId() }))}
    >
      {label}
    </button>
  );
  return (
    <p className="finish-state" role="status">
      {(status === "preparing" || (status === "finishing" && finish?.held !== true)) && (
        <span className="spinner" aria-hidden="true" />
      )}
      <span>{proseText(words)}</span>
      {status === "preparing" && setup === "running" && abort("Go on without it")}
      {status === "finishing" && finish?.held === true && abort("Do not finish")}
      {status === "merged" && (
        <button className="button button-small" disabled={isBusy} onClick={onDiscard}>
          Remove the workspace
        </button>
      )}
    </p>
  );
}

const WAY_WORDS: Readonly<Record<FinishChoice, string>> = {
  squash: "Squash",
  merge: "Merge",
  rebase: "Rebase",
  branch: "Branch",
  pr: "PR",
};

interface FormProps extends Shared {
  readonly plan: FinishPlan;
  readonly how: FinishChoice;
  readonly message: string;
  readonly setMessage: (message: string) => void;
  readonly choose: (how: FinishChoice) => void;
  readonly onDiscard: () => void;
}

function Form(props: FormProps): ReactNode {
  const { workspace, actions, act, plan, how, message, setMessage, choose, onDiscard } = props;
  const isBusy = actions.pending !== null;
  const finish = (): void =>
    act("finish", (client, id) => client.finishWorkspace(id, finishBody(workspace, how, message)));
  return (
    <form
      className="finish-form"
      onSubmit={(event) => {
        event.preventDefault();
        finish();
      }}
    >
      <textarea
        className="textarea finish-message"
        aria-label="Commit message"
        rows={1}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <WayChoice base={workspace.base.branch} how={how} choose={choose} />
      <CheckMark
        workspace={workspace}
        isBusy={isBusy}
        run={() => act("check", (client) => client.checkWorkspace(workspace.id, { clientId: newClientId() }))}
      />
      <button className="button button-primary" disabled={isBusy || !plan.canFinish}>
        {actions.pending === "finish" ? "Finishing…" : "Finish"}
      </button>
      <button type="button" className="button button-plain" disabled={isBusy} onClick={onDiscard}>
        Discard…
      </button>
      {plan.will !== null && <p className="finish-will">{proseText(plan.will)}</p>}
    </form>
  );
}

function finishBody({ observed }: Workspace, how: FinishChoice, message: string) {
  return {
    how,
    message,
    // What is on the screen, and nothing else.
    ...(observed === null ? {} : { observation: observed.id }),
    clientId: newClientId(),
  };
}

/** Proposed from the title and the agent's last words, until somebody writes another. */
function useMessage(session: AgentSession): readonly [string, (message: string) => void] {
  const { thread } = useThread(session.id);
  const [written, setWritten] = useState<string | null>(null);
  const last = thread.items.findLast((item) => item.type === "assistant_message");
  const proposed = proposedMessage(session.title, last?.type === "assistant_message" ? last.text : null);
  return [written ?? proposed, setWritten];
}

interface WayProps {
  readonly base: string;
  readonly how: FinishChoice;
  readonly choose: (how: FinishChoice) => void;
}

function WayChoice({ base, how, choose }: WayProps): ReactNode {
  return (
    <div className="finish-ways" role="group" aria-label="How it is finished">
      {FINISH_CHOICES.map((way) => (
        <button
          key={way}
          type="button"
          className="finish-way"
          aria-pressed={way === how}
          onClick={() => choose(way)}
        >
          {way === how && way !== "branch" && way !== "pr"
            ? `${WAY_WORDS[way]} into ${base}`
            : WAY_WORDS[way]}
        </button>
      ))}
    </div>
  );
}

interface HindranceProps extends Shared {
  readonly plan: FinishPlan;
  readonly how: FinishChoice;
  readonly message: string;
  readonly look: () => Promise<void>;
  readonly onDiscard: () => void;
}

function Hindrances(props: HindranceProps): ReactNode {
  const { plan } = props;
  if (plan.hindrances.length === 0) return null;
  return (
    <ul className="finish-hindrances" aria-label="In the way">
      {plan.hindrances.map((hindrance) => (
        <li key={hindrance.key} data-blocks={hindrance.blocks}>
          <span>{proseText(hindrance.words)}</span>
          <Remedies {...props} hindrance={hindrance} />
        </li>
      ))}
    </ul>
  );
}

function Remedies({ hindrance, ...props }: HindranceProps & { readonly hindrance: Hindrance }): ReactNode {
  const { actions } = props;
  return (
    <span className="finish-remedies">
      {hindrance.remedies.map((remedy) => (
        <button
          key={remedy}
          className="button button-small"
          disabled={actions.pending !== null}
          onClick={() => solve(remedy, props)}
        >
          {remedyLabel(remedy, hindrance, props.workspace)}
        </button>
      ))}
    </span>
  );
}

function remedyLabel(remedy: Remedy, { key }: Hindrance, { base }: Workspace): string {
  switch (remedy) {
    case "look":
      return "Look again";
    case "update":
      return `Bring ${base.branch} in`;
    case "finish_when_idle":
      return "Finish when it is idle";
    case "mend":
      return "Send what it said to the agent";
    case "resolve":
      return "Ask the agent to resolve";
    case "retry":
      return key === "conflict" ? "It is resolved: go on" : "Try again";
    case "abort":
      return key === "conflict" ? "Put the files back" : "Go on without it";
    case "discard":
      return "Forget the workspace";
  }
}

function solve(remedy: Remedy, props: HindranceProps): void {
  const { act, actions, workspace, how, message, look, onDiscard } = props;
  const clientId = newClientId();
  switch (remedy) {
    case "look":
      void actions.run("look", look);
      break;
    case "update":
      act("update", (client, id) => client.updateWorkspace(id, { clientId }));
      break;
    case "finish_when_idle":
      act("finish", (client, id) => client.finishWorkspace(id, { how, message, when: "idle", clientId }));
      break;
    case "mend":
      act("mend", async (client, id) => {
        await client.sendMessage(id, { text: mendWords(workspace), clientId });
        return workspace;
      });
      break;
    case "resolve":
      act("resolve", async (client, id) => {
        await client.resolveWorkspace(workspace.id, { sessionId: id, clientId });
        return workspace;
      });
      break;
    case "retry":
      act("retry", (client, id) => client.retryWorkspace(id, { clientId }));
      break;
    case "abort":
      act("abort", (client, id) => client.abortWorkspace(id, { clientId }));
      break;
    case "discard":
      onDiscard();
  }
}

function FileList({
  label,
  files,
}: {
  readonly label: string;
  readonly files: readonly string[];
}): ReactNode {
  return (
    <ul className="finish-files" aria-label={label}>
      {files.map((file) => (
        <li key={file} className="mono">
          {proseText(file)}
        </li>
      ))}
    </ul>
  );
}

function SetupOutput({ workspace }: { readonly workspace: Workspace }): ReactNode {
  const { setup, setupOutput } = workspace;
  const isShown = setup === "running" || setup === "failed";
  if (!isShown || setupOutput === null || setupOutput === "") return null;
  return <OutputView text={setupOutput} linesMax={12} label="What the setup says" />;
}
