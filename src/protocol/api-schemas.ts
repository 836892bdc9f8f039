/** The bodies and answers of the HTTP API. */
import { z } from "zod";
import { messageStatusSchema, seatStatusSchema, stateEventSchema, statusSchema } from "./state-event.js";
import { principalSchema } from "./principal.js";
import { approveSchema, askSchema, enforcementSchema } from "./session.js";
import { streamEventSchema } from "./stream-event.js";
import { TERMINAL_INPUT_BYTES_MAX } from "./terminal-frames.js";
import { WALL_NETWORKS } from "./wall.js";
import { sessionWorkspaceSchema } from "./workspace.js";

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
  /** Without a word: `contained` where it gets a wall, else `ask`. */
  approve: approveSchema.optional(),
  /** The short form of `approve`: `auto`, or `ask`. */
  autoApprove: z.boolean().optional(),
  /** `off`: without a wall, which only a person decides. `on`: with one, or not at all. */
  wall: z.enum(["on", "off"]).optional(),
  /** Of a run behind a wall; `open` is for a person to decide, and no project's file is widened by it. */
  network: z.enum(WALL_NETWORKS).optional(),
  args: z.array(z.string().max(100_000)).max(1_000).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000)).optional(),
  /**
   * `new`: a checkout of its own, of the repository that `cwd` is in. `auto`: the same where another session is alive in the
   * repository, else none. Absent: none.
   */
  workspace: sessionWorkspaceSchema.optional(),
  /** The new workspace's branch. */
  branch: z.string().min(1).max(250).optional(),
  /** Where it begins: a branch, a tag, a commit. */
  from: z.string().min(1).max(250).optional(),
  /** The repository, by the id of its project; absent: the one that `cwd` is in. */
  project: z.string().min(1).max(100).optional(),
  clientId,
});
export type CreateSession = z.infer<typeof createSessionBody>;

/** Either a text, or a message that came back and is to go to whoever is there now. */
export const sendMessageBody = z.strictObject({
  text: text.optional(),
  resend: z.string().min(1).max(200).optional(),
  /** Also into a terminal whose screen nobody understands. */
  force: z.boolean().optional(),
  /** Refused while a question waits for a person's answer: this is from no person. */
  unlessAsked: z.boolean().optional(),
  /** The question that it answers: refused when a message would not answer that one now. */
  askId: z.string().min(1).max(1_000).optional(),
  clientId,
});

/** Keys, as a terminal sends them. Not repeatable: what was typed cannot be told from what is to be typed again. */
export const typeKeysBody = z.strictObject({ text: z.string().min(1).max(TERMINAL_INPUT_BYTES_MAX) });

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
  approve: approveSchema.optional(),
  autoApprove: z.boolean().optional(),
  clientId,
});

/** Requests that carry nothing but, perhaps, an id. */
export const bareBody = z.strictObject({ clientId });

export const commandBody = z.strictObject({
  command: z.enum(["execute", "insert", "interrupt_tools", "new", "slash", "skill"]),
  /** Of a slash command or a skill. */
  name: z.string().min(1).max(200).optional(),
  arguments: z.string().max(500_000).optional(),
  clientId,
});

const fileReference = z.strictObject({
  path: z.string().min(1).max(4_096),
  startLine: z.number().int().positive().optional(),
  endLine: z.number().int().positive().optional(),
});
export type FileReference = z.infer<typeof fileReference>;

/** `fallback`: when no agent runs in the named session, the connected agent gets the message. */
export const routeMessageBody = z.strictObject({
  text,
  files: z.array(fileReference).max(100).optional(),
  sessionId: z.string().min(1).optional(),
  fallback: z.boolean().optional(),
  clientId,
});

/** `as`: a person says that the program in front of the session's terminal is the agent of this name. */
export const connectBody = z.strictObject({
  sessionId: z.string().min(1),
  as: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/)
    .optional(),
  clientId,
});

export const pageQuery = {
  after: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_LENGTH_MAX).optional(),
};

