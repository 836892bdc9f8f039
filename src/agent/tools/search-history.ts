import { readdir, readFile, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { baseFolder, homeFolder } from "../../protocol/folder-variables.js";
import type { Tool } from "./tool.js";

const FILE_LENGTH_MAX = 20_000_000;
const LINE_LENGTH_MAX = 500;
const FILES_MAX = 200;

const input = z.object({
  query: z.string().min(1),
  limit: z.number().int().positive().max(50).default(10),
});

/** Earlier conversations of this agent and the person's shell history, newest first. */
export function searchHistoryTool(
  conversations: string,
  env: Readonly<Record<string, string | undefined>>,
): Tool<z.infer<typeof input>> {
  return {
    name: "search_history",
    capability: "client_v1_search_history",
    ask: "tool",
    description: "Searches earlier conversations and the user's shell history for a text.",
    input,
    describe: ({ query }) => Promise.resolve({ title: `Search the history for ${query}`, detail: "" }),
    async execute({ query, limit }) {
      const lines = [...(await shellLines(env)), ...(await conversationLines(conversations))];
      const wanted = query.toLowerCase();
      const found = lines.filter((line) => line.toLowerCase().includes(wanted)).slice(0, limit);
      const content = found.map((line) => line.slice(0, LINE_LENGTH_MAX)).join("\n");
      return { isError: false, content: content === "" ? "Nothing was found." : content };
    },
  };
}

async function shellLines(env: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const ofUser = (): string => userInfo().homedir;
  const home = homeFolder(env, ofUser);
  const chosen = env["HISTFILE"] ? [env["HISTFILE"]] : [];
  const data = baseFolder(env, "XDG_DATA_HOME", ofUser);
  const known = [join(home, ".bash_history"), join(home, ".zsh_history"), join(data, "fish", "fish_history")];
  const texts = await Promise.all([...new Set([...chosen, ...known])].map(textOf));
  const lines = texts.flatMap((text) => text.split("\n").toReversed()).map(commandIn);
  return [...new Set(lines)].filter((line) => line !== "").map((line) => `shell: ${line}`);
}

/** zsh writes `: time:duration;command`, fish `- cmd: command` and more about it, bash may write `#time` above. */
function commandIn(line: string): string {
  if (/^#\d+$|^ {2}(?:when: \d|paths:)|^ {4}- /.test(line)) return "";
  return line.replace(/^(?:: \d+:\d+;|- cmd: )/, "").trim();
}

async function conversationLines(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const files = await Promise.all(names.map((name) => changedAt(join(folder, name))));
  const newest = files.toSorted((a, b) => b.atMs - a.atMs).slice(0, FILES_MAX);
  const texts = await Promise.all(newest.map(({ path }) => textOf(path)));
  return texts.flatMap((text) => text.split("\n").toReversed().flatMap(saidIn));
}

/** Long ago, where nobody can say. */
async function changedAt(path: string): Promise<{ readonly path: string; readonly atMs: number }> {
  const status = await stat(path).catch(() => null);
  return { path, atMs: status?.mtimeMs ?? 0 };
}

/** What a person or the agent said; calls and results are left out. */
function saidIn(line: string): readonly string[] {
  try {
    const { entry } = JSON.parse(line) as {
      readonly entry?: { readonly type: string; readonly content?: string };
    };
    const who = entry?.type === "user_message" ? "user" : entry?.type === "text" ? "agent" : null;
    return who === null || entry?.content === undefined
      ? []
      : [`${who}: ${entry.content.replaceAll("\n", " ")}`];
  } catch {
    // A line that was cut short, or none.
    return [];
  }
}

/** The newest part of a file; nothing when it cannot be read. */
async function textOf(file: string): Promise<string> {
  return (await readFile(file, "utf8").catch(() => "")).slice(-FILE_LENGTH_MAX);
}
