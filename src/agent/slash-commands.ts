/** What a person may say that is not for the model: `/help`, `/new`, `/model`, `/reload`, and the names of skills. */
import type { Skill } from "./skills/find-skills.js";

export type Slash =
  | { readonly type: "help" }
  | { readonly type: "new" }
  | { readonly type: "reload" }
  /** Null: which one is it? */
  | { readonly type: "model"; readonly name: string | null }
  | { readonly type: "skill"; readonly name: string; readonly args: string | null }
  | { readonly type: "unknown"; readonly name: string };

/** Null: it is for the model. A path such as `/etc/hosts` is no command. */
export function parseSlash(text: string, skills: ReadonlyMap<string, Skill>): Slash | null {
  const match = /^\/([a-z0-9][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.trim());
  if (!match?.[1]) return null;
  const [, name, rest] = match;
  const args = rest?.trim() ?? "";
  switch (name) {
    case "help":
    case "new":
    case "reload":
      return { type: name };
    case "model":
      return { type: "model", name: args === "" ? null : args };
    default:
      return skills.has(name)
        ? { type: "skill", name, args: args === "" ? null : args }
        : { type: "unknown", name };
  }
}

export const SLASH_COMMANDS = [
  { name: "help", hint: null, description: "list the commands" },
  { name: "new", hint: null, description: "start a new conversation; this one is archived" },
  { name: "model", hint: "[NAME]", description: "show or choose the model: provider/model, or demo" },
  { name: "reload", hint: null, description: "read skills and AGENTS.md again" },
] as const;

export function helpText(skills: ReadonlyMap<string, Skill>): string {
  const own = SLASH_COMMANDS.map(
    ({ name, hint, description }) => `${`/${name} ${hint ?? ""}`.padEnd(16)}${description}`,
  );
  const named = [...skills.values()].map(({ name, description }) => `/${name}  ${description}`.trimEnd());
  return [...own, ...named].join("\n");
}
