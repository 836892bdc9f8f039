/**
 * Every call of the HTTP API, described once: the daemon routes and checks by it, OpenAPI is written from it, and the
 * client's types come from it.
 */
import { z } from "zod";
import { deviceSchema } from "./device.js";
import { messageStatusSchema, seatStatusSchema, stateEventSchema, statusSchema } from "./state-event.js";
import { askSchema, sessionDetailSchema, sessionSchema } from "./session.js";
import { streamEventSchema } from "./stream-event.js";

export const BODY_SIZE_BYTES_MAX = 1024 * 1024;
export const PAGE_LENGTH_MAX = 1_000;

/** Makes a request idempotent: the same id and request are answered once. */
const clientId = z.string().min(1).max(200).optional();
const text = z.string().min(1).max(500_000);

export const createSessionBody = z.strictObject({
  harness: z.string().min(1).max(100),
  prompt: text.optional(),
  cwd: z.string().min(1).max(4_096),
  title: z.string().min(1).max(500).optional(),
  model: z.string().min(1).max(200).optional(),
  autoApprove: z.boolean().optional(),
  args: z.array(z.string().max(100_000)).max(1_000).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000)).optional(),
  clientId,
});
export type CreateSession = z.infer<typeof createSessionBody>;

export const sendMessageBody = z.strictObject({ text, clientId });

export const scopeSchema = z.enum(["once", "session", "project", "always"]);

const answerFields = {
  decision: z.enum(["approve", "reject"]),
  scope: scopeSchema.optional(),
  message: text.optional(),
};
export const answerAskBody = z.strictObject({ ...answerFields, clientId });
export const answerAsksBody = z.strictObject({
  answers: z
    .array(z.strictObject({ sessionId: z.string().min(1), askId: z.string().min(1), ...answerFields }))
    .min(1)
    .max(1_000),
  clientId,
});
export type AnswerAsk = z.infer<typeof answerAskBody>;

export const patchSessionBody = z.strictObject({
  title: z.string().min(1).max(500).optional(),
  autoApprove: z.boolean().optional(),
  clientId,
});

/** Requests that carry nothing but, perhaps, an id. */
export const bareBody = z.strictObject({ clientId });

export const commandBody = z.strictObject({
  command: z.enum(["execute", "insert", "interrupt_tools", "new", "slash", "skill"]),
  name: z.string().max(200).optional(),
  content: z.string().max(500_000).optional(),
  arguments: z.string().max(500_000).optional(),
  clientId,
});

const fileReference = z.strictObject({
  path: z.string().min(1).max(4_096),
  startLine: z.number().int().positive().optional(),
  endLine: z.number().int().positive().optional(),
});
export type FileReference = z.infer<typeof fileReference>;

export const routeMessageBody = z.strictObject({
  text,
  files: z.array(fileReference).max(100).optional(),
  sessionId: z.string().min(1).optional(),
  clientId,
});

export const connectBody = z.strictObject({ sessionId: z.string().min(1), clientId });

const pageQuery = {
  after: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_LENGTH_MAX).optional(),
};

export const healthSchema = z.object({
  ok: z.boolean(),
  version: z.string(),
  pid: z.number().int(),
  uptimeMs: z.number(),
});

export const acceptedMessageSchema = z.object({ messageId: z.string(), status: messageStatusSchema });

const requestedFact = z.object({ type: z.string() }).loose();
export const journalEntrySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stream"), position: z.number(), seq: z.number(), event: streamEventSchema }),
  z.object({ kind: z.literal("state"), position: z.number(), seq: z.number(), event: stateEventSchema }),
  z.object({
    kind: z.literal("request"),
    position: z.number(),
    seq: z.number(),
    atMs: z.number(),
    event: requestedFact,
  }),
  z.object({
    kind: z.literal("fact"),
    position: z.number(),
    seq: z.number(),
    atMs: z.number(),
    event: requestedFact,
  }),
]);
export type JournalEntry = z.infer<typeof journalEntrySchema>;

export const inboxItemSchema = askSchema.extend({
  sessionId: z.string(),
  sessionTitle: z.string(),
  harness: z.string(),
});
export type InboxItem = z.infer<typeof inboxItemSchema>;

export const answerOutcomeSchema = z.object({
  sessionId: z.string(),
  askId: z.string(),
  ok: z.boolean(),
  code: z.string().optional(),
  detail: z.string().optional(),
});

export const explanationSchema = z.object({
  sessionId: z.string(),
  status: statusSchema,
  sinceMs: z.number(),
  /** In one sentence, for a person. */
  because: z.string(),
  process: z.object({ run: z.number().int(), alive: z.boolean(), pid: z.number().int().nullable() }),
  /** The last changes, newest first, each with the evidence that made it. */
  changes: z.array(
    z.object({
      atMs: z.number(),
      from: z.string(),
      to: z.string(),
      reason: z.string(),
      source: z.string(),
      evidence: z.object({ seq: z.number(), type: z.string(), body: z.json() }).nullable(),
    }),
  ),
  /** What could change it next. */
  waitingFor: z.array(z.string()),
});
export type Explanation = z.infer<typeof explanationSchema>;

export const rosterSchema = z.object({
  connected: z.string().nullable(),
  seats: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      agent: z.string().nullable(),
      status: seatStatusSchema,
    }),
  ),
});

export const routedMessageSchema = z.object({
  sessionId: z.string(),
  messageId: z.string(),
  status: messageStatusSchema,
});

