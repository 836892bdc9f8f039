import type { CallName } from "../../../protocol/api.js";
import type { Handler } from "../call-handler.js";
import { answerAsk, answerAsks, listAsks } from "./asks.js";
import {
  backUp,
  createLoginLink,
  deleteDevice,
  getHealth,
  listAudit,
  listDevices,
  listHarnesses,
  patchDevice,
  shutdown,
} from "./daemon.js";
import { getChanges, getPatch, rewind } from "./changes.js";
import { explain, getThread, listEvents } from "./journal.js";
import {
  addRule,
  getPermissions,
  initPermissions,
  removeRule,
  testPermission,
  trustFolder,
} from "./permissions.js";
import { dropMessage, routeMessage, sendMessage } from "./messages.js";
import { connect, getRoster } from "./roster.js";
import { typeKeys } from "./terminal-input.js";
import { getWall } from "./wall.js";
import {
  abortWorkspace,
  addProject,
  cleanWorkspaces,
  discardWorkspace,
  finishWorkspace,
  listProjects,
  listWorkspaces,
  patchProject,
  retryWorkspace,
  updateWorkspace,
} from "./workspaces.js";
import {
  cancel,
  command,
  createSession,
  deleteSession,
  getSession,
  interrupt,
  listSessions,
  patchSession,
  resume,
  retry,
  start,
} from "./sessions.js";

/** The handler of every call. */
export const HANDLERS: { readonly [N in CallName]: Handler<N> } = {
  createSession,
  listSessions,
  getSession,
  patchSession,
  deleteSession,
  sendMessage,
  dropMessage,
  answerAsk,
  listAsks,
  answerAsks,
  command,
  interrupt,
  cancel,
  resume,
  retry,
  start,
  typeKeys,
  listEvents,
  getThread,
  explain,
  getChanges,
  getPatch,
  rewind,
  getRoster,
  connect,
  routeMessage,
  listHarnesses,
  getPermissions,
  testPermission,
  addRule,
  removeRule,
  initPermissions,
  trustFolder,
  getWall,
  listProjects,
  addProject,
  patchProject,
  listWorkspaces,
  cleanWorkspaces,
  finishWorkspace,
  discardWorkspace,
  updateWorkspace,
  retryWorkspace,
  abortWorkspace,
  createLoginLink,
  listDevices,
  patchDevice,
  deleteDevice,
  getHealth,
  listAudit,
  backUp,
  shutdown,
};
