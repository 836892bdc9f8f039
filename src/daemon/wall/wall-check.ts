import { ConfigError } from "../../permissions/config/harness-configs.js";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { ok, wrong } from "../health/checks.js";
import type { SessionWalls } from "./session-walls.js";

/** Whether agents are kept in, by the person's own settings; what a project's file adds shows in its sessions. */
export async function wallCheck(walls: Pick<SessionWalls, "probe" | "ownMode">): Promise<HealthCheck> {
  let mode;
  try {
    mode = walls.ownMode();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrong("wall", error.message, "Correct the file: until then no agent is started.");
  }
  if (mode === "off") return ok("wall", "off: agents run without a wall, by your settings");
  const probe = await walls.probe();
  if (probe.ok) return ok("wall", `${probe.backend} ${probe.version} keeps agents in`);
  const without =
    mode === "require" ? "No agent is started: [wall] mode is require." : "Agents run without a wall.";
  return wrong("wall", `${without} ${probe.reason}`, probe.mend ?? "See docs/wall.md.");
}
