import { useEffect, useState, type ReactNode } from "react";
import { useAgentSession } from "../../react/hooks.js";
import { useOwnRole } from "../settings/own-role.js";
import { proseText } from "../session/text/visible-text.js";
import { DiffPane } from "./diff-pane.js";
import { ReviewBar } from "./review-bar.js";
import { useComments } from "./use-comments.js";
import { useDiff, type Diff, type Scope } from "./use-diff.js";
import "./changes.css";

/** While an agent works, its files are looked at so often. */
const WORKING_MS = 10_000;

/** What changed in a session's files, and what a person says of it. */
export function ChangesTab({ id }: { readonly id: string }): ReactNode {
  const [scope, setScope] = useState<Scope>("whole");
  const epoch = useEpoch(id);
  const role = useOwnRole();
  const canComment = role === "operate" || role === "own";
  const comments = useComments(id, epoch);
  const { diff, problem, isOld, reload } = useDiff(id, scope, epoch);
  return (
    <section className="changes" aria-label="Changes">
      {problem !== null && (
        <p className="changes-problem" role="alert">
          {problem}{" "}
          <button className="link-button" onClick={reload}>
            Try again
          </button>
        </p>
      )}
      {diff && diff.files.length > 0 ? (
        <DiffPane {...{ diff, scope, setScope, comments, canComment, isOld, reload }} />
      ) : (
        <div className="changes-none">
          {diff && <NoFiles diff={diff} scope={scope} setScope={setScope} />}
          {!diff && problem === null && <p className="quiet">Reading…</p>}
          {isOld && (
            <button className="button" onClick={reload}>
              Show what has changed
            </button>
          )}
        </div>
      )}
      {canComment && diff && (diff.files.length > 0 || comments.open > 0) && (
        <ReviewBar comments={comments} />
      )}
    </section>
  );
}

interface NoFilesProps {
  readonly diff: Diff;
  readonly scope: Scope;
  readonly setScope: (scope: Scope) => void;
}

function NoFiles({ diff: { report }, scope, setScope }: NoFilesProps): ReactNode {
  return (
    <>
      <p className="quiet">
        {scope === "whole" ? "No file has changed since the start." : `Turn ${scope} has changed no file.`}
      </p>
      {scope !== "whole" && (
        <button className="button" onClick={() => setScope("whole")}>
          The whole session
        </button>
      )}
      {report.skipped.map(({ path, why }) => (
        <p key={path} className="quiet">
          Not kept: {proseText(path)}, {why === "large" ? "larger than 10 MiB" : "a repository of its own"}
        </p>
      ))}
    </>
  );
}

/** Changes when the files may have. */
function useEpoch(id: string): string {
  const { session } = useAgentSession(id);
  const [tick, setTick] = useState(0);
  const status = session?.status ?? "idle";
  const isWorking = status === "streaming" || status === "creating";
  useEffect(() => {
    const next = (): void => setTick((count) => count + 1);
    window.addEventListener("focus", next);
    const timer = isWorking ? setInterval(next, WORKING_MS) : null;
    return () => {
      window.removeEventListener("focus", next);
      if (timer !== null) clearInterval(timer);
    };
  }, [isWorking]);
  return `${status} ${tick}`;
}
