/** What stands around a run, before there is one. */
import { ConfigError } from "../../../permissions/config/harness-configs.js";
import type { WallReport } from "../../../protocol/wall-state.js";
import { wallLabels } from "../../../wall/labels.js";
import { WallError, type SessionWalls } from "../../wall/session-walls.js";
import type { Handler } from "../call-handler.js";
import { failure, flawed, sessionNotFound } from "../problem.js";
import { folderFlaw } from "./folder-flaw.js";

export const getWall: Handler<"getWall"> = async ({ query }, { walls, board }) => {
  const flaw = await folderFlaw("cwd", query.cwd);
  if (flaw) return flaw;
  if (!walls) return failure("not_found", "There are no walls here.");
  const { cwd, harness = "terminal" } = query;
  const asked = { harness, title: "", cwd, model: null, args: [], env: {} };
  try {
    const { settings } = board.setup?.launch(asked) ?? { settings: asked };
    const mode = walls.modeFor(cwd);
    const probe = await walls.probe();
    const planned = await plannedOr(walls, settings);
    const isOn = mode !== "off" && probe.ok && planned.plan !== null;
    const because = planned.problem ?? (probe.ok ? "[wall] mode is off." : probe.reason);
    const enforcement = board.harnesses().find(({ name }) => name === harness)?.enforcement ?? "when-asked";
    const labels = wallLabels({
      plan: isOn ? planned.plan : null,
      noWallBecause: isOn ? null : because,
      enforcement,
    });
    return { ok: true, value: { mode, probe, isOn, ...planned, labels: [...labels] } };
  } catch (error) {
    if (error instanceof ConfigError) return flawed("cwd", error.message);
    throw error;
  }
};

async function plannedOr(
  walls: SessionWalls,
  settings: Parameters<SessionWalls["plan"]>[0],
): Promise<Pick<WallReport, "plan" | "problem">> {
  try {
    return { plan: await walls.plan(settings), problem: null };
  } catch (error) {
    if (error instanceof WallError) return { plan: null, problem: error.message };
    throw error;
  }
}

export const listPorts: Handler<"listPorts"> = async ({ params }, { walls, board }) => {
  const record = board.session(params.id);
  if (!record) return sessionNotFound(params.id);
  try {
    const ports = (await walls?.published(record)) ?? [];
    return {
      ok: true,
      value: { items: ports.map(({ port, host, at }) => ({ port, url: `http://${host}:${at}/` })) },
    };
  } catch (error) {
    if (error instanceof WallError) return failure(error.code, error.message);
    throw error;
  }
};
