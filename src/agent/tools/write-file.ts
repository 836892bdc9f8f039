import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { resolvePath } from "./resolve-path.js";
import type { Tool } from "./tool.js";
import { unifiedDiff } from "./unified-diff.js";
import { writeWhole, type Backups } from "./write-whole.js";

const input = z.object({
  file_path: z.string().min(1),
  content: z.string(),
  overwrite: z.boolean().default(false).describe("Needed when the file is there already"),
});

export function writeFileTool(backups: Backups): Tool<z.infer<typeof input>> {
  return {
    name: "write_file",
    capability: "client_v1_write_file",
    ask: "tool",
    description: "Writes a whole file, with the folders that it needs.",
    input,
    async describe({ file_path, content }, { cwd }) {
      const before = await oldContent(await resolvePath(cwd, file_path));
      return { title: `Write ${file_path}`, detail: unifiedDiff(file_path, before ?? "", content) };
    },
    async execute({ file_path, content, overwrite }, { cwd, files }) {
      const path = await resolvePath(cwd, file_path);
      const before = await oldContent(path);
      if (before !== null && !overwrite)
        return { isError: true, content: `${file_path} is there already: set overwrite to replace it.` };
      await backups.keep(path);
      await writeWhole(path, content);
      files.remember(path, content);
      const diff = unifiedDiff(file_path, before ?? "", content);
      return { isError: false, content: `Wrote ${file_path}.`, diff };
    },
  };
}

/** Null when there is none. */
async function oldContent(path: string): Promise<string | null> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists ? readFile(path, "utf8") : null;
}
