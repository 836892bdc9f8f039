/** Whether a prompt on the screen asks what an agent's hooks have told that it asks. */

/** What an agent has told that it asks, before it was seen. */
export interface Asked {
  /** The tool's name. */
  readonly title: string;
  readonly detail: string;
  /** What the agent says that it is for. */
  readonly note: string;
}

export interface PromptWords {
  readonly title: string;
  readonly detail: string;
}

/** Whether the prompt says in its own words that it asks exactly this. */
export function isPromptOf(prompt: PromptWords, asked: Asked): boolean {
  switch (asked.title) {
    case "Bash":
      return isCommandIn(prompt, asked);
    case "AskUserQuestion":
      return asked.detail.split("\n").includes(prompt.title);
    default:
      return isPathIn(prompt, asked);
  }
}

/** Nothing speaks against it. Not every dialog shows what it is about as hooks tell it, but one for a command does. */
export function isPossible({ title, detail }: PromptWords, asked: Asked): boolean {
  return asked.title !== "Bash" || squeezed(`${title}${detail}`).includes(squeezed(asked.detail));
}

const COMMAND_TITLE = squeezed("Bash command");

/** All of it, and nothing else: a part of a longer command is another one, and so is what a command is said to do. */
function isCommandIn({ title, detail }: PromptWords, asked: Asked): boolean {
  const rows = [title, ...detail.split("\n")];
  if (rows.at(-1)?.endsWith("?")) rows.pop();
  const shown = squeezed(rows.join(""));
  const command = squeezed(asked.detail);
  const note = squeezed(asked.note);
  const whole = [note + command, command + note, command].map((words) => COMMAND_TITLE + words);
  // The top of a dialog may not fit on the screen.
  return whole.includes(shown) || (note !== "" && shown === note + command);
}

/** Below its title stands the file, as seen from the agent's folder. */
function isPathIn({ detail }: PromptWords, asked: Asked): boolean {
  const [path = ""] = detail.split("\n");
  return path !== "" && (asked.detail === path || asked.detail.endsWith(`/${path}`));
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