export const harnessSchema = z.object({
  name: z.string(),
  installed: z.boolean(),
  version: z.string().nullable(),
  path: z.string().nullable(),
  problems: z.array(z.string()),
});
export type HarnessReport = z.infer<typeof harnessSchema>;

/** With `agents`, every agent and the keeper end too; without, they go on. */
export const shutdownBody = z.strictObject({ agents: z.boolean().optional() });

/** A link that signs a browser in, once. */
export const loginLinkSchema = z.object({ url: z.string() });

function listOf<T extends z.ZodType>(
  item: T,
): z.ZodObject<{ items: z.ZodArray<T>; nextCursor: z.ZodOptional<z.ZodString> }> {
  return z.object({ items: z.array(item), nextCursor: z.string().optional() });
}

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With `:name` for each parameter. */
  readonly path: string;
  readonly summary: string;
  readonly status: 200 | 201 | 202 | 204;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly response: z.ZodType | null;
}

const sessionPath = "/v1/sessions/:id";
function sessionRequest<const P extends string>(
  name: P,
  summary: string,
): {
  readonly method: "POST";
  readonly path: `/v1/sessions/:id/${P}`;
  readonly summary: string;
  readonly status: 200;
  readonly body: typeof bareBody;
  readonly response: typeof sessionSchema;
} {
  return {
    method: "POST",
    path: `/v1/sessions/:id/${name}`,
    summary,
    status: 200,
    body: bareBody,
    response: sessionSchema,
  };
}

export const API = {
  createSession: {
    method: "POST",
    path: "/v1/sessions",
    summary: "Start a session",
    status: 201,
    body: createSessionBody,
    response: sessionSchema,
  },
  listSessions: {
    method: "GET",
    path: "/v1/sessions",
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
    summary: "One session, with its state",
    status: 200,
    response: sessionDetailSchema,
  },
  patchSession: {
    method: "PATCH",
    path: sessionPath,
    summary: "Change the title, or auto-approve",
    status: 200,
    body: patchSessionBody,
    response: sessionSchema,
  },
  deleteSession: {
    method: "DELETE",
    path: sessionPath,
    summary: "End a session and delete what is kept of it",
    status: 204,
    response: null,
  },
  sendMessage: {
    method: "POST",
    path: "/v1/sessions/:id/messages",
    summary: "Send a message, or queue it until the agent can take it",
    status: 202,
    body: sendMessageBody,
    response: acceptedMessageSchema,
  },
  answerAsk: {
    method: "POST",
    path: "/v1/sessions/:id/asks/:askId",
    summary: "Approve or reject an ask",
    status: 200,
    body: answerAskBody,
    response: sessionSchema,
  },
  listAsks: {
    method: "GET",
    path: "/v1/asks",
    summary: "Every open ask of every session, oldest first",
    status: 200,
    response: listOf(inboxItemSchema),
  },
  answerAsks: {
    method: "POST",
    path: "/v1/asks",
    summary: "Answer several asks; each has its own outcome",
    status: 200,
    body: answerAsksBody,
    response: listOf(answerOutcomeSchema),
  },
  command: {
    method: "POST",
    path: "/v1/sessions/:id/commands",
    summary: "A command of the built-in agent",
    status: 200,
    body: commandBody,
    response: sessionSchema,
  },
  interrupt: sessionRequest("interrupt", "Interrupt the agent's turn"),
  cancel: sessionRequest("cancel", "Stop the session"),
  resume: sessionRequest("resume", "Go on"),
  retry: sessionRequest("retry", "Try again after an error"),
  start: sessionRequest("start", "Start again"),
  listEvents: {
    method: "GET",
    path: "/v1/sessions/:id/events",
    summary: "A page of the session's journal",
    status: 200,
    query: z.strictObject(pageQuery),
    response: listOf(journalEntrySchema),
  },
  getThread: {
    method: "GET",
    path: "/v1/sessions/:id/thread",
    summary: "What was said and done, as a person reads it",
    status: 200,
    response: z.object({ items: z.array(z.json()), position: z.number() }).loose(),
  },
  explain: {
    method: "GET",
    path: "/v1/sessions/:id/explain",
    summary: "Why the session is in this state",
    status: 200,
    response: explanationSchema,
  },
  getRoster: {
    method: "GET",
    path: "/v1/roster",
    summary: "Who gets messages",
    status: 200,
    response: rosterSchema,
  },
  connect: {
    method: "POST",
    path: "/v1/roster/connect",
    summary: "Choose who gets messages",
    status: 200,
    body: connectBody,
    response: rosterSchema,
  },
  routeMessage: {
    method: "POST",
    path: "/v1/messages",
    summary: "Send a message to the connected agent, or to the one named",
    status: 202,
    body: routeMessageBody,
    response: routedMessageSchema,
  },
  listHarnesses: {
    method: "GET",
    path: "/v1/harnesses",
    summary: "What is installed here",
    status: 200,
    response: listOf(harnessSchema),
  },
  createLoginLink: {
    method: "POST",
    path: "/v1/login-links",
    summary: "A link that signs a browser in, once",
    status: 201,
    response: loginLinkSchema,
  },
  listDevices: {
    method: "GET",
    path: "/v1/devices",
    summary: "Browsers that are signed in",
    status: 200,
    response: listOf(deviceSchema),
  },
  deleteDevice: {
    method: "DELETE",
    path: "/v1/devices/:id",
    summary: "Sign a browser out",
    status: 204,
    response: null,
  },
  shutdown: {
    method: "POST",
    path: "/v1/shutdown",
    summary: "End the daemon, and its agents when asked to",
    status: 202,
    body: shutdownBody,
    response: null,
  },
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof API;
