/**
 * Every call of the HTTP API, described once: the daemon routes and checks by it, OpenAPI is written from it, and the
 * client's types come from it.
 */
import { z } from "zod";
import {
  acceptedMessageSchema,
  answerAskBody,
  answerAsksBody,
  answerOutcomeSchema,
  backupBody,
  backupMadeSchema,
  bareBody,
  commandBody,
  connectBody,
  createSessionBody,
  eventsQuery,
  explanationSchema,
  harnessSchema,
  healthReportSchema,
  inboxItemSchema,
  journalEntrySchema,
  loginLinkSchema,
  pageQuery,
  patchSessionBody,
  rosterSchema,
  routeMessageBody,
  routedMessageSchema,
  sendMessageBody,
  shutdownBody,
  typeKeysBody,
} from "./api-schemas.js";
import {
  addedRuleSchema,
  addRuleBody,
  initPermissionsBody,
  removedRuleSchema,
  removeRuleBody,
  writtenStarterSchema,
  decisionSchema,
  folderTrustSchema,
  permissionsQuery,
  permissionsSchema,
  testPermissionBody,
  trustBody,
} from "./api-permissions.js";
import { publishedPortSchema, wallQuery, wallReportSchema } from "./wall-state.js";
import { controlsSchema, setControlsBody } from "./controls.js";
import type { Access } from "./access.js";
import {
  changesQuery,
  changesSchema,
  patchQuery,
  patchSchema,
  rewindBody,
  rewoundSchema,
} from "./changes.js";
import { auditEntrySchema, auditQuery } from "./audit.js";
import {
  addCommentBody,
  commentSchema,
  patchCommentBody,
  sendReviewBody,
  sentReviewSchema,
} from "./review.js";
import { deviceSchema, loginLinkBody, patchDeviceBody } from "./device.js";
import { chooseBody, createRaceBody, plainRaceBody, raceSchema, racesQuery } from "./race.js";
import { sessionDetailSchema, sessionSchema } from "./session.js";
import {
  addProjectBody,
  cleanBody,
  cleanedSchema,
  discardBody,
  finishBody,
  patchProjectBody,
  checkBody,
  pullRequestSchema,
  tellAgentBody,
  plainWorkspaceBody,
  projectSchema,
  workspaceSchema,
  workspacesQuery,
} from "./workspace.js";

function listOf<T extends z.ZodType>(
  item: T,
): z.ZodObject<{ items: z.ZodArray<T>; nextCursor: z.ZodOptional<z.ZodString> }> {
  return z.object({ items: z.array(item), nextCursor: z.string().optional() });
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `:name` for each parameter. */
  readonly path: string;
  /** Who may make it. */
  readonly access: Access;
  /** It is no submission to the runtime, which audits those itself. */
  readonly audited?: true;
  readonly summary: string;
  readonly status: 200 | 201 | 202 | 204;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType | null;
}

const WATCH = { role: "watch" } as const satisfies Access;
const OPERATE = { role: "operate" } as const satisfies Access;
const OPERATE_PERSON = { role: "operate", person: true } as const satisfies Access;
const OWN_PERSON = { role: "own", person: true } as const satisfies Access;
/** An answer that is kept is a rule. */
const LASTING = ["project", "always"] as const;

const sessionPath = "/v1/sessions/:id";
function sessionRequest<const P extends string>(
  name: P,
  summary: string,
): {
  readonly method: "POST";
  readonly path: `/v1/sessions/:id/${P}`;
  readonly access: typeof OPERATE;
  readonly summary: string;
  readonly status: 200;
  readonly body: typeof bareBody;
  readonly response: typeof sessionSchema;
} {
  return {
    method: "POST",
    path: `/v1/sessions/:id/${name}`,
    access: OPERATE,
    summary,
    status: 200,
    body: bareBody,
    response: sessionSchema,
  };
}

/** What becomes of a change is a person's to decide. `:id` is a session's, or the workspace's own. */
function workspaceRequest<const P extends string, B extends z.ZodObject>(
  name: P,
  summary: string,
  body: B,
): {
  readonly method: "POST";
  readonly path: `/v1/sessions/:id/workspace/${P}`;
  readonly access: typeof OPERATE_PERSON;
  readonly audited: true;
  readonly summary: string;
  readonly status: 200;
  readonly body: B;
  readonly response: typeof workspaceSchema;
} {
  return {
    method: "POST",
    path: `/v1/sessions/:id/workspace/${name}`,
    access: OPERATE_PERSON,
    audited: true,
    summary,
    status: 200,
    body,
    response: workspaceSchema,
  };
}

