import { ConfigError } from "../../permissions/config/harness-configs.js";
import type { HealthCheck } from "../../protocol/api-schemas.js";
import { ok, wrong } from "../health/checks.js";
import type { SessionRecord } from "../../runtime/session-record.js";
import { isFromBefore } from "./session-wall.js";
import type { SessionWalls } from "./session-walls.js";

/** Whether agents are kept in, by the person's own settings; what a project's file adds shows in its sessions. */
export async function wallCheck(
  walls: Pick<SessionWalls, "probe" | "ownMode">,
  sessions: Iterable<SessionRecord>,
): Promise<HealthCheck> {
  let mode;
  try {
    mode = walls.ownMode();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return wrong("wall", {
      heading: "No agent can be started",
      detail: error.message,
      remedy: "Correct the file.",
    });
  }
  if (mode === "off") return ok("wall", "off: agents run without a wall, by your settings");
  const probe = await walls.probe();
  if (probe.ok) return besideThoseOfBefore(`${probe.backend} ${probe.version} keeps agents in`, sessions);
  return wrong("wall", {
    heading:
      mode === "require" ? "No agent can be started: [wall] mode is require" : "Agents run without a wall",
    detail: probe.reason.replace(/\.$/, ""),
    remedy: probe.mend ?? "See docs/wall.md.",
  });
}

/** All is well with new runs; agents that have outlived an upgrade have no wall until they are started again. */
function besideThoseOfBefore(words: string, sessions: Iterable<SessionRecord>): HealthCheck {
  const before = [...sessions].filter(isFromBefore);
  if (before.length === 0) return ok("wall", words);
  const [count, have] = before.length === 1 ? ["1 agent", "has"] : [`${before.length} agents`, "have"];
  return {
    ...ok("wall", `${words}; ${count} of before the upgrade ${have} none`),
    remedy: "Stop and resume them, and they have one: signalbox stop ID, then signalbox resume ID.",
  };
}
