/** OSC 133 and 633: with them a shell says where its prompt, a command and its end are. */
import type { TerminalObservation } from "../../runtime/terminal-observation.js";

export type ShellMark = Omit<Extract<TerminalObservation, { readonly type: "mark" }>, "type">;

const MARKS: ReadonlyMap<string, ShellMark["mark"]> = new Map([
  ["A", "prompt"],
  ["B", "input"],
  ["C", "running"],
  ["D", "finished"],
]);

/** Null: one that says nothing of where the shell is. */
export function parseMark(data: string): ShellMark | null {
  const [letter = "", code = ""] = data.split(";");
  const mark = MARKS.get(letter);
  if (mark === undefined) return null;
  return { mark, exitCode: mark === "finished" && /^-?[0-9]{1,9}$/.test(code) ? Number(code) : null };
}
