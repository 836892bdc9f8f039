import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../client/client.js";

/** They need no model, no key and no network; between them they show work, an ask, and an end. */
const DEMOS = [
  {
    harness: "script",
    prompt: "Hello from an agent that repeats what it is told",
    title: "A finished session",
  },
  { harness: "demo", prompt: "Show me", title: "A demo that asks before it acts" },
  { harness: "demo", prompt: "Show me again", title: "Another one: answer, or send it a message" },
] as const;

/** Beside the data, which no agent may touch; and never where somebody works. */
export function demoFolder(dataDir: string): string {
  return `${dataDir}-demo`;
}

export function makeDemoFolder(dataDir: string, name: string): string {
  const folder = join(demoFolder(dataDir), name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Where nobody has worked yet there is nothing to see: some agents that are safe to play with. Says how many. */
export async function startDemos(client: Client, dataDir: string): Promise<number> {
  const { items } = await client.listSessions({ limit: 1 });
  if (items.length > 0) return 0;
  for (const [index, { harness, prompt, title }] of DEMOS.entries()) {
    // A folder for each: they write files, once they are permitted to.
    const cwd = makeDemoFolder(dataDir, String(index + 1));
    await client.createSession({ harness, prompt, title, cwd });
  }
  return DEMOS.length;
}
