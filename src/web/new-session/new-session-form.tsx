import { useId, useMemo, useState, type ReactNode } from "react";
import { SignalboxError } from "../../client/signalbox-error.js";
import { useClient, useSessions } from "../../react/hooks.js";
import type { HarnessReport } from "../../protocol/api-schemas.js";
import { failureWords } from "../parts/failure-words.js";
import { navigate, sessionPath } from "../routing/router.js";
import { argsFrom, CommandField, OPEN_QUOTE } from "./command-field.js";
import { Creation } from "./creation.js";
import { Flaw } from "./flaw.js";
import { HarnessChoice, INTERNAL } from "./harness-choice.js";
import { IN_FOLDER, placeWish, WorkspaceField, type PlaceChoice } from "./workspace-field.js";

interface Props {
  readonly harnesses: readonly HarnessReport[];
  /** The home folder; empty when the daemon does not tell. */
  readonly cwd: string;
}

interface Draft {
  readonly harness: string;
  readonly command: string;
  /** Null: as it is proposed. */
  readonly cwd: string | null;
  readonly place: PlaceChoice;
  readonly prompt: string;
  readonly model: string;
  readonly autoApprove: boolean;
  /** False: a person wants no wall for it. */
  readonly isWalled: boolean;
}

type Flaws = Readonly<Record<string, string>>;

const FOLDERS_MAX = 20;

const EMPTY_DRAFT: Omit<Draft, "harness"> = {
  command: "",
  cwd: null,
  place: IN_FOLDER,
  prompt: "",
  model: "",
  autoApprove: false,
  isWalled: true,
};

export function NewSessionForm({ harnesses, cwd }: Props): ReactNode {
  const client = useClient();
  const folders = useFolders();
  const [creation] = useState(() => new Creation(client));
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY_DRAFT, harness: firstChoice(harnesses) }));
  const firstFolder = folders[0] ?? cwd;
  const [isCreating, setCreating] = useState(false);
  const [flaws, setFlaws] = useState<Flaws>({});
  const change = (fields: Partial<Draft>) => setDraft((before) => ({ ...before, ...fields }));

  const create = async () => {
    const args = argsFrom(draft.harness, draft.command);
    if (!args) {
      setFlaws({ args: OPEN_QUOTE });
      return;
    }
    setCreating(true);
    setFlaws({});
    try {
      const session = await creation.create(wishFrom(draft, draft.cwd ?? firstFolder, args));
      if (session) navigate(sessionPath(session.id));
    } catch (error) {
      setFlaws(flawsIn(error));
      setCreating(false);
    }
  };

  return (
    <form
      className="new-session"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <HarnessChoice harnesses={harnesses} chosen={draft.harness} choose={(harness) => change({ harness })} />
      <Flaw text={flaws["harness"]} />
      <CommandField
        harness={draft.harness}
        value={draft.command}
        flaw={flaws["args"]}
        change={(command) => change({ command })}
      />
      <FolderField
        value={draft.cwd ?? firstFolder}
        folders={folders}
        flaw={flaws["cwd"]}
        change={(value) => change({ cwd: value })}
      />
      <WorkspaceField
        choice={draft.place}
        cwd={draft.cwd ?? firstFolder}
        flaws={flaws}
        change={(fields) => change({ place: { ...draft.place, ...fields } })}
      />
      <PromptField value={draft.prompt} flaw={flaws["prompt"]} change={(prompt) => change({ prompt })} />
      <ModelField value={draft.model} flaw={flaws["model"]} change={(model) => change({ model })} />
      <RightsFields
        draft={draft}
        enforcement={harnesses.find(({ name }) => name === draft.harness)?.enforcement ?? "when-asked"}
        change={change}
      />
      <Flaw text={flaws["wall"]} />
      <Flaw text={flaws[""]} />
      <StartButton isCreating={isCreating} />
    </form>
  );
}

function StartButton({ isCreating }: { readonly isCreating: boolean }): ReactNode {
  return (
    <div className="new-session-actions">
      <button className="button button-primary" disabled={isCreating}>
        {isCreating ? "Starting…" : "Start"}
      </button>
    </div>
  );
}

interface FieldProps {
  readonly value: string;
  readonly flaw: string | undefined;
  readonly change: (value: string) => void;
}

function FolderField(props: FieldProps & { readonly folders: readonly string[] }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Folder</label>
      <input
        id={id}
        className="input mono"
        list={`${id}-folders`}
        required
        spellCheck={false}
        autoComplete="off"
        placeholder="/path/to/project"
        value={props.value}
        aria-invalid={props.flaw !== undefined}
        onChange={(event) => props.change(event.target.value)}
      />
      <datalist id={`${id}-folders`}>
        {props.folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <Flaw text={props.flaw} />
    </div>
  );
}

