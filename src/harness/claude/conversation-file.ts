import { readdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export function claudeFolder(env: Environment): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
}

/**
 * Whether Claude Code has kept a conversation: it cannot go on with one that it has not, and it keeps the first turn only
 * after a while. When its folders cannot be looked into, it is left to Claude to say so.
 */
export async function hasConversation(sessionId: string, env: Environment): Promise<boolean> {
  const projects = join(claudeFolder(env), "projects");
  try {
    for (const project of await readdir(projects))
      if (await isFile(join(projects, project, `${sessionId}.jsonl`))) return true;
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ENOENT";
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    // Not there, or no folder at all where a project's should be.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
