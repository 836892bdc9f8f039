/** Checks of everything the daemon says, by the API's own schemas. Fields that they do not name are left out. */
import type { z } from "zod";
import { API, type CallName } from "../protocol/api.js";
import { workspaceChangeSchema } from "../protocol/workspace.js";
import { healthReportSchema, healthSchema } from "../protocol/api-schemas.js";
import { stateEventSchema } from "../protocol/state-event.js";
import { streamEventSchema } from "../protocol/stream-event.js";
import type { Checks } from "./bare-client.js";
import { protocolError } from "./signalbox-error.js";

export const ANSWER_CHECKS: Checks = {
  health: (value) => checked("health", 200, healthSchema, value),
  response: (call, value) => checkResponse(call, value),
  streamEvent: (value) => checked("a stream event", 200, streamEventSchema, value),
  stateEvent: (value) => checked("a state event", 200, stateEventSchema, value),
  workspaceChange: (value) => checked("a change of a workspace", 200, workspaceChangeSchema, value),
  healthReport: (value) => checked("a health report", 200, healthReportSchema, value),
};

function checkResponse(call: CallName, value: unknown): unknown {
  const { response, status } = API[call];
  return response === null ? undefined : checked(call, status, response, value);
}

function checked(what: string, status: number, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw protocolError(status, `${what}: ${path}${issue?.message ?? "not understood"}`);
}
