import { realPath } from "../../permissions/files/project-folders.js";
import type { Permissions } from "../../permissions/permissions.js";
import type { StarterKind } from "../../protocol/api-permissions.js";
import type { WallMode } from "../../protocol/wall-state.js";
import { wallPlanSchema, type WallPlan, type WallPreset } from "../../protocol/wall.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import type { AgentSockets } from "./agent-sockets.js";
import { SessionNetwork } from "./session-network.js";
import { SessionWalls, type SessionWallsOptions } from "./session-walls.js";

/** Where the packages of a project come from. */
const PRESET_OF: Readonly<Record<StarterKind, WallPreset | null>> = {
  node: "npm",
  python: "pypi",
  rust: "cargo",
  go: "go",
  make: null,
};

export interface WallWorld {
  readonly dataDir: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly wallMode: WallMode | null;
  readonly permissions: Permissions;
}

export function openWalls(
  { dataDir, variables, wallMode, permissions }: WallWorld,
  runtime: Runtime,
  sockets: AgentSockets,
  gitObjects: SessionWallsOptions["gitObjects"],
  onProblem: (what: string, error: unknown) => void,
): { readonly walls: SessionWalls; readonly network: SessionNetwork } {
  const { configDir, homeDir } = permissions.folders;
  const session = (id: string): SessionRecord | null => runtime.session(id);
  const note = (id: string, message: string): void => runtime.note(id, message);
  const network = new SessionNetwork({
    ...{ dataDir, permissions, session, note, onProblem },
    sessions: () => runtime.sessions(),
    fact: (id, fact) => runtime.fact(id, fact, "daemon"),
  });
  const walls = new SessionWalls({
    dataDir,
    configDir: realPath(configDir),
    homeDir,
    variables,
    mode: wallMode,
    ownConfig: () => permissions.configs.ownWall(),
    configFor: (cwd) => permissions.configs.wallFor(cwd),
    presetsFor: (cwd) => permissions.kindsIn(cwd).flatMap((kind) => PRESET_OF[kind] ?? []),
    rulesFor: (cwd) => permissions.report(cwd).rules,
    readPlan: (sessionId, seq) => readPlan(runtime, sessionId, seq),
    session,
    sessions: () => runtime.sessions(),
    sockets,
    network,
    gitObjects,
    onProblem,
  });
  return { walls, network };
}

async function readPlan(runtime: Runtime, sessionId: string, seq: number): Promise<WallPlan | null> {
  const entry = await runtime.journal.readEntry(sessionId, seq);
  if (!entry) return null;
  // We wrote it ourselves; but it may be damaged.
  const { payload } = JSON.parse(entry.body) as { readonly payload?: { readonly wall?: { plan?: unknown } } };
  const parsed = wallPlanSchema.safeParse(payload?.wall?.plan);
  return parsed.success ? parsed.data : null;
}
