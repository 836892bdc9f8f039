/** Runs what a project wants done in a new workspace, and keeps what it said. */
import { mkdir, open, readFile } from "node:fs/promises";
import { rememberIgnored } from "./loose.js";
import type { Hands } from "./place.js";
import { runShell } from "./shell-run.js";

const OUTPUT_BYTES_MAX = 1024 * 1024;
export const SETUP_OUTPUT = "setup.log";

/** Gives its code; what a signal ended has 128 and more. */
export async function runSetup(hands: Hands, stop: AbortSignal): Promise<number> {
  const { setup, ownDir } = hands.place;
  if (setup === null) return 0;
  await mkdir(ownDir, { recursive: true, mode: 0o700 });
  const output = await open(hands.own(SETUP_OUTPUT), "w", 0o600);
  try {
    hands.tools.pass("before setup");
    let bytes = 0;
    const onOutput = (chunk: Buffer): Promise<unknown> | undefined => {
      const room = Math.max(0, OUTPUT_BYTES_MAX - bytes);
      bytes += chunk.length;
      return room > 0 ? output.write(chunk.subarray(0, room)) : undefined;
    };
    const code = await runShell(hands, { name: "setup", command: setup, stop, onOutput });
    hands.tools.pass("after setup");
    await rememberIgnored(hands);
    return code;
  } finally {
    await output.close();
  }
}

/** The beginning of what the last one said. */
export async function setupOutput(ownDir: string, maxBytes: number): Promise<string> {
  const text = await readFile(`${ownDir}/${SETUP_OUTPUT}`).catch(() => Buffer.alloc(0));
  return text.subarray(Math.max(0, text.length - maxBytes)).toString("utf8");
}
