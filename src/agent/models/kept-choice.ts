import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "model";

/** The model that a person chose last, for sessions that name none. */
export function keptChoice(folder: string): string | null {
  try {
    return readFileSync(join(folder, FILE), "utf8").trim() || null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

export function keepChoice(folder: string, model: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${FILE}.${process.pid}`);
  writeFileSync(draft, `${model}\n`);
  renameSync(draft, join(folder, FILE));
}
