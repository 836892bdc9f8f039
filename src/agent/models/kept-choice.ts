import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The model that a person chose last: in this conversation, or, without one, in any. */
function keptChoice(folder: string, sessionId: string | null): string | null {
  try {
    return readFileSync(join(folder, fileOf(sessionId)), "utf8").trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** For this conversation when it is resumed, and for sessions that name no model. */
export function keepChoice(folder: string, sessionId: string, model: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of [fileOf(sessionId), fileOf(null)]) {
    const draft = join(folder, `${name}.${process.pid}`);
    writeFileSync(draft, `${model}\n`, { mode: 0o600 });
    renameSync(draft, join(folder, name));
  }
}

function fileOf(sessionId: string | null): string {
  return sessionId === null ? "model" : `${sessionId}.model`;
}

/** What was chosen in a conversation holds when it is resumed, whatever it was started with. Null: nobody chose. */
export function chosenModel(folder: string, resume: string | null, given: string | undefined): string | null {
  const inThisOne = resume === null ? null : keptChoice(folder, resume);
  return inThisOne ?? given ?? keptChoice(folder, null);
}
