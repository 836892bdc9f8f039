import { readFile } from "node:fs/promises";
import { z } from "zod";
import { resolvePath } from "./resolve-path.js";
import type { Tool, ToolContext } from "./tool.js";
import { unifiedDiff } from "./unified-diff.js";
import { writeWhole, type Backups } from "./write-whole.js";

const input = z.object({
  file_path: z.string().min(1),
  old_string: z.string().min(1).describe("Must be in the file exactly once, unless replace_all is set"),
  new_string: z.string(),
  replace_all: z.boolean().default(false),
});
type Input = z.infer<typeof input>;

type Edit =
  | { readonly ok: true; readonly path: string; readonly before: string; readonly after: string }
  | { readonly ok: false; readonly problem: string };

export function editFileTool(backups: Backups): Tool<Input> {
  return {
    name: "edit_file",
    capability: "client_v1_edit_file",
    ask: "tool",
    description: "Replaces a text in a file that was read before in this conversation.",
    input,
    async describe(edit, context) {
      const plan = await planEdit(edit, context);
      const detail = plan.ok ? unifiedDiff(edit.file_path, plan.before, plan.after) : plan.problem;
      return { title: `Edit ${edit.file_path}`, detail };
    },
    async execute(edit, context) {
      const plan = await planEdit(edit, context);
      if (!plan.ok) return { isError: true, content: plan.problem };
      const { path, before, after } = plan;
      await backups.keep(path);
      await writeWhole(path, after);
      context.files.remember(path, after);
      const diff = unifiedDiff(edit.file_path, before, after);
      return { isError: false, content: `Edited ${edit.file_path}.`, diff };
    },
  };
}

/** Nothing is edited unseen, and nothing is guessed. */
async function planEdit(
  { file_path, old_string, new_string, replace_all }: Input,
  { cwd, files }: Pick<ToolContext, "cwd" | "files">,
): Promise<Edit> {
  const path = await resolvePath(cwd, file_path);
  const before = await readFile(path, "utf8").catch(() => null);
  if (before === null) return { ok: false, problem: `There is no file ${file_path} that can be read.` };
  const known = files.state(path, before);
  if (known === "unread") return { ok: false, problem: `Read ${file_path} before you edit it.` };
  if (known === "stale")
    return { ok: false, problem: `${file_path} has changed since you read it: read it again.` };
  const places = before.split(old_string).length - 1;
  if (places === 0) return { ok: false, problem: "old_string is not in the file." };
  if (places > 1 && !replace_all)
    return {
      ok: false,
      problem: `old_string is in the file ${places} times: give more of it, or set replace_all.`,
    };
  // A function, so that `$&` and the like mean nothing.
  const after = replace_all
    ? before.replaceAll(old_string, () => new_string)
    : before.replace(old_string, () => new_string);
  return { ok: true, path, before, after };
}
