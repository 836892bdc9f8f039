/** What an agent can see of its workspace and of changes. What becomes of them is a person's decision. */
import { z } from "zod";
import type { Client } from "../../client/client.js";
import type { McpTool } from "../../protocol/agent-socket.js";
import type { Workspace } from "../../protocol/workspace.js";
import { resolveSession } from "../session-name.js";
import type { Caller } from "./caller.js";
import { sessionId, tool, ToolRefusal, type SessionTool } from "./tool.js";

const FILES_MAX = 200;
const DIFF_LENGTH_MAX = 100_000;
const WAYS = ["merge", "squash", "rebase", "branch"] as const;

type WorkspaceTool = Extract<McpTool, "read_workspace" | "read_changes" | "finish_workspace">;

export const WORKSPACE_TOOLS: Readonly<Record<WorkspaceTool, SessionTool>> = {
  read_workspace: tool({
    description:
      "The workspace that your own session works in: its branch, its base, what is uncommitted, and conflicts to resolve.",
    input: {},
    isReadOnly: true,
    run: async (client, caller) => seen(await ownWorkspace(client, caller)),
  }),
  read_changes: tool({
    description:
      "How the files of a session changed: the names with counts of lines, and the difference as a patch. Your own session when none is named.",
    input: {
      sessionId: sessionId.optional(),
      turn: z.number().int().min(1).optional().describe("Only what changed in this turn"),
      path: z.string().min(1).max(4_096).optional().describe("Only this file or folder"),
      maxLength: z
        .number()
        .int()
        .min(0)
        .max(DIFF_LENGTH_MAX)
        .optional()
        .describe("Characters of the patch; 20000 when absent, 0 for the names alone"),
    },
    isReadOnly: true,
    run: async (client, caller, { sessionId: given, turn, path, maxLength = 20_000 }) => {
      const id = given === undefined ? ownId(caller) : (await resolveSession(client, given)).id;
      const span = turn === undefined ? {} : { from: `start:${turn}`, to: `turn:${turn}` };
      const report = await client.getChanges(id, { ...span, limit: FILES_MAX });
      const patch =
        maxLength === 0 ? null : await patchOf(client, id, { ...span, ...(path && { path }) }, maxLength);
      return {
        sessionId: id,
        branch: report.branch,
        turns: report.turns,
        total: report.total,
        files: report.items
          .filter((item) => isAt(item.path, path))
          .map(({ path: name, oldPath, status, added, removed }) => ({
            path: name,
            ...(oldPath === null ? {} : { oldPath }),
            status,
            added,
            removed,
          })),
        ...(report.skipped.length > 0 ? { notKept: report.skipped } : {}),
        ...patch,
      };
    },
  }),
  finish_workspace: tool({
    description:
      "Asks for your own workspace to be finished. It is never done by this: it tells what is in the way, and what your user can enter to do it.",
    input: {
      how: z.enum(WAYS).describe("What you suggest"),
      message: z.string().min(1).max(10_000).optional().describe("Of the commit, as you suggest it"),
    },
    isReadOnly: true,
    run: async (client, caller, { how, message }) => {
      const workspace = await ownWorkspace(client, caller);
      const text = message === undefined ? "" : ` -m ${quoted(message)}`;
      return {
        isDone: false,
        why: "Only a person finishes or discards a workspace. Tell your user what you suggest.",
        forThePerson: `signalbox finish ${ownId(caller)} --how ${how}${text}`,
        inTheWay: obstacles(workspace, how),
        workspace: seen(workspace),
      };
    },
  }),
};

function isAt(name: string, path: string | undefined): boolean {
  return path === undefined || name === path || name.startsWith(`${path.replace(/\/+$/, "")}/`);
}

function ownId({ sessionId: own }: Caller): string {
  if (own === null) throw new ToolRefusal("You are no session of Signalbox: name one.");
  return own;
}

async function ownWorkspace(client: Client, caller: Caller): Promise<Workspace> {
  const id = ownId(caller);
  const { items } = await client.listWorkspaces({ id, look: "1" });
  const [workspace] = items;
  if (!workspace) throw new ToolRefusal("Your session has no workspace: it works in the folder itself.");
  return workspace;
}

function seen({ branch, base, path, status, observed, conflicts, error, setup, finished }: Workspace) {
  return {
    ...{ branch, base: base.branch, path, status, setup },
    ...(observed && {
      isDirty: observed.dirty,
      commitsAhead: observed.ahead,
      commitsBehind: observed.behind,
    }),
    ...(conflicts.length > 0 ? { conflicts } : {}),
    ...(finished ? { finished } : {}),
    ...(error ? { error: `${error.code}: ${error.message}` } : {}),
  };
}

/** Of merge, squash and rebase: a branch alone moves nothing. */
function obstacles({ status, observed, conflicts, base }: Workspace, how: (typeof WAYS)[number]): string[] {
  return [
    ...(conflicts.length > 0 ? [`conflicts in ${conflicts.slice(0, 20).join(", ")}: resolve them`] : []),
    ...(observed?.baseDirty === true && how !== "branch"
      ? [`your user has uncommitted changes in their checkout of ${base.branch}`]
      : []),
    ...(status === "ready" || status === "merged" || status === "conflicted" ? [] : [`it is ${status}`]),
  ];
}

/** For a shell of the person's. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function patchOf(
  client: Client,
  id: string,
  query: Parameters<Client["getPatch"]>[1],
  maxLength: number,
): Promise<{ readonly patch: string; readonly isCut: boolean }> {
  let patch = "";
  let cursor: string | undefined;
  do {
    const page = await client.getPatch(id, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    patch += page.lines.map((line) => `${line}\n`).join("");
    cursor = page.nextCursor;
  } while (cursor !== undefined && patch.length <= maxLength);
  return { patch: patch.slice(0, maxLength), isCut: patch.length > maxLength || cursor !== undefined };
}
