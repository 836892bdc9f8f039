/**
 * What a codec asks of us on behalf of its agent: what the rules say, and files of the session's folder. Whether a person
 * is to be asked about a file first is the codec's part; what a rule denies is denied here too.
 */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { writeWhole } from "../../agent/tools/write-whole.js";
import type { Query, QueryAnswer, TerminalQuery } from "../../runtime/query.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { PermissionPort } from "./permission-port.js";
import { fileWithin, folderWithin } from "./within-folder.js";

const FILE_BYTES_MAX = 10 * 1024 * 1024;

export async function answerQuery(
  query: Exclude<Query, TerminalQuery>,
  record: SessionRecord,
  permissions: Pick<PermissionPort, "decide" | "decideAccess">,
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
  const decision = await permissions.decideAccess(record, { category, path: query.path });
  if (decision.verdict === "deny") return { type: "failed", message: decision.because, decision };
  try {
    const path = await fileWithin(record.settings.cwd, query.path);
    if (query.type === "read_file") return { type: "file", content: await readLines(path, query) };
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, query.content);
    return { type: "written" };
  } catch (error) {
    return failed(error);
  }
}

export function failed(error: unknown): QueryAnswer {
  return { type: "failed", message: error instanceof Error ? error.message : String(error) };
}

async function readLines(
  path: string,
  { line, limit }: { readonly line: number | null; readonly limit: number | null },
): Promise<string> {
  const content = await readRegular(path);
  if (line === null && limit === null) return content;
  const first = Math.max(0, (line ?? 1) - 1);
  const last = limit === null ? undefined : first + limit;
  return content.split("\n").slice(first, last).join("\n");
}

/** Without waiting: a pipe may never come to an end, and whatever else the session has to do waits for this. */
async function readRegular(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error("it is no regular file");
    if (status.size > FILE_BYTES_MAX) throw new Error(`the file is larger than ${FILE_BYTES_MAX} bytes`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}
