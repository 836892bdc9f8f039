/** What is done in a project's workspaces: by the person, by the repository, and where nobody has said anything. */
import type { ProjectSettings } from "../../protocol/workspace.js";

export const PREFIX = "signalbox/";

export const NO_SETTINGS: ProjectSettings = {
  setup: null,
  check: null,
  run: null,
  copy: [],
  base: null,
  branchPrefix: PREFIX,
  harness: null,
  model: null,
  approve: null,
  diskBytesMax: null,
};

/** What the person has set: it goes before what the repository brings. */
export function ownOf(settings: ProjectSettings): Partial<ProjectSettings> {
  const { copy, branchPrefix, ...others } = settings;
  return {
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null)),
    ...(copy.length === 0 ? {} : { copy }),
    ...(branchPrefix === PREFIX ? {} : { branchPrefix }),
  };
}
