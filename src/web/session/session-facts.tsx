import { useEffect, useState, type ReactNode } from "react";
import { agentName } from "../../core/index.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient, useRoster } from "../../react/hooks.js";
import { costWords, countWords } from "../time/time-words.js";
import { PortLinks, usePorts } from "./session-ports.js";
import type { Actions } from "./use-action.js";

interface Props {
  readonly session: AgentSession;
  /** On a small screen they are shown only when somebody wants to know. */
  readonly isShown: boolean;
  readonly actions: Actions;
}

const ENFORCEMENT: Readonly<Record<AgentSession["enforcement"], string>> = {
  enforced: "Every tool this agent uses is checked against your rules first.",
  "when-asked": "Your rules decide what this agent asks about; it does not ask about everything.",
  none: "Signalbox cannot check what runs here against your rules.",
};

const ENFORCEMENT_WORDS: Readonly<Record<AgentSession["enforcement"], string>> = {
  enforced: "checked every time",
  "when-asked": "checked when it asks",
  none: "not checked",
};

export function SessionFacts({ session, isShown, actions }: Props): ReactNode {
  const { harness, model, cwd, usage, enforcement } = session;
  const agent = agentName(harness);
  const ports = usePorts(session);
  return (
    <dl className="facts" data-shown={isShown}>
      <Fact name="Agent">{model === null ? agent : `${agent}, ${model}`}</Fact>
      <Fact name="Folder">
        <span className="mono facts-folder" title={cwd}>
          {cwd}
        </span>
      </Fact>
      <WorkspaceFact session={session} />
      <Fact name="Rules">
        <span title={ENFORCEMENT[enforcement]}>{ENFORCEMENT_WORDS[enforcement]}</span>
        <span className="facts-note">{ENFORCEMENT[enforcement]}</span>
      </Fact>
      {session.wall && (
        <Fact name="Wall">
          <span data-wall={session.wall.label} title={session.wall.sentence}>
            {session.wall.label === "walled" ? "keeps it in" : "none"}
          </span>
          <span className="facts-note">{session.wall.sentence}</span>
        </Fact>
      )}
      {ports.length > 0 && (
        <Fact name="Ports">
          <PortLinks ports={ports} />
        </Fact>
      )}
      <Fact name="Usage">{usageWords(usage)}</Fact>
      <Seat session={session} actions={actions} />
    </dl>
  );
}

/** The branch of its workspace, and the one that it is for. */
function WorkspaceFact({ session }: { readonly session: AgentSession }): ReactNode {
  const client = useClient();
  const [words, setWords] = useState<string | null>(null);
  const { id, workspaceId } = session;
  useEffect(() => {
    if (workspaceId === undefined) return undefined;
    let isOver = false;
    client.listWorkspaces({ id: workspaceId }).then(
      ({ items: [item] }) => {
        if (!isOver && item) setWords(`${item.branch} ← ${item.base.branch}`);
      },
      () => {
        // The daemon is away, which the page says elsewhere.
      },
    );
    return () => {
      isOver = true;
    };
  }, [client, id, workspaceId]);
  if (words === null) return null;
  return (
    <Fact name="Branch">
      <span className="mono facts-branch">{words}</span>
    </Fact>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function usageWords({ inputTokens, outputTokens, cachedTokens, costUsd }: AgentSession["usage"]): string {
  if (inputTokens + outputTokens === 0 && costUsd === null) return "none yet";
  const cached = cachedTokens > 0 ? ` (${countWords(cachedTokens)} cached)` : "";
  const cost = costUsd === null ? "" : `, ${costWords(costUsd)}`;
  return `${countWords(inputTokens)} in${cached}, ${countWords(outputTokens)} out${cost}`;
}

/** Whether messages without an address come here (004). */
function Seat({ session, actions }: Omit<Props, "isShown">): ReactNode {
  const client = useClient();
  const roster = useRoster();
  const hasSeat = roster.seats.some(({ sessionId, status }) => sessionId === session.id && status !== "none");
  if (roster.connected === session.id)
    return (
      <Fact name="Messages">
        <span title="Messages without an address come to this session.">Connected</span>
      </Fact>
    );
  if (!hasSeat) return null;
  return (
    <Fact name="Messages">
      <span className="facts-disconnected" title="Messages without an address go to another session.">
        Disconnected
      </span>{" "}
      <button
        className="link-button"
        disabled={actions.pending !== null}
        onClick={() => void actions.run("connect", () => client.connect({ sessionId: session.id }))}
      >
        Connect
      </button>
    </Fact>
  );
}