/** `newest` gives the last entries, newest first, and no cursor. */
export const eventsQuery = z.strictObject({
  ...pageQuery,
  kind: z.enum(["stream", "state", "request", "fact"]).optional(),
  order: z.enum(["oldest", "newest"]).optional(),
});

export const healthSchema = z.object({
  ok: z.boolean(),
  version: z.string(),
  pid: z.number().int(),
  uptimeMs: z.number(),
});

/** Absolute, and not there yet: the daemon writes it. */
export const backupBody = z.strictObject({ file: z.string().min(2).max(4_096).startsWith("/") });
export const backupMadeSchema = z.object({
  file: z.string(),
  sizeBytes: z.number(),
  sessions: z.number().int(),
  /** A daemon of before leaves them out. */
  workspaces: z.number().int().exactOptional(),
  /** Variables whose values are not in it. */
  withoutSecrets: z.array(z.object({ sessionId: z.string(), names: z.array(z.string()) })),
});
export type BackupMade = z.infer<typeof backupMadeSchema>;

export const healthCheckSchema = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** What is the matter, in a few words. Absent when nothing is, and from a daemon of before. */
  heading: z.string().exactOptional(),
  detail: z.string(),
  /** What to do about it. */
  remedy: z.string().nullable(),
});
export type HealthCheck = z.infer<typeof healthCheckSchema>;
export const healthReportSchema = z.object({
  ok: z.boolean(),
  /** The journal is damaged: nothing can be changed. */
  readOnly: z.boolean(),
  checks: z.array(healthCheckSchema),
});
export type HealthReport = z.infer<typeof healthReportSchema>;

export const acceptedMessageSchema = z.object({ messageId: z.string(), status: messageStatusSchema });

const requestedFact = z.object({ type: z.string() }).loose();
/** `by`: whose request it was; older versions did not write it down. */
const requested = z.object({ type: z.string(), by: principalSchema.exactOptional() }).loose();
const place = {
  position: z.number(),
  seq: z.number(),
  /** It is not as it was written: `event` says so in its place. */
  damaged: z.literal(true).exactOptional(),
};
export const journalEntrySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("stream"), ...place, event: streamEventSchema }),
  z.object({ kind: z.literal("state"), ...place, event: stateEventSchema }),
  z.object({ kind: z.literal("request"), ...place, atMs: z.number(), event: requested }),
  z.object({ kind: z.literal("fact"), ...place, atMs: z.number(), event: requestedFact }),
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
      /** Whose request, rule or mode it was. */
      by: principalSchema.exactOptional(),
      evidence: z.object({ seq: z.number(), type: z.string(), body: z.json() }).nullable(),
    }),
  ),
  /** What could change it next. */
  waitingFor: z.array(z.string()),
});
export type Explanation = z.infer<typeof explanationSchema>;

export const rosterSchema = z.object({
  connected: z.string().nullable(),
  /** All that happened up to this position of the journal is in it. */
  position: z.number().int().nonnegative(),
  seats: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      agent: z.string().nullable(),
      status: seatStatusSchema,
    }),
  ),
});
export type Roster = z.infer<typeof rosterSchema>;

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
  /** `unknown`: the agent does not tell without being started. */
  login: z.enum(["ok", "missing", "unknown"]),
  problems: z.array(z.string()),
  /** What to do about it: the command that installs it or logs in. */
  hint: z.string().nullable(),
  /** What else there is to know: of the built-in agent, which providers of models it has keys for. */
  note: z.string().exactOptional(),
  /** How far its sessions let permission rules be enforced. */
  enforcement: enforcementSchema.exactOptional(),
});
export type HarnessReport = z.infer<typeof harnessSchema>;

/** With `agents`, every agent and the keeper end too; without, they go on. */
export const shutdownBody = z.strictObject({ agents: z.boolean().optional() });

/** A link that signs a browser in, once. */
export const loginLinkSchema = z.object({ url: z.string() });
