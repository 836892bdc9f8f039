/** What a repository's `.signalbox/project.toml` says, or the first thing that is wrong with it. */
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import type { ProjectSettings } from "../../protocol/workspace.js";

const schema = z.strictObject({
  setup: z.string().min(1).max(10_000).optional(),
  check: z.string().min(1).max(10_000).optional(),
  run: z.string().min(1).max(10_000).optional(),
  harness: z.string().min(1).max(100).optional(),
  model: z.string().min(1).max(200).optional(),
  copy: z.array(z.string().min(1).max(1_000)).max(100).optional(),
  base: z.string().min(1).max(250).optional(),
  branch_prefix: z.string().max(100).optional(),
});

export function parseProject(
  text: string,
): { readonly settings: Partial<ProjectSettings> } | { readonly flaw: string } {
  let document: unknown;
  try {
    document = parse(text, { maxDepth: 8 });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return { flaw: `line ${error.line}: ${error.message.split("\n", 1)[0] ?? ""}` };
  }
  const parsed = schema.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") ?? "";
    return { flaw: `${where === "" ? "" : `${where}: `}${issue?.message ?? "it cannot be read"}` };
  }
  const { setup, check, run, harness, model, copy, base, branch_prefix: branchPrefix } = parsed.data;
  return {
    settings: {
      ...(setup === undefined ? {} : { setup }),
      ...(check === undefined ? {} : { check }),
      ...(run === undefined ? {} : { run }),
      ...(harness === undefined ? {} : { harness }),
      ...(model === undefined ? {} : { model }),
      ...(copy === undefined ? {} : { copy }),
      ...(base === undefined ? {} : { base }),
      ...(branchPrefix === undefined ? {} : { branchPrefix }),
    },
  };
}
