/**
 * What rules were expanded to a moment ago. A session is refused before there is one when its wall cannot stand, and so its
 * plan is made twice within a moment: then the folder is walked once. What is made in that moment is as little held as what
 * is made right after the start; what has changed its place or kind is expanded anew.
 */
import { lstat, realpath } from "node:fs/promises";
import { expandMasks, type ExpandedMasks, type MaskRequest } from "./expand-masks.js";
import type { Mask } from "./wall-input.js";

const LIFE_MS = 2_000;
const KEPT_MAX = 16;

type Expanded = Extract<ExpandedMasks, { readonly ok: true }>;

export class RecentMasks {
  private readonly kept = new Map<string, { readonly atMs: number; readonly expanded: Expanded }>();

  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  async expand(request: MaskRequest): Promise<ExpandedMasks> {
    const { rules, project, home, folders, workTree } = request;
    const key = JSON.stringify([rules, project, home, folders, workTree]);
    const known = this.kept.get(key);
    // Good for one start.
    this.kept.delete(key);
    if (known && this.nowMs() - known.atMs < LIFE_MS && (await areThere(known.expanded.masks)))
      return known.expanded;
    const expanded = await expandMasks(request);
    if (expanded.ok) this.keep(key, expanded);
    return expanded;
  }

  private keep(key: string, expanded: Expanded): void {
    this.kept.set(key, { atMs: this.nowMs(), expanded });
    const [oldest] = this.kept.keys();
    if (this.kept.size > KEPT_MAX && oldest !== undefined) this.kept.delete(oldest);
  }
}

async function areThere(masks: readonly Mask[]): Promise<boolean> {
  const found = await Promise.all(
    masks.map(async ({ path, type }) => {
      const stats = await lstat(path).catch(() => null);
      if (stats?.isDirectory() !== (type === "folder")) return false;
      return (await realpath(path).catch(() => null)) === path;
    }),
  );
  return found.every(Boolean);
}
