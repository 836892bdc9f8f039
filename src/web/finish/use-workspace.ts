import { useCallback, useEffect, useRef, useState } from "react";
import type { Workspace } from "../../protocol/workspace.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";

const DELAY_MS = 300;
const BUSY_MS = 1_000;
/** No event tells of a workspace: what a person does in the repository is seen so late at most. */
const IDLE_MS = 15_000;

export interface WorkspaceView {
  /** Null: not read yet. */
  readonly workspace: Workspace | null;
  readonly problem: string | null;
  /** Looks at its files, and resolves when that is shown. */
  readonly look: () => Promise<void>;
  /** What an action answered. */
  readonly put: (workspace: Workspace) => void;
}

/** The workspace of a session. `looks`: its files are looked at when a turn ends, and now and then while it is seen. */
export function useWorkspace({ id, status }: AgentSession, looks: boolean): WorkspaceView {
  const client = useClient();
  const [workspace, setWorkspace] = useState<Workspace | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const isThere = useRef(true);
  const read = useCallback(
    async (look: boolean) => {
      try {
        const [item] = (await client.listWorkspaces({ id, ...(look ? { look: "1" as const } : {}) })).items;
        if (!isThere.current) return;
        setWorkspace(item ?? null);
        setProblem(null);
      } catch (error) {
        if (isThere.current) setProblem(readFailureWords(error));
      }
    },
    [client, id],
  );
  useEffect(() => {
    isThere.current = true;
    const timer = setTimeout(() => void read(looks), DELAY_MS);
    return () => {
      isThere.current = false;
      clearTimeout(timer);
    };
  }, [read, status, looks]);
  const isBusy = isUnderWay(workspace);
  useEffect(() => {
    const timer = setInterval(
      () => {
        if (!document.hidden) void read(looks && !isBusy);
      },
      isBusy ? BUSY_MS : IDLE_MS,
    );
    return () => clearInterval(timer);
  }, [read, isBusy, looks]);
  return { workspace, problem, look: () => read(true), put: setWorkspace };
}

function isUnderWay(workspace: Workspace | null): boolean {
  if (workspace?.check?.status === "running") return true;
  return workspace?.status === "preparing" || workspace?.status === "finishing";
}
