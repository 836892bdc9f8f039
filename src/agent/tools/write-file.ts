import { z } from "zod";
import type { FileChanges } from "./file-changes.js";
import { lookAtFile, type FileSight } from "./look-at-file.js";
import type { Tool } from "./tool.js";
import { unifiedDiff } from "./unified-diff.js";

const input = z.object({
  file_path: z.string().min(1),
  content: z.string(),
  overwrite: z.boolean().default(false).describe("Needed when the file is there already"),
});

export function writeFileTool(changes: FileChanges): Tool<z.infer<typeof input>> {
  return {
    name: "write_file",
    capability: "client_v1_write_file",
    ask: "tool",
    description: "Writes a whole file, with the folders that it needs.",
    input,
    async describe({ file_path, content, overwrite }, { cwd }) {
      const sight = await lookAtFile(cwd, file_path);
      const detail = problemOf(sight, file_path, overwrite) ?? changeOf(sight, file_path, content);
      return { title: `Write ${file_path}`, detail };
    },
    execute: ({ file_path, content, overwrite }, { cwd, files, signal }) =>
      changes.inTurn(signal, async () => {
        const sight = await lookAtFile(cwd, file_path);
        const problem = problemOf(sight, file_path, overwrite);
        if (problem !== null || sight.type === "refused") return { isError: true, content: problem ?? "" };
        await changes.replace(sight.path, content);
        files.remember(sight.path, content);
        const diff = changeOf(sight, file_path, content);
        return { isError: false, content: `Wrote ${file_path}.`, diff };
      }),
  };
}

/** Why it cannot be written, or null. */
function problemOf(sight: FileSight, filePath: string, overwrite: boolean): string | null {
  switch (sight.type) {
    case "refused":
      return sight.problem;
    case "folder":
      return `${filePath} is a folder.`;
    case "file":
      return overwrite ? null : `${filePath} is there already: set overwrite to replace it.`;
    case "none":
      return null;
  }
}

/** As a person reads it, what is no text is only named. */
function changeOf(sight: FileSight, filePath: string, content: string): string {
  if (sight.type !== "file") return unifiedDiff(filePath, "", content);
  if (sight.kind !== "binary") return unifiedDiff(filePath, sight.bytes.toString("utf8"), content);
  return `[replaces a binary file of ${sight.bytes.length} bytes]\n${unifiedDiff(filePath, "", content)}`;
}