function PromptField({ value, flaw, change }: FieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Prompt</label>
      <textarea
        id={id}
        className="textarea"
        rows={5}
        placeholder="What should it do?"
        value={value}
        aria-invalid={flaw !== undefined}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
            event.currentTarget.form?.requestSubmit();
        }}
      />
      <p className="field-note">
        <span className="keys-note">Ctrl+Enter starts it. </span>
        If it is empty, the agent starts and waits for you.
      </p>
      <Flaw text={flaw} />
    </div>
  );
}

function ModelField({ value, flaw, change }: FieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        Model <span className="quiet">(optional)</span>
      </label>
      <input
        id={id}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        placeholder="The agent's own choice"
        value={value}
        aria-invalid={flaw !== undefined}
        onChange={(event) => change(event.target.value)}
      />
      <Flaw text={flaw} />
    </div>
  );
}

type Enforcement = NonNullable<HarnessReport["enforcement"]>;

/** What holds when nothing is approved by itself. */
const OFF_WORDS: Readonly<Record<Enforcement, string>> = {
  enforced: "Off: you are asked before commands run and files change, unless a rule allows it.",
  "when-asked":
    "Off: your rules and you decide whatever the agent asks about. It does not ask about everything.",
  none: "Signalbox does not check what runs in a terminal: programs there ask you themselves, or not at all.",
};

interface AutoProps {
  readonly isOn: boolean;
  readonly enforcement: Enforcement;
  readonly change: (isOn: boolean) => void;
}

interface RightsProps {
  readonly draft: Draft;
  readonly enforcement: Enforcement;
  readonly change: (fields: Partial<Draft>) => void;
}

/** What it may do without a question, and what stands around it. */
function RightsFields({ draft, enforcement, change }: RightsProps): ReactNode {
  return (
    <>
      <AutoField
        isOn={draft.autoApprove}
        enforcement={enforcement}
        change={(autoApprove) => change({ autoApprove })}
      />
      <WallField isOn={draft.isWalled} change={(isWalled) => change({ isWalled })} />
    </>
  );
}

function AutoField({ isOn, enforcement, change }: AutoProps): ReactNode {
  const noteId = useId();
  if (enforcement === "none")
    return (
      <p className="field-note" data-enforcement="none">
        {OFF_WORDS.none}
      </p>
    );
  return (
    <div className="auto-field" data-on={isOn}>
      <label className="switch">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={noteId}
          onChange={(event) => change(event.target.checked)}
        />
        <span>Auto-approve everything</span>
      </label>
      <p id={noteId} className="field-note">
        {isOn
          ? "Commands run and files change without anybody looking first. Rules that deny still apply."
          : OFF_WORDS[enforcement]}
      </p>
    </div>
  );
}

/** As it is configured, or off; what stands around the session is said on its own page. */
function WallField({ isOn, change }: Pick<AutoProps, "isOn" | "change">): ReactNode {
  const noteId = useId();
  return (
    <div className="auto-field" data-on={!isOn}>
      <label className="switch">
        <input
          type="checkbox"
          checked={isOn}
          aria-describedby={noteId}
          onChange={(event) => change(event.target.checked)}
        />
        <span>Behind a wall</span>
      </label>
      <p id={noteId} className="field-note">
        {isOn
          ? "Where one can be built here, unless your settings say otherwise: it writes only in its folder, and sees of your home folder only what it needs."
          : "No wall: the agent can read and change all that you can."}
      </p>
    </div>
  );
}

function firstChoice(harnesses: readonly HarnessReport[]): string {
  const usable = harnesses.filter(({ installed, name }) => installed && !INTERNAL.has(name));
  return (usable.find(({ login }) => login === "ok") ?? usable[0] ?? harnesses[0])?.name ?? "";
}

/** Where sessions were started lately, the newest first. */
function useFolders(): readonly string[] {
  const sessions = useSessions();
  return useMemo(() => {
    const own = (sessions ?? []).filter(({ workspaceId }) => workspaceId === undefined);
    return [...new Set(own.map(({ cwd }) => cwd))].slice(0, FOLDERS_MAX);
  }, [sessions]);
}

function wishFrom(
  { harness, place, prompt, model, autoApprove, isWalled }: Draft,
  cwd: string,
  args: readonly string[],
) {
  return {
    harness,
    cwd: cwd.trim(),
    ...placeWish(place),
    ...(autoApprove ? ({ approve: "auto" } as const) : {}),
    ...(isWalled ? {} : { wall: "off" as const }),
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(prompt.trim() === "" ? {} : { prompt }),
    ...(model.trim() === "" ? {} : { model: model.trim() }),
  };
}

/** By field; what is about none of them stands under an empty name. */
function flawsIn(error: unknown): Flaws {
  if (!(error instanceof SignalboxError) || error.errors.length === 0) return { "": failureWords(error) };
  return Object.fromEntries(error.errors.map(({ path, message }) => [path, message]));
}
