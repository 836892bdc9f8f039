/** Whether a call could do something that its run's wall does not hold. What it holds need not be asked. */
import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { ResolvedAccess } from "../core/index.js";
import { matchesTextGlob, parseTextGlob } from "../core/permissions/text-glob.js";
import type { WallPlan } from "../protocol/wall.js";
import { isWithin } from "./layers.js";
import { planAccess } from "./plan-access.js";

type FileAccess = Extract<ResolvedAccess, { readonly category: "Read" | "Write" }>;
type WebAccess = Extract<ResolvedAccess, { readonly category: "Web" }>;
type ShellAccess = Extract<ResolvedAccess, { readonly category: "Shell" }>;

/** Every wall has its own of these. */
const OWN_FOLDERS = ["/dev", "/proc"];

/** Whether this machine has something by that path. */
type Exists = (path: string) => boolean;

/** Why a person is to decide, as the reason in a sentence; null: the wall holds all of it. */
export function leavesWall(
  plan: WallPlan,
  accesses: readonly ResolvedAccess[],
  exists: Exists = existsSync,
): string | null {
  for (const access of accesses) {
    const why = whyOf(plan, access, exists);
    if (why !== null) return why;
  }
  return null;
}

function whyOf(plan: WallPlan, access: ResolvedAccess, exists: Exists): string | null {
  switch (access.category) {
    case "Read":
    case "Write":
      return fileLeaves(plan, access, exists);
    case "Shell":
      return shellLeaves(plan, access, exists);
    case "Web":
      return networkLeaves(plan) ?? hostLeaves(plan, access);
    case "Mcp":
      return `what the MCP server ${access.server} does, no wall holds`;
    case "Tool":
      return networkLeaves(plan);
  }
}

function networkLeaves({ network }: WallPlan): string | null {
  return network.mode === "open" ? "the network is open: it could send anything anywhere" : null;
}

function hostLeaves({ network }: WallPlan, { host, hosts }: WebAccess): string | null {
  if (network.mode === "closed") return "the network is closed";
  const listed = network.hosts.map((pattern) => parseTextGlob(pattern.replace(/:(?:\d+|\*)$/, "")));
  const isListed = hosts.some((name) => listed.some((glob) => matchesTextGlob(glob, name)));
  return isListed ? null : `${host} is none of the hosts that its wall lists`;
}

function shellLeaves(plan: WallPlan, { analysis, files }: ShellAccess, exists: Exists): string | null {
  const open = networkLeaves(plan);
  if (open !== null) return open;
  if (analysis.commands.some(({ words }) => isPush(words))) return "`git push` publishes the work";
  for (const { use, access } of files) {
    if (!use.certain || !use.exact) continue;
    // What a program does with its words is not known: outside of the project, what is read-only is most often only read.
    const isOwn = use.demand === "allow" || access.targets.every((target) => isWithin(target, plan.cwd));
    const why = fileLeaves(plan, isOwn ? access : { ...access, category: "Read" }, exists);
    if (why !== null) return why;
  }
  return null;
}

const GIT_OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(["-C", "-c", "--git-dir", "--work-tree"]);

function isPush([program = "", ...words]: readonly string[]): boolean {
  if (basename(program) !== "git") return false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (GIT_OPTIONS_WITH_VALUE.has(word)) at += 1;
    else if (!word.startsWith("-")) return word === "push";
  }
  return false;
}

function fileLeaves(plan: WallPlan, { category, path, targets }: FileAccess, exists: Exists): string | null {
  for (const target of targets) {
    if (OWN_FOLDERS.some((folder) => isWithin(target, folder))) continue;
    const { access } = planAccess(plan, target);
    // What the run has of its own there, it made itself; what this machine has, it does not see.
    const isUnseen = access === "private" && category === "Read" && exists(target);
    if (access === "hidden" || isUnseen) return `${path} is hidden by the wall`;
    if (category === "Write" && access === "readOnly") return `${path} is read-only inside the wall`;
  }
  return null;
}
