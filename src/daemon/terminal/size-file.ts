/**
 * The size of a run's terminal, in the run's folder: the keeper does not say it, and a daemon that starts anew must show
 * the screen as large as the program drew it.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { terminalSizeSchema, type TerminalSize } from "./terminal-frames.js";

const SIZE_FILE = "size.json";

/** Null: nobody has changed it, or it was not written to its end. */
export async function readSize(runFolder: string): Promise<TerminalSize | null> {
  let text: string;
  try {
    text = await readFile(join(runFolder, SIZE_FILE), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  try {
    return terminalSizeSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

export async function writeSize(runFolder: string, { cols, rows }: TerminalSize): Promise<void> {
  await writeFile(join(runFolder, SIZE_FILE), JSON.stringify({ cols, rows }), { mode: 0o600 });
}
