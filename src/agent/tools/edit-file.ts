import { z } from "zod";
import type { FileChanges } from "./file-changes.js";
import { lookAtFile } from "./look-at-file.js";
import type { Tool, ToolContext } from "./tool.js";
import { unifiedDiff } from "./unified-diff.js";

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

export function editFileTool(changes: FileChanges): Tool<Input> {
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
    execute: (edit, context) =>
      changes.inTurn(context.signal, async () => {
        const plan = await planEdit(edit, context);
        if (!plan.ok) return { isError: true, content: plan.problem };
        const { path, before, after } = plan;
        await changes.replace(path, after);
        context.files.remember(path, after);
        const diff = unifiedDiff(edit.file_path, before, after);
        return { isError: false, content: `Edited ${edit.file_path}.`, diff };
      }),
  };
}

/** Nothing is edited unseen, and nothing is guessed. */
async function planEdit(
  { file_path, old_string, new_string, replace_all }: Input,
  { cwd, files }: Pick<ToolContext, "cwd" | "files">,
): Promise<Edit> {
  const sight = await lookAtFile(cwd, file_path);
  if (sight.type === "refused") return { ok: false, problem: sight.problem };
  if (sight.type !== "file") return { ok: false, problem: `There is no file ${file_path} that can be read.` };
  const { path, bytes, kind } = sight;
  const known = files.state(path, bytes);
  if (known === "unread") return { ok: false, problem: `Read ${file_path} before you edit it.` };
  if (known === "stale")
    return { ok: false, problem: `${file_path} has changed since you read it: read it again.` };
  if (kind !== "text") return { ok: false, problem: `${file_path} is not UTF-8: it cannot be edited.` };
  const before = bytes.toString("utf8");
  const fitted = lineEndsOf(before);
  const [wanted, replacement] = [fitted(old_string), fitted(new_string)];
  const places = before.split(wanted).length - 1;
  if (places === 0) return { ok: false, problem: "old_string is not in the file." };
  if (places > 1 && !replace_all)
    return {
      ok: false,
      problem: `old_string is in the file ${places} times: give more of it, or set replace_all.`,
    };
  // A function, so that `$&` and the like mean nothing.
  const after = replace_all
    ? before.replaceAll(wanted, () => replacement)
    : before.replace(wanted, () => replacement);
  return { ok: true, path, before, after };
}

/** Models write `\n`. In a file whose every line ends with `\r\n` that is meant, and it stays one. */
function lineEndsOf(content: string): (text: string) => string {
  const isCrlf = content.includes("\r\n") && !/(?<!\r)\n/.test(content);
  return isCrlf ? (text) => text.replace(/\r?\n/g, "\r\n") : (text) => text;
}
