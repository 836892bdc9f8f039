import { useId, type ReactNode } from "react";
import { commandWords } from "./command-words.js";
import { Flaw } from "./flaw.js";

interface Told {
  readonly label: string;
  readonly note: string;
  readonly placeholder: string;
  readonly isRequired: boolean;
  /** What stands before the words. */
  readonly before: readonly string[];
}

/** The harnesses that run what they are told. */
const TOLD: ReadonlyMap<string, Told> = new Map([
  [
    "acp",
    {
      label: "Command",
      note: "The agent’s program in its ACP mode, with its arguments.",
      placeholder: "my-agent --acp",
      isRequired: true,
      before: ["--command"],
    },
  ],
  [
    "terminal",
    {
      label: "Program",
      note: "What runs in the terminal, with its arguments. If it is empty: your shell.",
      placeholder: "Your shell",
      isRequired: false,
      before: [],
    },
  ],
]);

export const OPEN_QUOTE = "A quote is not closed.";

/** The arguments that a session is made with; null when the line cannot be read. */
export function argsFrom(harness: string, line: string): readonly string[] | null {
  const told = TOLD.get(harness);
  if (!told) return [];
  const words = commandWords(line);
  return words && words.length > 0 ? [...told.before, ...words] : words;
}

interface Props {
  readonly harness: string;
  readonly value: string;
  readonly flaw: string | undefined;
  readonly change: (value: string) => void;
}

/** What to run, for the harnesses that run what they are told. */
export function CommandField({ harness, value, flaw, change }: Props): ReactNode {
  const id = useId();
  const told = TOLD.get(harness);
  if (!told) return null;
  return (
    <div className="field">
      <label htmlFor={id}>
        {told.label} {!told.isRequired && <span className="quiet">(optional)</span>}
      </label>
      <input
        id={id}
        className="input mono"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        required={told.isRequired}
        pattern={told.isRequired ? ".*\\S.*" : undefined}
        placeholder={told.placeholder}
        value={value}
        aria-describedby={`${id}-note`}
        aria-invalid={flaw !== undefined}
        onChange={(event) => change(event.target.value)}
      />
      <p id={`${id}-note`} className="field-note">
        {told.note} Quotes work; variables and wildcards are not expanded.
      </p>
      <Flaw text={flaw} />
    </div>
  );
}
