/** A wall for git itself: where an agent has written the repository, git may run what the agent wants. */
import { homedir } from "node:os";
import { join } from "node:path";
import { existsSync } from "node:fs";
import type { WallPlan } from "../protocol/wall.js";
import { bubblewrapCommand, type Bubblewrap, type WalledCommand } from "../wall/bubblewrap.js";

export interface GitWall {
  readonly backend: Bubblewrap;
  /** A file that Signalbox keeps empty. */
  readonly emptyFile: string;
  /** Signalbox's own folders, and whatever else is not there inside. */
  readonly hidden: readonly string[];
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
}

const SCRATCH_BYTES = 256 * 1024 * 1024;
const WHY = "git of Signalbox, where an agent has written";

/** The system is readable, home is empty but for git's own settings, and there is no network. */
export function wallGit(
  inner: WalledCommand,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  { backend, emptyFile, ...wall }: GitWall,
): WalledCommand {
  const home = env["HOME"] ?? homedir();
  const entry = (path: string) => ({ path, type: "folder", why: WHY }) as const;
  const settings = [join(home, ".gitconfig"), join(home, ".config", "git")].filter((path) =>
    existsSync(path),
  );
  const plan: WallPlan = {
    cwd,
    home,
    scratch: [home, "/tmp", "/run"].map((path) => ({ path, sizeBytes: SCRATCH_BYTES, why: WHY })),
    writable: wall.writable.map(entry),
    readOnly: [...wall.readOnly, ...settings].map(entry),
    hidden: wall.hidden.map(entry),
    copied: [],
    sockets: [],
    made: [],
    environment: { keep: [], set: {} },
    network: { mode: "closed", hosts: [], services: [] },
    nestedNamespaces: false,
    gaps: [],
  };
  return bubblewrapCommand(plan, inner, { backend, emptyFile });
}
