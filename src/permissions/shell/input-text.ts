/** The text that a command is given on the line itself. */
import type { Redirection } from "unbash";
import { readWord } from "./shell-word.js";

export interface InputText {
  readonly text: string;
  /** The shell computes some of it. */
  readonly isComputed: boolean;
}

export function inputTexts(redirects: readonly Redirection[]): readonly InputText[] {
  return redirects.flatMap(inputText);
}

function inputText(redirect: Redirection): readonly InputText[] {
  if (redirect.type === "HereDoc") {
    const { text, parts } = redirect.body;
    return [{ text, isComputed: parts?.some(({ type }) => type !== "Literal") ?? false }];
  }
  if (redirect.type !== "HereString" || !redirect.target) return [];
  const words = readWord(redirect.target);
  return [
    { text: words.map((word) => word.value).join(" "), isComputed: words.some((word) => word.unknown) },
  ];
}
