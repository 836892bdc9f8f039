import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Skill } from "./skills/find-skills.js";
import { skillList } from "./skills/skill-list.js";

const CONTEXT_LENGTH_MAX = 50_000;

const AT_THE_PROMPT =
  "The user asks you at the prompt of their shell. When a command is what they want, call suggest_command with one " +
  "that they can run as it is, and say honestly how dangerous it is and how sure you are. Otherwise answer in a few lines.";

/** Who the agent is, where it works, and what the project says of itself. */
export function systemPrompt(
  cwd: string,
  skills: Iterable<Skill>,
  isInline: boolean,
  context: string,
): string {
  const list = skillList(skills);
  return [
    "You are Signalbox's coding agent. You work in the user's project with the tools that you are given.",
    "Read before you edit. Make small changes, and check them. Say briefly what you did.",
    "A tool call may be denied: then find another way, or ask.",
    `The project's folder is ${cwd}.`,
    ...(isInline ? [AT_THE_PROMPT] : []),
    ...(list === "" ? [] : [`Skills that load_skill gives you:\n${list}`]),
    ...(context === "" ? [] : ["What the project says about itself (AGENTS.md):", context]),
  ].join("\n\n");
}

/** What the project says; or why that cannot be read. */
export async function projectContext(
  cwd: string,
): Promise<{ readonly context: string; readonly problems: readonly string[] }> {
  try {
    const context = (await readFile(join(cwd, "AGENTS.md"), "utf8")).slice(0, CONTEXT_LENGTH_MAX);
    return { context, problems: [] };
  } catch (error) {
    const isNotThere = (error as NodeJS.ErrnoException).code === "ENOENT";
    return { context: "", problems: isNotThere ? [] : [`AGENTS.md cannot be read: ${String(error)}`] };
  }
}
