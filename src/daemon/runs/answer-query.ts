/**
 * What a codec asks of us on behalf of its agent: what the rules say, and files of the session's folder. Whether a person
 * is to be asked about a file first is the codec's part; what a rule denies is denied here too.
 */
import { mkdir, readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Query, QueryAnswer } from "../../runtime/query.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { PermissionPort } from "./permission-port.js";

const FILE_BYTES_MAX = 10 * 1024 * 1024;

export async function answerQuery(
  query: Query,
  record: SessionRecord,
  permissions: Pick<PermissionPort, "decide" | "decideAccess">,
): Promise<QueryAnswer> {
  if (query.type === "permission")
    return { type: "decided", decision: await permissions.decide(record, query.tool) };
  const category = query.type === "read_file" ? "Read" : "Write";
  const decision = await permissions.decideAccess(record, { category, path: query.path });
  if (decision.verdict === "deny") return { type: "failed", message: decision.because, decision };
  try {
    const path = await within(record.settings.cwd, query.path);
    if (query.type === "read_file") return { type: "file", content: await readLines(path, query) };
    await writeWhole(path, query.content);
    return { type: "written" };
  } catch (error) {
    return { type: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

/** Where the path really leads, links followed; a file that is yet to be is judged by its folder. */
async function within(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const target = await realpathOfNearest(resolve(root, path));
  const away = relative(root, target);
  if (away === "" || away === ".." || away.startsWith("../") || isAbsolute(away))
    throw new Error(`${path} is not inside the session's folder`);
  return target;
}

async function realpathOfNearest(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) throw error;
    return join(await realpathOfNearest(dirname(path)), basename(path));
  }
}

async function readLines(
  path: string,
  { line, limit }: { readonly line: number | null; readonly limit: number | null },
): Promise<string> {
  const { size } = await stat(path);
  if (size > FILE_BYTES_MAX) throw new Error(`the file is larger than ${FILE_BYTES_MAX} bytes`);
  const content = await readFile(path, "utf8");
  if (line === null && limit === null) return content;
  const first = Math.max(0, (line ?? 1) - 1);
  const last = limit === null ? undefined : first + limit;
  return content.split("\n").slice(first, last).join("\n");
}

/** Whole or not at all: nobody ever reads half of it. */
async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.signalbox`;
  await writeFile(draft, content);
  await rename(draft, path);
}
