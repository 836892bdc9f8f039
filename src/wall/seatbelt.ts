/**
 * A plan as a profile of macOS's Seatbelt, for `sandbox-exec -f`. Untried: its text is tested, it has not been run.
 *
 * There are no mounts: a hidden file is refused, not empty, and no folder is private. What is copied and what is scratch
 * on Linux is therefore refused in the home folder, and a folder of the run's own stands for `/tmp`.
 */
import type { WallPlan } from "../protocol/wall.js";
import { byDepth } from "./layers.js";

/** Of several that match, the last rule decides: from wide to deep, as mounts. */
export function seatbeltProfile(plan: WallPlan, temporaryFolder: string): string {
  const placed = [
    ...plan.scratch.map(({ path }) => ({
      path,
      lines: [deny("file-read* file-write*", "subpath", path), deny("network-outbound", "subpath", path)],
    })),
    ...plan.readOnly.map(({ path, type }) => ({
      path,
      lines: [allow("file-read*", filter(type), path), deny("file-write*", filter(type), path)],
    })),
    ...plan.writable.map(({ path, type }) => ({
      path,
      lines: [allow("file-read* file-write*", filter(type), path)],
    })),
    ...plan.hidden.map(({ path, type }) => ({
      path,
      lines: [deny("file-read* file-write*", filter(type), path)],
    })),
    ...plan.sockets.map(({ from }) => ({
      path: from,
      lines: [allow("file-read* network-outbound", "literal", from)],
    })),
    { path: temporaryFolder, lines: [allow("file-read* file-write*", "subpath", temporaryFolder)] },
  ].sort(byDepth);
  return [
    "(version 1)",
    "(deny default)",
    '(import "system.sb")',
    "(allow process-fork process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow process-info* (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow pseudo-tty)",
    "(allow file-read*)",
    "(deny file-write*)",
    '(allow file-write* (subpath "/dev"))',
    ...network(plan),
    ...placed.flatMap(({ lines }) => lines),
    // What must not be moved away with what it is in: parents of what is held cannot be renamed.
    ...plan.writable
      .filter(({ path }) => path.endsWith("/.git"))
      .map(({ path }) => deny("file-write-unlink", "literal", path)),
    "",
  ].join("\n");
}

function network({ network: { mode } }: WallPlan): readonly string[] {
  return mode === "open" ? ["(allow network*)"] : ["(deny network*)"];
}

function filter(type: "file" | "folder"): "literal" | "subpath" {
  return type === "file" ? "literal" : "subpath";
}

function allow(operations: string, kind: string, path: string): string {
  return `(allow ${operations} (${kind} ${quoted(path)}))`;
}

function deny(operations: string, kind: string, path: string): string {
  return `(deny ${operations} (${kind} ${quoted(path)}))`;
}

function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
