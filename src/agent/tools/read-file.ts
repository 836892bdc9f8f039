import { readdir } from "node:fs/promises";
import { z } from "zod";
import { lookAtFile } from "./look-at-file.js";
import type { Tool } from "./tool.js";

const LINES_MAX = 1_000;
const LENGTH_MAX = 100_000;

const input = z.object({
  file_path: z.string().min(1),
  offset: z.number().int().nonnegative().default(0).describe("Lines to skip"),
  limit: z.number().int().positive().max(LINES_MAX).default(100).describe("Lines to read"),
});

export const readFileTool: Tool<z.infer<typeof input>> = {
  name: "read_file",
  capability: "client_v1_read_file",
  ask: "tool",
  description: "Reads a text file, with line numbers, or lists a directory. Read a file before you edit it.",
  input,
  describe: ({ file_path, offset, limit }) =>
    Promise.resolve({
      title: `Read ${file_path}`,
      detail: offset === 0 ? `${limit} lines` : `${limit} lines after line ${offset}`,
    }),
  async execute({ file_path, offset, limit }, { cwd, files }) {
    const sight = await lookAtFile(cwd, file_path);
    if (sight.type === "refused") return refused(sight.problem);
    if (sight.type === "none") return refused(`There is no file ${file_path}.`);
    if (sight.type === "folder") return { isError: false, content: await listing(sight.path) };
    const { path, bytes, kind } = sight;
    if (kind === "binary") return refused("This is not a text file.");
    const lines = bytes.toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    const shown = lines.slice(offset, offset + limit);
    const content = shown.map((line, index) => `${offset + index + 1}\t${line}`).join("\n");
    if (content.length > LENGTH_MAX)
      return refused(`These lines have more than ${LENGTH_MAX} characters: read fewer of them.`);
    files.remember(path, bytes);
    const rest = lines.length - offset - shown.length;
    return { isError: false, content: rest > 0 ? `${content}\n[${rest} more lines]` : content };
  },
};

async function listing(path: string): Promise<string> {
  const names = (await readdir(path, { withFileTypes: true }))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .toSorted();
  const shown = names.slice(0, LINES_MAX);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [`[${rest} more]`] : [])].join("\n");
}

function refused(content: string): { readonly isError: true; readonly content: string } {
  return { isError: true, content };
}
