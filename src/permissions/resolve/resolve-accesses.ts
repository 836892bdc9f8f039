/** Follows what a call names to where it leads: links and dots of paths, the names of hosts, what a shell line runs. */
import type { Access, FileAccess, ResolvedAccess, ShellAccess, ShellFile } from "../../core/index.js";
import { escapePath } from "../../core/permissions/path-glob.js";
import { analyzeShell } from "../shell/analyze-shell.js";
import { resolveHost } from "./resolve-host.js";
import { absolutePath, realPath, resolvePath } from "./resolve-path.js";

export interface ResolveContext {
  /** Where the agent works; relative paths start there. */
  readonly cwd: string;
  /** What relative patterns without a root of their own start from. */
  readonly projectDir: string;
  readonly homeDir: string;
}

/** Looks at the disk, and changes nothing. Between this and the call, the disk may change: that is not seen. */
export function resolveAccesses(
  accesses: readonly Access[],
  { cwd, projectDir, homeDir }: ResolveContext,
): readonly ResolvedAccess[] {
  const bases: Bases = { cwd, project: realPath(projectDir), home: realPath(homeDir) };
  return accesses.map((access): ResolvedAccess => {
    switch (access.category) {
      case "Read":
      case "Write":
        return resolveFile(access.category, access.path, bases);
      case "Shell":
        return resolveShell(access, bases);
      case "Web":
        return resolveHost(access.host);
      case "Mcp":
      case "Tool":
        return access;
    }
  });
}

interface Bases {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
}

function resolveFile(category: "Read" | "Write", path: string, { cwd, project, home }: Bases): FileAccess {
  const { given, targets } = resolvePath(path, cwd, home);
  const inside = targets.filter((target) => target.startsWith(`${project}/`));
  const relative = inside.map((target) => target.slice(project.length + 1));
  return {
    category,
    path,
    paths: [...new Set([given, ...targets, ...relative])],
    targets,
    exact: true,
    project,
    home,
  };
}

function resolveShell(access: Extract<Access, { readonly category: "Shell" }>, bases: Bases): ShellAccess {
  const cwd = access.cwd === undefined ? bases.cwd : absolutePath(access.cwd, bases.cwd, bases.home);
  const analysis = analyzeShell(access.command, access.shell, cwd);
  return {
    category: "Shell",
    command: access.command,
    analysis,
    files: analysis.files.map((use) => ({ use, access: resolveShellFile(use, bases) })),
    hosts: analysis.hosts.map((use) => ({ use, access: resolveHost(use.host) })),
  };
}

/** A name that the shell computes is a pattern: there is nothing to follow, and no rule allows it. */
function resolveShellFile(use: ShellFile, bases: Bases): FileAccess {
  if (use.exact) return resolveFile(use.category, use.path, bases);
  const { cwd, project, home } = bases;
  const path = absolutePath(use.path, escapePath(cwd), escapePath(home));
  return { category: use.category, path: use.path, paths: [path], targets: [], exact: false, project, home };
}
