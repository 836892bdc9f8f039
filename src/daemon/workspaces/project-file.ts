/** `.signalbox/project.toml` of a trusted repository, from the commit that a workspace begins at: never from a workspace. */
import { parseProject } from "../../permissions/config/parse-project.js";
import type { ProjectSettings } from "../../protocol/workspace.js";
import { runGit } from "../../workspace/git.js";
import type { Original } from "../../workspace/place.js";
import { RepositoryError } from "../../workspace/find-repository.js";

const FILE = ".signalbox/project.toml";
const FILE_BYTES_MAX = 64 * 1024;

/** Rejects with a `RepositoryError` when it is there and says something that it cannot. */
export async function projectFile(
  { commonDir }: Original,
  commit: string,
): Promise<Partial<ProjectSettings>> {
  const place = { gitDir: commonDir, workTree: null, maxBytes: FILE_BYTES_MAX };
  const shown = await runGit(["show", "--no-textconv", `${commit}:${FILE}`], place);
  if (shown.code !== 0) return {};
  const parsed = parseProject(shown.stdout.toString("utf8"));
  if ("flaw" in parsed) throw new RepositoryError("settings_invalid", `${FILE}: ${parsed.flaw}`);
  return parsed.settings;
}
