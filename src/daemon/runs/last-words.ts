/** What an agent said on stderr before it ended: for the message of the error that its end is. */
import { open } from "node:fs/promises";
import { join } from "node:path";
import { STDERR_FILE } from "../../keeper/paths.js";
import type { Redact } from "../log/redact.js";

const READ_BYTES = 8 * 1024;
const LINES_MAX = 5;
const LENGTH_MAX = 600;

/** Null when it said nothing. Secrets, and what moves a cursor, are taken out. */
export async function lastWords(runFolder: string, redact: Redact): Promise<string | null> {
  const text = await tailOf(join(runFolder, STDERR_FILE));
  // Of the first line there may be only a part, in which a secret would not be known for one.
  const whole = text.length < READ_BYTES ? text : text.slice(text.indexOf("\n") + 1);
  const lines = redact(whole)
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])/g, "")
    .split("\n")
    .map((line) => line.replace(/[\p{Cc}\p{Cf}]/gu, "").trimEnd())
    .filter((line) => line.trim() !== "");
  const words = lines.slice(-LINES_MAX).join("\n");
  if (words === "") return null;
  return words.length > LENGTH_MAX ? `…${words.slice(-LENGTH_MAX)}` : words;
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file, "r").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  });
  if (!handle) return "";
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, READ_BYTES));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, Math.max(0, size - READ_BYTES));
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}
