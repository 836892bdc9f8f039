import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { flawed, type Failure } from "../problem.js";

export async function folderFlaw(field: string, path: string): Promise<Failure | null> {
  if (!isAbsolute(path)) return flawed(field, "Not an absolute path");
  // The system cannot be asked about a path with a zero byte.
  const stats = path.includes("\0") ? null : await stat(path).catch(() => null);
  return stats?.isDirectory() === true ? null : flawed(field, "There is no such folder");
}
