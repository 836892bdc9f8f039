/** `.signalbox/project.toml` of a trusted repository, from the commit that a workspace begins at: never from a workspace. */
import { parseProject } from "../../permissions/config/parse-project.js";
import type { ProjectSettings } from "../../protocol/workspace.js";
import { runGit } from "../../workspace/git.js";
import type { Original } from "../../workspace/place.js";
import { RepositoryError } from "../../workspace/find-repository.js";

const FILE = ".signalbox/project.toml";
/** Other tools bring the same files along by it. */
const INCLUDE_FILE = ".worktreeinclude";
const PATTERNS_MAX = 100;
const FILE_BYTES_MAX = 64 * 1024;

/** Rejects with a `RepositoryError` when it is there and says something that it cannot. */
export async function projectFile(
  { commonDir }: Original,
  commit: string,
): Promise<Partial<ProjectSettings>> {
  const include = await textAt(commonDir, commit, INCLUDE_FILE);
  const copied = include === null ? [] : patternsIn(include);
  const text = await textAt(commonDir, commit, FILE);
  if (text === null) return copied.length === 0 ? {} : { copy: copied };
  const parsed = parseProject(text);
  if ("flaw" in parsed) throw new RepositoryError("settings_invalid", `${FILE}: ${parsed.flaw}`);
  const { copy = [], ...settings } = parsed.settings;
  const all = [...new Set([...copied, ...copy])];
  return all.length === 0 ? settings : { ...settings, copy: all };
}

/** Null: there is none, or it is too long to be one. */
async function textAt(commonDir: string, commit: string, path: string): Promise<string | null> {
  const place = { gitDir: commonDir, workTree: null, maxBytes: FILE_BYTES_MAX };
  const shown = await runGit(["show", "--no-textconv", `${commit}:${path}`], place);
  return shown.code === 0 ? shown.stdout.toString("utf8") : null;
}

function patternsIn(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#")).slice(0, PATTERNS_MAX);
}
