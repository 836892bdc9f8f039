import { useEffect, useId, useState, type ReactNode } from "react";
import type { Workspace } from "../../protocol/workspace.js";
import type { AgentSession } from "../../react/agent-session.js";
import { useClient, useSessions } from "../../react/hooks.js";
import { readFailureWords } from "../parts/failure-words.js";
import { Flaw } from "./flaw.js";

/** Where the agent works. */
export interface PlaceChoice {
  readonly place: "folder" | "new" | "existing";
  readonly branch: string;
  readonly from: string;
  /** Of the existing one; empty: none is chosen. */
  readonly workspaceId: string;
}

export const IN_FOLDER: PlaceChoice = { place: "folder", branch: "", from: "", workspaceId: "" };

/** The part of the request that the choice makes. */
export function placeWish({ place, branch, from, workspaceId }: PlaceChoice) {
  switch (place) {
    case "folder":
      return {};
    case "existing":
      return workspaceId === "" ? {} : { workspace: { id: workspaceId } };
    case "new":
      return {
        workspace: "new" as const,
        ...(branch.trim() === "" ? {} : { branch: branch.trim() }),
        ...(from.trim() === "" ? {} : { from: from.trim() }),
      };
  }
}

interface Props {
  readonly choice: PlaceChoice;
  readonly cwd: string;
  readonly flaws: Readonly<Record<string, string>>;
  readonly change: (fields: Partial<PlaceChoice>) => void;
}

const PLACES = [
  ["folder", "In the folder", "It changes the files that are there."],
  [
    "new",
    "In a workspace of its own",
    "A checkout of the repository on a branch of its own, to be reviewed and finished.",
  ],
  ["existing", "In an existing workspace", "Beside what another session made there."],
] as const;

export function WorkspaceField({ choice, cwd, flaws, change }: Props): ReactNode {
  const name = useId();
  const others = useOthersIn(cwd);
  return (
    <fieldset className="place-field">
      <legend className="field-label">Where it works</legend>
      {PLACES.map(([place, label, note]) => (
        <div key={place}>
          <label className="switch">
            <input
              type="radio"
              name={name}
              checked={choice.place === place}
              aria-describedby={`${name}-${place}`}
              onChange={() => change({ place })}
            />
            <span>{label}</span>
          </label>
          <p id={`${name}-${place}`} className="field-note">
            {note}
          </p>
        </div>
      ))}
      {choice.place === "folder" && others.length > 0 && (
        <p className="place-warning" role="status">
          {others.length === 1 ? `“${others[0]?.title ?? ""}” works` : `${others.length} sessions work`} in
          this folder now: they would change the same files.{" "}
          <button type="button" className="link-button" onClick={() => change({ place: "new" })}>
            Take a workspace
          </button>
        </p>
      )}
      {choice.place === "new" && <NewFields choice={choice} flaws={flaws} change={change} />}
      {choice.place === "existing" && <ExistingField choice={choice} change={change} />}
      <Flaw text={flaws["workspace"]} />
    </fieldset>
  );
}

function NewFields({ choice, flaws, change }: Omit<Props, "cwd">): ReactNode {
  const id = useId();
  const field = (name: "branch" | "from", label: string, placeholder: string): ReactNode => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>
        {label} <span className="quiet">(optional)</span>
      </label>
      <input
        id={`${id}-${name}`}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        placeholder={placeholder}
        value={choice[name]}
        aria-invalid={flaws[name] !== undefined}
        onChange={(event) => change({ [name]: event.target.value })}
      />
      <Flaw text={flaws[name]} />
    </div>
  );
  return (
    <div className="place-fields">
      {field("branch", "Branch", "Named after the prompt")}
      {field("from", "From", "The branch that is checked out")}
    </div>
  );
}

function ExistingField({ choice, change }: Pick<Props, "choice" | "change">): ReactNode {
  const { items, problem } = useOpenWorkspaces();
  const id = useId();
  if (problem !== null) return <p className="field-flaw">{problem}</p>;
  if (items === null) return <p className="field-note">Reading…</p>;
  if (items.length === 0) return <p className="field-note">There is none yet.</p>;
  return (
    <div className="field">
      <label htmlFor={id}>Workspace</label>
      <select
        id={id}
        className="select"
        required
        value={choice.workspaceId}
        onChange={(event) => change({ workspaceId: event.target.value })}
      >
        <option value="">Choose one</option>
        {items.map((workspace) => (
          <option key={workspace.id} value={workspace.id}>
            {workspace.branch} ← {workspace.base.branch} ({workspace.path.split("/").at(-1)})
          </option>
        ))}
      </select>
    </div>
  );
}

interface Opened {
  readonly items: readonly Workspace[] | null;
  readonly problem: string | null;
}

function useOpenWorkspaces(): Opened {
  const client = useClient();
  const [read, setRead] = useState<Opened>({ items: null, problem: null });
  useEffect(() => {
    let isOver = false;
    client.listWorkspaces().then(
      ({ items }) => {
        if (!isOver) setRead({ items, problem: null });
      },
      (error: unknown) => {
        if (!isOver) setRead({ items: null, problem: readFailureWords(error) });
      },
    );
    return () => {
      isOver = true;
    };
  }, [client]);
  return read;
}

/** Those at work in a folder, without a workspace. */
function useOthersIn(cwd: string): readonly AgentSession[] {
  const sessions = useSessions();
  const folder = cwd.trim();
  return (sessions ?? []).filter(
    (session) => session.cwd === folder && session.workspaceId === undefined && session.ui.isActive,
  );
}
