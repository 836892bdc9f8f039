import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { resolvePath } from "./resolve-path.js";

const FILE_BYTES_MAX = 50 * 1024 * 1024;

export type FileSight =
  | { readonly type: "none"; readonly path: string }
  | { readonly type: "folder"; readonly path: string }
  | {
      readonly type: "file";
      readonly path: string;
      readonly bytes: Buffer;
      /** `foreign`: text in another encoding than UTF-8, which could not be written back as it is. */
      readonly kind: "text" | "foreign" | "binary";
    }
  | { readonly type: "refused"; readonly problem: string };

/** What is at a path. Only regular files are read: a pipe or a device may never come to an end. Never throws. */
export async function lookAtFile(cwd: string, filePath: string): Promise<FileSight> {
  try {
    const path = await resolvePath(cwd, filePath);
    const status = await stat(path).catch(nothingThere);
    if (status === null) return { type: "none", path };
    if (status.isDirectory()) return { type: "folder", path };
    if (!status.isFile()) return { type: "refused", problem: `${filePath} is no regular file.` };
    if (status.size > FILE_BYTES_MAX)
      return { type: "refused", problem: `${filePath} is larger than ${FILE_BYTES_MAX} bytes.` };
    const bytes = await readFile(path);
    const kind = bytes.includes(0) ? "binary" : isUtf8(bytes) ? "text" : "foreign";
    return { type: "file", path, bytes, kind };
  } catch (error) {
    return { type: "refused", problem: error instanceof Error ? error.message : String(error) };
  }
}

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
