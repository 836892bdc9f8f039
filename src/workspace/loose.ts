/** Ignored files: which of them copy and setup made, and which hold somebody's work that no commit would take. */
import { createHash } from "node:crypto";
import { lstat, readFile } from "node:fs/promises";
import { splitNul } from "./git.js";
import type { Hands } from "./place.js";

const ENTRIES_MAX = 20_000;
const DIGEST_BYTES_MAX = 10 * 1024 * 1024;
const BASELINE = "ignored.json";

/** Name, in base64 because it need not be text, and what was in it; null: a directory, or too large. */
type Baseline = Readonly<Record<string, string | null>>;

/** Whole directories by their own name. */
async function ignored(hands: Hands): Promise<readonly Buffer[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return splitNul(await hands.need(args)).slice(0, ENTRIES_MAX);
}

/** What is ignored now was made by copy and setup. */
export async function rememberIgnored(hands: Hands): Promise<void> {
  const entries: [string, string | null][] = [];
  for (const name of await ignored(hands))
    entries.push([name.toString("base64"), await digestOf(hands, name)]);
  await hands.writeOwn(BASELINE, Object.fromEntries(entries));
}

/** The others, and those that were changed since. */
export async function looseFiles(hands: Hands): Promise<readonly Buffer[]> {
  const baseline = ((await hands.readOwn(BASELINE)) ?? {}) as Baseline;
  const loose: Buffer[] = [];
  for (const name of await ignored(hands)) {
    const key = name.toString("base64");
    const before = Object.hasOwn(baseline, key) ? baseline[key] : undefined;
    if (before === undefined || (before !== null && before !== (await digestOf(hands, name))))
      loose.push(name);
  }
  return loose;
}

async function digestOf(hands: Hands, name: Buffer): Promise<string | null> {
  const path = Buffer.concat([Buffer.from(`${hands.place.path}/`), name]);
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > DIGEST_BYTES_MAX) return null;
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
