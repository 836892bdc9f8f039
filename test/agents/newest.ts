/** Asks the registry of npm which version of an agent is the newest. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { inVersion, VERSIONS, type AgentName, type AgentPackage } from "./packages.js";

const run = promisify(execFile);
const ANSWER_MAX_MS = 30_000;

/** Gives the words of `npm` with these arguments. */
export type AskNpm = (args: readonly string[]) => Promise<string>;

/** The registry did not say. */
export class NotAnswered extends Error {
  override readonly name = "NotAnswered";
}

export async function newestOf(name: AgentName, ask: AskNpm = askNpm): Promise<AgentPackage> {
  const { package: packageName } = VERSIONS[name].pinned;
  let words: string;
  try {
    words = await ask(["view", packageName, "version", "--json"]);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new NotAnswered(`the registry does not say which ${packageName} is the newest: ${why}`, {
      cause: error,
    });
  }
  const version = /^"?(\d+\.\d+\.\d+[\w.+-]*)"?$/.exec(words.trim())?.[1];
  if (version === undefined)
    throw new NotAnswered(`the registry names no version of ${packageName}: ${words.trim().slice(0, 100)}`);
  return inVersion(name, version);
}

async function askNpm(args: readonly string[]): Promise<string> {
  const { stdout } = await run("npm", [...args], { timeout: ANSWER_MAX_MS });
  return stdout;
}
