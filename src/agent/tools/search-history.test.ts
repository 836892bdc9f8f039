import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileMemory } from "./file-memory.js";
import { searchHistoryTool } from "./search-history.js";

test("earlier conversations and the shell's history, newest first", async () => {
  const home = await mkdtemp(join(tmpdir(), "signalbox-history-"));
  const talks = join(home, "talks");
  await mkdir(talks);
  await writeFile(join(home, ".bash_history"), "git status\ngit push\nls\n#1700000000\ngit status\n");
  await writeFile(join(home, ".zsh_history"), ": 1700000000:0;git log\n");
  const entry = (type: string, content: string): string =>
    JSON.stringify({ type: "entry", entry: { type, content } });
  const lines = [entry("user_message", "Use git\nplease"), entry("text", "I use Git."), '{"type":"ent'];
  await writeFile(join(talks, "a.jsonl"), lines.join("\n"));
  await mkdir(join(home, ".local", "share", "fish"), { recursive: true });
  const fish = "- cmd: git fetch\n  when: 1700000000\n  paths:\n    - git\n";
  await writeFile(join(home, ".local", "share", "fish", "fish_history"), fish);
  await writeFile(join(talks, "0.jsonl"), entry("text", "The newest of Git."));
  await utimes(join(talks, "a.jsonl"), 1, 1);
  const tool = searchHistoryTool(talks, { HOME: home });
  const search = (query: string, limit?: number): Promise<unknown> =>
    tool.execute(tool.input.parse(limit === undefined ? { query } : { query, limit }), {
      cwd: home,
      files: new FileMemory(),
      signal: new AbortController().signal,
      preview: () => undefined,
      ask: () => Promise.resolve(null),
    });
  expect(await search("git")).toEqual({
    isError: false,
    content: [
      "shell: git status",
      "shell: git push",
      "shell: git log",
      "shell: git fetch",
      "agent: The newest of Git.",
      "agent: I use Git.",
      "user: Use git please",
    ].join("\n"),
  });
  expect(await search("git", 1)).toEqual({ isError: false, content: "shell: git status" });
  expect(await search("nothing like it")).toEqual({ isError: false, content: "Nothing was found." });
  expect(() => tool.input.parse({ query: "a", limit: 51 })).toThrow();
  await rm(home, { recursive: true });
});
