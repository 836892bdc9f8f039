import { useState, type ReactNode } from "react";
import type { PullRequest, Workspace } from "../../protocol/workspace.js";
import { useClient } from "../../react/hooks.js";
import { newClientId } from "../session/requests.js";
import { proseText } from "../session/text/visible-text.js";
import { useActions } from "../session/use-action.js";

interface Props {
  readonly workspace: Workspace;
  readonly sessionId: string;
}

/** The pull request as it is, when somebody asks; what is wrong with it can go to the agent. */
export function RequestState({ workspace, sessionId }: Props): ReactNode {
  const client = useClient();
  const actions = useActions();
  const [request, setRequest] = useState<PullRequest | null>(null);
  const [isSent, setSent] = useState(false);
  const url = request?.url ?? workspace.finished?.url ?? null;
  const look = () =>
    void actions.run("look", async () => {
      setRequest(await client.getPullRequest(workspace.id));
      setSent(false);
    });
  const send = () =>
    void actions.run("send", async () => {
      await client.sendPullRequest(workspace.id, { sessionId, clientId: newClientId() });
      setSent(true);
    });
  const failed = request?.checks.filter(({ state }) => state === "failed") ?? [];
  return (
    <div className="finish-request">
      {url !== null && /^https?:\/\//.test(url) && (
        <a href={url} target="_blank" rel="noreferrer noopener">
          Open the pull request
        </a>
      )}
      <button className="button button-small" disabled={actions.pending !== null} onClick={look}>
        {request === null ? "Show its checks and reviews" : "Look again"}
      </button>
      {request && <span>{proseText(requestWords(request))}</span>}
      {request && failed.length + request.reviews.length > 0 && (
        <button className="button button-small" disabled={actions.pending !== null || isSent} onClick={send}>
          {isSent ? "Sent to the agent" : "Send them to the agent"}
        </button>
      )}
      {actions.problem !== null && (
        <p className="finish-problem" role="alert">
          {proseText(actions.problem)}
        </p>
      )}
    </div>
  );
}

function requestWords({ state, checks, reviews }: PullRequest): string {
  const count = (wanted: string) => checks.filter((check) => check.state === wanted).length;
  const parts = [
    state,
    checks.length === 0 ? "no checks" : "",
    count("passed") > 0 ? `${count("passed")} passed` : "",
    count("failed") > 0 ? `${count("failed")} failed` : "",
    count("pending") > 0 ? `${count("pending")} pending` : "",
    reviews.length > 0 ? `${reviews.length} remarks` : "no remarks",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
