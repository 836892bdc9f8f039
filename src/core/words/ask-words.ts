/**
 * What a person reads of an ask: each thing once.
 *
 * Most agents give a command both as the title of its ask and as the beginning of its details. Nothing is left out here
 * that is not there, character by character, in what stays: somebody decides about it.
 */
import { toolTitle } from "./tool-words.js";

export interface AskWords {
  readonly heading: string;
  /** The heading is the command itself, all of it. */
  readonly isCommand: boolean;
  /** What the heading does not say; may be empty. */
  readonly rest: string;
}

interface Asked {
  /** `command`, `tool`, `followup`… */
  readonly ask: string;
  readonly title: string;
  readonly detail: string;
}

const CUT = /…$/;
const RUN = /^Run ([^]+)$/;
const VERB = /^[A-Z][a-z]+ ([^]+)$/;
/** Some agents give the name of a tool as the title: `Bash`. No command is called so. */
const TOOL_NAME = /^[A-Z][A-Za-z]+$/;

export function askWords({ ask, title, detail }: Asked): AskWords {
  const whole = { heading: title, isCommand: false, rest: detail };
  if (ask === "followup") return whole;
  const isCommand = ask === "command";
  if (detail.trim() === "") return { ...whole, isCommand };
  const [first = "", ...others] = detail.split("\n");
  // `npm test`, or `Run npm test`; of other calls `Read src/add.ts`.
  const said = title === first ? title : ((isCommand ? RUN : VERB).exec(title)?.[1] ?? title);
  if (said === first) {
    const rest = others.join("\n").replace(/^\n+/, "");
    return { heading: isCommand ? said : title, isCommand, rest };
  }
  // The title is one line of what is longer, or has other spaces: only the details are exact.
  const isIn = said !== "" && spaced(detail).includes(spaced(said.replace(CUT, "")));
  if (isCommand && isIn) return { ...whole, heading: "Run a command" };
  return { ...whole, heading: TOOL_NAME.test(title) ? toolTitle(title) : title };
}

function spaced(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
