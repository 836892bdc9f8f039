import { useEffect, useId, useState, type ReactNode } from "react";
import { SignalboxError } from "../../client/signalbox-error.js";
import { agentName } from "../../core/index.js";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import { useClient, useSessions } from "../../react/hooks.js";
import { failureWords } from "../parts/failure-words.js";
import { navigate, racePath } from "../routing/router.js";
import { newClientId } from "../session/requests.js";

interface Entry {
  readonly harness: string;
  readonly model: string;
}

/** Agents that no rule holds, and those of our own tests. */
const LEFT_OUT: ReadonlySet<string> = new Set(["terminal", "acp", "script"]);

export function NewRaceForm(): ReactNode {
  const client = useClient();
  const agents = useAgents();
  const [prompt, setPrompt] = useState("");
  const [directory, setDirectory] = useState<string | null>(null);
  const [check, setCheck] = useState("");
  const [entries, setEntries] = useState<readonly Entry[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isStarting, setStarting] = useState(false);
  const [clientId, setClientId] = useState(newClientId);
  const lastFolder = useLastFolder();
  const folder = directory ?? lastFolder;
  const first = agents[0]?.name ?? "";
  const chosen = entries ?? [
    { harness: first, model: "" },
    { harness: agents[1]?.name ?? first, model: "" },
  ];
  const start = async (): Promise<void> => {
    setStarting(true);
    setProblem(null);
    try {
      const race = await client.createRace({
        ...{ prompt, directory: folder.trim(), clientId },
        entries: chosen.map(({ harness, model }) => ({
          harness,
          ...(model.trim() === "" ? {} : { model: model.trim() }),
        })),
        ...(check.trim() === "" ? {} : { check: check.trim() }),
      });
      navigate(racePath(race.id));
    } catch (error) {
      // What was refused was not begun; another wish is another request.
      if (error instanceof SignalboxError) setClientId(newClientId());
      setProblem(failureWords(error));
      setStarting(false);
    }
  };
  return (
    <form
      className="new-race"
      aria-label="New race"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <h2>New race</h2>
      <TextField label="Prompt" value={prompt} change={setPrompt} isLong isRequired />
      <TextField label="Folder in the repository" value={folder} change={setDirectory} isRequired />
      <EntryFields agents={agents} entries={chosen} change={setEntries} />
      <TextField
        label="Check"
        note="Run in each workspace when its agent is done. If it is empty: the project’s."
        value={check}
        change={setCheck}
      />
      {problem !== null && (
        <p className="race-problem" role="alert">
          {problem}
        </p>
      )}
      <div>
        <button className="button button-primary" disabled={isStarting || chosen.length < 2}>
          {isStarting ? "Starting…" : `Start ${chosen.length} agents`}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly note?: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly isLong?: boolean;
  readonly isRequired?: boolean;
}

function TextField({
  label,
  note,
  value,
  change,
  isLong = false,
  isRequired = false,
}: FieldProps): ReactNode {
  const id = useId();
  const shared = { id, value, required: isRequired, spellCheck: isLong } as const;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {isLong ? (
        <textarea
          {...shared}
          className="textarea"
          rows={4}
          onChange={(event) => change(event.target.value)}
        />
      ) : (
        <input
          {...shared}
          className="input mono"
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
      )}
      {note !== undefined && <p className="field-note">{note}</p>}
    </div>
  );
}

interface EntryProps {
  readonly agents: readonly HarnessReport[];
  readonly entries: readonly Entry[];
  readonly change: (entries: readonly Entry[]) => void;
}

const ENTRIES_MAX = 16;

function EntryFields({ agents, entries, change }: EntryProps): ReactNode {
  const replace = (index: number, fields: Partial<Entry>) =>
    change(entries.map((entry, at) => (at === index ? { ...entry, ...fields } : entry)));
  const last = entries.at(-1);
  return (
    <fieldset className="race-entries">
      <legend className="field-label">Agents</legend>
      {entries.map((entry, index) => (
        <div key={index} className="race-entry">
          <select
            className="select"
            aria-label={`Agent ${index + 1}`}
            value={entry.harness}
            onChange={(event) => replace(index, { harness: event.target.value })}
          >
            {agents.map(({ name }) => (
              <option key={name} value={name}>
                {agentName(name)}
              </option>
            ))}
          </select>
          <input
            className="input mono"
            aria-label={`Model of agent ${index + 1}`}
            placeholder="Its own choice of model"
            value={entry.model}
            onChange={(event) => replace(index, { model: event.target.value })}
          />
          {entries.length > 2 && (
            <button
              type="button"
              className="button button-small"
              onClick={() => change(entries.filter((_, at) => at !== index))}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button button-small"
          disabled={entries.length >= ENTRIES_MAX || last === undefined}
          onClick={() => last && change([...entries, last])}
        >
          Add an agent
        </button>
      </div>
    </fieldset>
  );
}

function useAgents(): readonly HarnessReport[] {
  const client = useClient();
  const [agents, setAgents] = useState<readonly HarnessReport[]>([]);
  useEffect(() => {
    let isOver = false;
    client.listHarnesses().then(
      ({ items }) => {
        if (!isOver) setAgents(items.filter(({ installed, name }) => installed && !LEFT_OUT.has(name)));
      },
      () => {
        // The daemon is away, which the page says elsewhere; the start says why it does not work.
      },
    );
    return () => {
      isOver = true;
    };
  }, [client]);
  return agents;
}

/** Where somebody worked last, but for workspaces. */
function useLastFolder(): string {
  return useSessions()?.find(({ workspaceId }) => workspaceId === undefined)?.cwd ?? "";
}