export const API = {
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    access: {
      role: "operate",
      // What asks nobody, or makes its agent ask nobody.
      cases: [
        { field: "approve", values: ["auto"], person: true },
        { field: "autoApprove", values: [true], person: true },
        { field: "args", person: true },
        { field: "env", person: true },
        { field: "harness", values: ["terminal"], person: true },
        { field: "wall", values: ["off"], person: true },
        { field: "network", values: ["open"], person: true },
      ],
    },
    summary: "Start a session",
    status: 201,
    body: createSessionBody,
    response: sessionSchema,
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
    access: WATCH,
    summary: "Sessions, newest first",
    status: 200,
    query: z.strictObject({
      status: z.string().optional(),
      harness: z.string().optional(),
      cursor: z.string().optional(),
      limit: pageQuery.limit,
    }),
    response: listOf(sessionSchema),
  },
  getSession: {
    method: "GET",
    path: sessionPath,
    access: WATCH,
    summary: "One session, with its state",
    status: 200,
    response: sessionDetailSchema,
  },
  patchSession: {
    method: "PATCH",
    path: sessionPath,
    access: {
      role: "operate",
      // What makes its agent ask less.
      cases: [
        { field: "approve", values: ["contained", "auto"], person: true },
        { field: "autoApprove", values: [true], person: true },
      ],
    },
    summary: "Change the title, or who answers what no rule decides",
    status: 200,
    body: patchSessionBody,
    response: sessionSchema,
  },
  deleteSession: {
    method: "DELETE",
    path: sessionPath,
    access: { role: "operate", person: true },
    summary: "End a session and delete what is kept of it",
    status: 204,
    response: null,
  },
  sendMessage: {
    method: "POST",
    path: "/v1/sessions/:id/messages",
    access: {
      role: "operate",
      cases: [
        { field: "askId", role: "answer", person: true },
        { field: "force", values: [true], person: true },
      ],
    },
    summary: "Send a message, or queue it until the agent can take it",
    status: 202,
    body: sendMessageBody,
    response: acceptedMessageSchema,
  },
  dropMessage: {
    method: "DELETE",
    path: "/v1/sessions/:id/messages/:messageId",
    access: OPERATE,
    summary: "Drop a message that came back",
    status: 204,
    response: null,
  },
  answerAsk: {
    method: "POST",
    path: "/v1/sessions/:id/asks/:askId",
    access: { role: "answer", person: true, cases: [{ field: "scope", values: LASTING, role: "own" }] },
    summary: "Approve or reject an ask",
    status: 200,
    body: answerAskBody,
    response: sessionSchema,
  },
  listAsks: {
    method: "GET",
    path: "/v1/asks",
    access: WATCH,
    summary: "Every open ask of every session, oldest first",
    status: 200,
    response: listOf(inboxItemSchema),
  },
  answerAsks: {
    method: "POST",
    path: "/v1/asks",
    access: {
      role: "answer",
      person: true,
      cases: [{ field: "answers.scope", values: LASTING, role: "own" }],
    },
    summary: "Answer several asks; each has its own outcome",
    status: 200,
    body: answerAsksBody,
    response: listOf(answerOutcomeSchema),
  },
  command: {
    method: "POST",
    path: "/v1/sessions/:id/commands",
    access: { role: "operate", person: true },
    summary: "A command of the built-in agent",
    status: 200,
    body: commandBody,
    response: sessionSchema,
  },
  getControls: {
    method: "GET",
    path: "/v1/sessions/:id/controls",
    access: WATCH,
    summary: "What the agent offers now: models, modes, efforts, slash commands, skills",
    status: 200,
    response: controlsSchema,
  },
  setControls: {
    method: "POST",
    path: "/v1/sessions/:id/controls",
    // Some modes make an agent ask less.
    access: OPERATE_PERSON,
    summary: "Choose another model, mode or effort; for persons",
    status: 200,
    body: setControlsBody,
    response: controlsSchema,
  },
  interrupt: sessionRequest("interrupt", "Interrupt the agent's turn"),
  cancel: sessionRequest("cancel", "Stop the session"),
  resume: sessionRequest("resume", "Go on"),
  retry: sessionRequest("retry", "Try again after an error"),
  start: sessionRequest("start", "Start again"),
  typeKeys: {
    method: "POST",
    path: "/v1/sessions/:id/terminal/input",
    access: { role: "operate", person: true },
    audited: true,
    summary: "Type keys for whatever is in front of the session's terminal; for persons, never for agents",
    status: 204,
    body: typeKeysBody,
    response: null,
  },
  listEvents: {
    method: "GET",
    path: "/v1/sessions/:id/events",
    access: WATCH,
    summary: "A page of the session's journal",
    status: 200,
    query: eventsQuery,
    response: listOf(journalEntrySchema),
  },
  getThread: {
    method: "GET",
    path: "/v1/sessions/:id/thread",
    access: WATCH,
    summary: "What was said and done, as a person reads it",
    status: 200,
    response: z.object({ items: z.array(z.json()), position: z.number() }).loose(),
  },
  explain: {
    method: "GET",
    path: "/v1/sessions/:id/explain",
    access: WATCH,
    summary: "Why the session is in this state",
    status: 200,
    response: explanationSchema,
  },
  getChanges: {
    method: "GET",
    path: "/v1/sessions/:id/changes",
    access: WATCH,
    summary: "Which files changed, between the start, turns, the last commit and now",
    status: 200,
    query: changesQuery,
    response: changesSchema,
  },
  getPatch: {
    method: "GET",
    path: "/v1/sessions/:id/changes/file",
    access: WATCH,
    summary: "How a file, or all of them, changed: lines of a unified diff",
    status: 200,
    query: patchQuery,
    response: patchSchema,
  },
  rewind: {
    method: "POST",
    path: "/v1/sessions/:id/rewind",
    access: { role: "operate", person: true },
    audited: true,
    summary: "Put back what the turns after this one changed; for persons, never for agents",
    status: 200,
    body: rewindBody,
    response: rewoundSchema,
  },
  listComments: {
    method: "GET",
    path: "/v1/sessions/:id/comments",
    access: WATCH,
    summary: "Comments on the session's changes, oldest first",
    status: 200,
    response: listOf(commentSchema),
  },
  addComment: {
    method: "POST",
    path: "/v1/sessions/:id/comments",
    access: OPERATE_PERSON,
    audited: true,
    summary:
      "Comment on lines of a changed file, pinned to the content that it has; for persons, never for agents",
    status: 201,
    body: addCommentBody,
    response: commentSchema,
  },
  patchComment: {
    method: "PATCH",
    path: "/v1/sessions/:id/comments/:commentId",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Change the words of a comment that was not sent, resolve it, or open it again",
    status: 200,
    body: patchCommentBody,
    response: commentSchema,
  },
  deleteComment: {
    method: "DELETE",
    path: "/v1/sessions/:id/comments/:commentId",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Delete a comment",
    status: 204,
    response: null,
  },
  sendReview: {
    method: "POST",
    path: "/v1/sessions/:id/review",
    access: OPERATE_PERSON,
    summary: "Send all open comments to the agent as one message",
    status: 202,
    body: sendReviewBody,
    response: sentReviewSchema,
  },
  getRoster: {
    method: "GET",
    path: "/v1/roster",
    access: WATCH,
    summary: "Who gets messages",
    status: 200,
    response: rosterSchema,
  },
  connect: {
    method: "POST",
    path: "/v1/roster/connect",
    access: { role: "operate", cases: [{ field: "as", person: true }] },
    summary: "Choose who gets messages; in a terminal, also say which agent is in front",
    status: 200,
    body: connectBody,
    response: rosterSchema,
  },
  routeMessage: {
    method: "POST",
    path: "/v1/messages",
    access: OPERATE,
    summary:
      "Send a message to the connected agent, or to the one named, with the connected one as a fallback",
    status: 202,
    body: routeMessageBody,
    response: routedMessageSchema,
  },
  listHarnesses: {
    method: "GET",
    path: "/v1/harnesses",
    access: WATCH,
    summary: "What is installed here",
    status: 200,
    // The home folder: one to begin with. An older daemon does not tell.
    response: listOf(harnessSchema).extend({ cwd: z.string().optional() }),
  },
  getPermissions: {
    method: "GET",
    path: "/v1/permissions",
    access: WATCH,
    summary: "The permission rules that have a say over a folder, and what is wrong with their files",
    status: 200,
    query: permissionsQuery,
    response: permissionsSchema,
  },
  testPermission: {
    method: "POST",
    path: "/v1/permissions/test",
    access: WATCH,
    summary: "What the rules say of a call, and why",
    status: 200,
    body: testPermissionBody,
    response: decisionSchema,
  },
  addRule: {
    method: "POST",
    path: "/v1/permissions/rules",
    access: OWN_PERSON,
    audited: true,
    summary: "Add a rule to the person's own, for a project or for everything",
    status: 200,
    body: addRuleBody,
    response: addedRuleSchema,
  },
  removeRule: {
    method: "POST",
    path: "/v1/permissions/rules/remove",
    access: OWN_PERSON,
    audited: true,
    summary: "Take a rule out of the person's own, for a project or for everything",
    status: 200,
    body: removeRuleBody,
    response: removedRuleSchema,
  },
  initPermissions: {
    method: "POST",
    path: "/v1/permissions/init",
    access: OWN_PERSON,
    audited: true,
    summary: "Write a first file of rules for a project, where the person has none yet",
    status: 200,
    body: initPermissionsBody,
    response: writtenStarterSchema,
  },
  trustFolder: {
    method: "POST",
    path: "/v1/permissions/trust",
    access: OWN_PERSON,
    audited: true,
    summary: "Trust what a folder brings along, as it is now; or trust it no more",
    status: 200,
    body: trustBody,
    response: folderTrustSchema,
  },
  listPorts: {
    method: "GET",
    path: "/v1/sessions/:id/ports",
    access: OPERATE,
    summary:
      "Ports on which programs of a session listen behind its wall; each is reached on this machine from then on",
    status: 200,
    response: listOf(publishedPortSchema),
  },
  getWall: {
    method: "GET",
    path: "/v1/wall",
    access: WATCH,
    summary: "Whether agents in a folder run behind a wall, and the plan that a run of one would have",
    status: 200,
    query: wallQuery,
    response: wallReportSchema,
  },
  listProjects: {
    method: "GET",
    path: "/v1/projects",
    access: WATCH,
    summary: "Repositories that workspaces are made from, with their settings",
    status: 200,
    response: listOf(projectSchema),
  },
  addProject: {
    method: "POST",
    path: "/v1/projects",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Make the repository of a directory known",
    status: 200,
    body: addProjectBody,
    response: projectSchema,
  },
  patchProject: {
    method: "PATCH",
    path: "/v1/projects/:id",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Change what is done in new workspaces of a project",
    status: 200,
    body: patchProjectBody,
    response: projectSchema,
  },
  listWorkspaces: {
    method: "GET",
    path: "/v1/workspaces",
    access: WATCH,
    summary: "Workspaces, newest first; `look` brings them up to date, `id` names one or its session",
    status: 200,
    query: workspacesQuery,
    response: listOf(workspaceSchema),
  },
  cleanWorkspaces: {
    method: "POST",
    path: "/v1/workspaces/clean",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Discard workspaces that are finished and hold nothing else, and empty the trash of what is old",
    status: 200,
    body: cleanBody,
    response: cleanedSchema,
  },
  checkWorkspace: {
    method: "POST",
    path: "/v1/workspaces/:id/check",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Run the project's check in a workspace, or go on waiting for it; `:id` may be a session's",
    status: 200,
    body: checkBody,
    response: workspaceSchema,
  },
  finishWorkspace: workspaceRequest("finish", "Make the change part of the original repository", finishBody),
  discardWorkspace: workspaceRequest("discard", "Move the workspace to the trash", discardBody),
  updateWorkspace: workspaceRequest("update", "Bring the base into the workspace", plainWorkspaceBody),
  resolveWorkspace: {
    method: "POST",
    path: "/v1/workspaces/:id/resolve",
    access: OPERATE_PERSON,
    summary:
      "Ask the agent of a workspace, in one message, to resolve its conflicts; `retry` goes on afterwards",
    status: 202,
    body: tellAgentBody,
    response: routedMessageSchema,
  },
  getPullRequest: {
    method: "GET",
    path: "/v1/workspaces/:id/pr",
    access: OPERATE_PERSON,
    summary: "The pull request of a workspace as it is now: its state, checks and reviews, by `gh` or `glab`",
    status: 200,
    response: pullRequestSchema,
  },
  sendPullRequest: {
    method: "POST",
    path: "/v1/workspaces/:id/pr/send",
    access: OPERATE_PERSON,
    summary: "Send the failed checks and the review comments of a pull request to the agent, as one message",
    status: 202,
    body: tellAgentBody,
    response: routedMessageSchema,
  },
  retryWorkspace: workspaceRequest(
    "retry",
    "Try again what failed, or go on after conflicts",
    plainWorkspaceBody,
  ),
  abortWorkspace: workspaceRequest(
    "abort",
    "Go on without a setup, or take back what is under way",
    plainWorkspaceBody,
  ),
  createRace: {
    method: "POST",
    path: "/v1/races",
    access: {
      role: "operate",
      // Both run what they say without a question.
      cases: [
        { field: "check", person: true },
        { field: "entries.args", person: true },
      ],
    },
    audited: true,
    summary: "Several sessions from one commit and one prompt, each in a workspace of its own",
    status: 201,
    body: createRaceBody,
    response: raceSchema,
  },
  listRaces: {
    method: "GET",
    path: "/v1/races",
    access: WATCH,
    summary: "Races, newest first, without the sizes of their changes",
    status: 200,
    query: racesQuery,
    response: listOf(raceSchema),
  },
  getRace: {
    method: "GET",
    path: "/v1/races/:id",
    access: WATCH,
    summary: "A race with its table",
    status: 200,
    response: raceSchema,
  },
  chooseInRace: {
    method: "POST",
    path: "/v1/races/:id/choose",
    access: OPERATE_PERSON,
    audited: true,
    summary: "Finish one of its sessions; the others are stopped, and their branches kept",
    status: 200,
    body: chooseBody,
    response: raceSchema,
  },
  stopRace: {
    method: "POST",
    path: "/v1/races/:id/stop",
    access: OPERATE,
    audited: true,
    summary: "Stop all sessions of a race; their workspaces stay",
    status: 200,
    body: plainRaceBody,
    response: raceSchema,
  },
  createLoginLink: {
    method: "POST",
    path: "/v1/login-links",
    access: OWN_PERSON,
    audited: true,
    summary: "A link that signs a browser in, once",
    status: 201,
    body: loginLinkBody,
    response: loginLinkSchema,
  },
  listDevices: {
    method: "GET",
    path: "/v1/devices",
    access: WATCH,
    summary: "Browsers that are signed in",
    status: 200,
    response: listOf(deviceSchema),
  },
  patchDevice: {
    method: "PATCH",
    path: "/v1/devices/:id",
    access: OWN_PERSON,
    audited: true,
    summary: "Change what a browser that is signed in may do",
    status: 200,
    body: patchDeviceBody,
    response: deviceSchema,
  },
  deleteDevice: {
    method: "DELETE",
    path: "/v1/devices/:id",
    access: OWN_PERSON,
    audited: true,
    summary: "Sign a browser out",
    status: 204,
    response: null,
  },
  getHealth: {
    method: "GET",
    path: "/v1/health",
    access: WATCH,
    summary:
      "How the journal, the disk, the keeper and the private files are, and what to do; `examine` reads all of the journal",
    status: 200,
    query: z.strictObject({ examine: z.enum(["true", "false"]).optional() }),
    response: healthReportSchema,
  },
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    access: { role: "own" },
    summary: "Who asked for what, oldest first: a chain of digests, without contents",
    status: 200,
    query: auditQuery,
    response: listOf(auditEntrySchema),
  },
  backUp: {
    method: "POST",
    path: "/v1/backups",
    access: OWN_PERSON,
    audited: true,
    summary:
      "Write a copy of the journal, without the values of variables, to a new file on the daemon's machine",
    status: 201,
    body: backupBody,
    response: backupMadeSchema,
  },
  shutdown: {
    method: "POST",
    path: "/v1/shutdown",
    access: { role: "operate", person: true },
    audited: true,
    summary: "End the daemon, and its agents when asked to",
    status: 202,
    body: shutdownBody,
    response: null,
  },
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof API;
