import { access, readdir, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Changes, type ChangesOptions } from "../../changes/changes.js";
import type { Place, WallParts } from "../../changes/store.js";
import type { Bus } from "../../runtime/ports.js";
import { lookAtGit } from "../../wall/git-facts.js";
import { emptyFileIn } from "../../wall/prepare-wall.js";
import type { SessionWalls } from "../wall/session-walls.js";

export interface ChangesWorld {
  readonly dataDir: string;
  readonly configDir: string;
  readonly homeDir: string;
  readonly walls: Pick<SessionWalls, "backend">;
  readonly workspaces: { readonly originOf: NonNullable<ChangesOptions["originOf"]> };
  readonly onProblem: (what: string, error: unknown) => void;
}

/** The files of sessions; git runs inside a wall without a network wherever one can be built. */
export function openChanges(world: ChangesWorld): Changes {
  const { dataDir, configDir, homeDir, walls, workspaces, onProblem } = world;
  return new Changes({
    ...{ dataDir, onProblem },
    originOf: (cwd) => workspaces.originOf(cwd),
    findPlace: (cwd) => findPlace(cwd, homeDir),
    async wall(): Promise<WallParts> {
      const backend = await walls.backend();
      if (!backend) return null;
      const folders = [dataDir, configDir].map((folder) => realpath(folder).catch(() => null));
      const hidden = (await Promise.all(folders)).filter((folder) => folder !== null);
      return { backend, emptyFile: await emptyFileIn(dataDir), hidden };
    },
  });
}

/** Read without git: whatever an agent may have written must not make git run something. */
async function findPlace(cwd: string, homeDir: string): Promise<Place | null> {
  const folder = await realpath(cwd).catch(() => null);
  const home = await realpath(homeDir).catch(() => homeDir);
  const facts = folder === null ? null : await lookAtGit(folder, home);
  if (!facts) return null;
  const { gitDir, commonDir, gitFile } = facts;
  const isWhole = await Promise.all([access(join(commonDir, "objects")), access(join(gitDir, "HEAD"))]).then(
    () => true,
    () => false,
  );
  return isWhole ? { workTree: dirname(gitFile ?? gitDir), gitDir, commonDir } : null;
}

/** What is kept of a session's files ends with it. */
export function endWithSession(changes: Changes, onProblem: (what: string, error: unknown) => void): Bus {
  return {
    publish({ removedSessionIds }) {
      for (const sessionId of removedSessionIds)
        changes
          .remove(sessionId)
          .catch((error: unknown) => onProblem(`what was kept of the files of ${sessionId} stays`, error));
    },
  };
}

/** Of sessions that were deleted while no daemon could take it away. */
export function sweepChanges(
  changes: Changes,
  dataDir: string,
  isSession: (sessionId: string) => boolean,
  onProblem: (what: string, error: unknown) => void,
): void {
  sweep(changes, dataDir, isSession).catch((error: unknown) =>
    onProblem("what was kept of deleted sessions' files stays", error),
  );
}

async function sweep(
  changes: Changes,
  dataDir: string,
  isSession: (sessionId: string) => boolean,
): Promise<void> {
  const names = await readdir(join(dataDir, "checkpoints")).catch(() => []);
  for (const name of names) if (!isSession(name)) await changes.remove(name);
}
