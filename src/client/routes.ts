import type { API, CallName } from "../protocol/api.js";

/**
 * Method and path of every call. The compiler holds it against the API table, of which it is a copy without the schemas:
 * who does not check answers need not load what checks them.
 */
export const ROUTES = {
  createSession: "POST /v1/sessions",
  listSessions: "GET /v1/sessions",
  getSession: "GET /v1/sessions/:id",
  patchSession: "PATCH /v1/sessions/:id",
  deleteSession: "DELETE /v1/sessions/:id",
  sendMessage: "POST /v1/sessions/:id/messages",
  dropMessage: "DELETE /v1/sessions/:id/messages/:messageId",
  answerAsk: "POST /v1/sessions/:id/asks/:askId",
  listAsks: "GET /v1/asks",
  answerAsks: "POST /v1/asks",
  command: "POST /v1/sessions/:id/commands",
  interrupt: "POST /v1/sessions/:id/interrupt",
  cancel: "POST /v1/sessions/:id/cancel",
  resume: "POST /v1/sessions/:id/resume",
  retry: "POST /v1/sessions/:id/retry",
  start: "POST /v1/sessions/:id/start",
  typeKeys: "POST /v1/sessions/:id/terminal/input",
  listEvents: "GET /v1/sessions/:id/events",
  getThread: "GET /v1/sessions/:id/thread",
  explain: "GET /v1/sessions/:id/explain",
  getRoster: "GET /v1/roster",
  connect: "POST /v1/roster/connect",
  routeMessage: "POST /v1/messages",
  listHarnesses: "GET /v1/harnesses",
  getPermissions: "GET /v1/permissions",
  testPermission: "POST /v1/permissions/test",
  addRule: "POST /v1/permissions/rules",
  trustFolder: "POST /v1/permissions/trust",
  getWall: "GET /v1/wall",
  createLoginLink: "POST /v1/login-links",
  listDevices: "GET /v1/devices",
  patchDevice: "PATCH /v1/devices/:id",
  deleteDevice: "DELETE /v1/devices/:id",
  getHealth: "GET /v1/health",
  backUp: "POST /v1/backups",
  shutdown: "POST /v1/shutdown",
} as const satisfies { readonly [N in CallName]: `${(typeof API)[N]["method"]} ${(typeof API)[N]["path"]}` };
