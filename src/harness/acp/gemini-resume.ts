import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Environment } from "./acp-agents.js";

/** Longer than this, and the session would be given up before the agent is ready. */
const WAIT_MS_MAX = 20_000;
const MINUTE_MS = 60_000;
/** The clock may be read a little early. */
const MARGIN_MS = 250;

/**
 * Gemini CLI names the file of a conversation after the minute in which it began and the first digits of its id. Whoever
 * loads the conversation begins one, under the same id: in the same minute that is the same file, and what was in it is
 * gone. So the minute must be another.
 */
export async function waitForNextMinute(
  sessionId: string,
  inherited: Environment,
  nowMs: number = Date.now(),
): Promise<void> {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replace(":", "-");
  if (!(await hasFile(`session-${minute}-${sessionId.slice(0, 8)}.`, inherited))) return;
  const waitMs = MINUTE_MS - (nowMs % MINUTE_MS) + MARGIN_MS;
  if (waitMs > WAIT_MS_MAX)
    throw new Error(
      `Gemini CLI loses a conversation that is resumed in the minute in which it began: try again in ${Math.ceil(waitMs / 1000)} s`,
    );
  await sleep(waitMs);
}

async function hasFile(start: string, { HOME, GEMINI_CLI_HOME }: Environment): Promise<boolean> {
  const projects = join(GEMINI_CLI_HOME ?? HOME ?? "", ".gemini", "tmp");
  for (const project of await namesIn(projects)) {
    const names = await namesIn(join(projects, project, "chats"));
    if (names.some((name) => name.startsWith(start))) return true;
  }
  return false;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch {
    // Nothing is there: nothing can be lost.
    return [];
  }
}
