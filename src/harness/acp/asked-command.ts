/** The command that a request for permission is about. */
import type { Json } from "../../core/index.js";
import type { ApprovedCommand } from "./acp-state.js";
import { commandLine } from "./command-line.js";
import { fieldAt, firstTextAt, type JsonObject } from "./json-fields.js";

/** With one of these, more is run than the words of the command. */
const FURTHER_FIELDS = ["arguments", "env"] as const;

/** As the line that would be run, and where. Null: the input does not tell it in words, or not in words alone. */
export function askedCommand(input: JsonObject, cwd: string): ApprovedCommand | null {
  if (FURTHER_FIELDS.some((key) => Object.hasOwn(input, key))) return null;
  const program = fieldAt(input, "command") ?? fieldAt(input, "cmd");
  const args = fieldAt(input, "args") ?? [];
  const words = isList(program) ? [...program, ...asList(args)] : [program, ...asList(args)];
  if (!words.every((word) => typeof word === "string")) return null;
  const [command = "", ...rest] = words;
  if (command === "") return null;
  return {
    command: commandLine({ command, args: rest, env: [] }),
    cwd: firstTextAt(input, ["cwd"]) ?? cwd,
  };
}

/** What is no list is no word either. */
function asList(value: Json): readonly (Json | undefined)[] {
  return isList(value) ? value : [undefined];
}

/** `Array.isArray` does not narrow a readonly list. */
function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
