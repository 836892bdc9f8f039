/**
 * What a codec asks of us on behalf of its agent: what the rules say, and files of the session's folder. Whether a person
 * is to be asked about a file first is the codec's part; what a rule denies is denied here too.
 */
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
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
