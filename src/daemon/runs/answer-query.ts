/**
 * What a codec asks of us on behalf of its agent: what the rules say, and files of the session's folder. Whether a person
 * is to be asked about a file first is the codec's part; what a rule denies is denied here too.
 */
import { constants } from "node:fs";
import { mkdir, open, realpath, type FileHandle } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import { writeWhole } from "../../agent/tools/write-whole.js";
import type { Query, QueryAnswer, TerminalQuery } from "../../runtime/query.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { WallPlan } from "../../protocol/wall.js";
import { planAccess } from "../../wall/plan-access.js";
import type { PermissionPort } from "./permission-port.js";
import { fileWithin, folderWithin } from "./within-folder.js";

const FILE_BYTES_MAX = 10 * 1024 * 1024;

export async function answerQuery(
  query: Exclude<Query, TerminalQuery>,
  record: SessionRecord,
  permissions: Pick<PermissionPort, "decide" | "decideAccess">,
  /** Of the wall around its run: what the agent cannot do itself is not done for it. */
  plan: WallPlan | null = null,
): Promise<QueryAnswer> {
  if (query.type === "permission") {
    try {
      if (query.within !== undefined) await folderWithin(record.settings.cwd, query.within);
    } catch (error) {
      return failed(error);
    }
    return { type: "decided", decision: await permissions.decide(record, query.tool) };
  }
  const category = query.type === "read_file" ? "Read" : "Write";
  if (plan !== null) {
    try {
      await checkPlan(plan, record.settings.cwd, query);
    } catch (error) {
      return failed(error);
    }
  }
  const decision = await permissions.decideAccess(record, { category, path: query.path });
  if (decision.verdict === "deny") return { type: "failed", message: decision.because, decision };
  try {
    if (plan !== null) return await answerInside(plan, record.settings.cwd, query);
    const path = await fileWithin(record.settings.cwd, query.path);
    if (query.type === "read_file") return { type: "file", content: await readLines(path, query) };
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, query.content);
    return { type: "written" };
  } catch (error) {
    return failed(error);
  }
}

type FileQuery = Extract<Query, { readonly type: "read_file" | "write_file" }>;

async function checkPlan(plan: WallPlan, cwd: string, query: FileQuery): Promise<void> {
  allowedBy(plan, await fileWithin(cwd, query.path), query);
}

/** `path`: without links. */
function allowedBy(plan: WallPlan, path: string, { type, path: asked }: FileQuery): void {
  const { access, entry, rule } = planAccess(plan, path);
  const named = rule === undefined ? "" : ` (${rule})`;
  if (access === "hidden" || access === "private")
    throw new Error(`${asked} is hidden by the wall: ${entry ?? path}${named}`);
  if (access === "readOnly" && type === "write_file")
    throw new Error(`${asked} is read-only by the wall: ${entry ?? path}${named}`);
}

/**
 * In the place of an agent behind a wall, whose links could lead us where it cannot go: its folders are opened one by one,
 * none of them a link, and the file is named by the last of them. What is done is done where it was looked at.
 */
async function answerInside(plan: WallPlan, cwd: string, query: FileQuery): Promise<QueryAnswer> {
  const path = await fileWithin(cwd, query.path);
  allowedBy(plan, path, query);
  const root = await realpath(cwd);
  const isWrite = query.type === "write_file";
  const folder = await openFolder(root, relative(root, dirname(path)), isWrite);
  try {
    const name = `/proc/self/fd/${folder.fd}/${basename(path)}`;
    if (query.type === "read_file") {
      const content = await readLines(name, query, constants.O_NOFOLLOW);
      return { type: "file", content };
    }
    await writeWhole(name, query.content);
    return { type: "written" };
  } finally {
    await folder.close();
  }
}

/** A folder below another, through no link. The caller closes it. */
async function openFolder(root: string, below: string, isMade: boolean): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let at = await open(root, flags);
  for (const name of below.split("/").filter((part) => part !== "")) {
    const path = `/proc/self/fd/${at.fd}/${name}`;
    try {
      if (isMade) await mkdir(path).catch(unlessThere);
      const next = await open(path, flags);
      await at.close();
      at = next;
    } catch (error) {
      await at.close();
      throw error;
    }
  }
  return at;
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
}

export function failed(error: unknown): QueryAnswer {
  return { type: "failed", message: error instanceof Error ? error.message : String(error) };
}

async function readLines(
  path: string,
  { line, limit }: { readonly line: number | null; readonly limit: number | null },
  flags = 0,
): Promise<string> {
  const content = await readRegular(path, flags);
  if (line === null && limit === null) return content;
  const first = Math.max(0, (line ?? 1) - 1);
  const last = limit === null ? undefined : first + limit;
  return content.split("\n").slice(first, last).join("\n");
}

/** Without waiting: a pipe may never come to an end, and whatever else the session has to do waits for this. */
async function readRegular(path: string, flags: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error("it is no regular file");
    if (status.size > FILE_BYTES_MAX) throw new Error(`the file is larger than ${FILE_BYTES_MAX} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
