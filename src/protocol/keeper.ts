/**
 * What the daemon and the keeper say to each other: one JSON object per line over a socket in the data folder.
 *
 * Output itself never travels here: the keeper writes it to the run's spool first and then says how far the spool reaches.
 * A newer daemon talks to an older keeper. The keeper takes only types from here; see `keeper-format.ts`.
 */
import { z } from "zod";
import {
  EFFECT_ID_PATTERN,
  HOLD_ID_PATTERN,
  OPEN_FILES_MAX,
  RUN_ID_PATTERN,
  RUN_SIGNALS,
  TERMINAL_SIZE_MAX,
  UMASK_MAX,
} from "./keeper-format.js";

export const runIdSchema = z.string().regex(RUN_ID_PATTERN);
export const effectIdSchema = z.string().regex(EFFECT_ID_PATTERN);

const terminalSize = z.number().int().min(1).max(TERMINAL_SIZE_MAX);
const size = { cols: terminalSize, rows: terminalSize };

const id = z.number().int().nonnegative();
const runId = runIdSchema;
const effectId = effectIdSchema;
const holdId = z.string().regex(HOLD_ID_PATTERN);

export const keeperRequestSchema = z.discriminatedUnion("type", [
  /**
   * Answered with what the keeper has; from then on this connection gets notices. `secret`: that of the data folder,
   * without which nothing is answered; a keeper of before passes it over.
   */
  z.object({
    type: z.literal("hello"),
    id,
    version: z.number().int(),
    secret: z.string().max(200).optional(),
  }),
  /** Starts a run, once: a repeat is answered as the first was. */
  z.object({
    type: z.literal("spawn"),
    id,
    runId,
    effectId,
    command: z.string().min(1),
    args: z.array(z.string()),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    /** Absent: pipes. */
    pty: z.object(size).optional(),
    /** Watch the file `hooks` in the run's folder too. */
    hooks: z.boolean(),
    /** What the agent may not give to others of the files that it creates. Absent: as the keeper was started with. */
    umask: z.number().int().min(0).max(UMASK_MAX).optional(),
    /** The soft limit of open files, which Node raises in itself and so in the keeper. Absent: the keeper's own. */
    openFilesMax: z.number().int().min(1).max(OPEN_FILES_MAX).optional(),
    /** The command is bubblewrap, with a process namespace, and the agent is the first that it starts. */
    walled: z.boolean().optional(),
  }),
  /** A repeated `effectId` is dropped, and answered as done. Null: typed by a person, never repeated. */
  z.object({
    type: z.literal("input"),
    id,
    runId,
    effectId: effectId.nullable(),
    data: z.string(),
    encoding: z.enum(["utf8", "base64"]),
    /** Only for the addressee of this hold: refused with `agent_gone` when that is gone, or the hold has ended. */
    hold: holdId.optional(),
    /** The terminal's answer to the question of this process: refused with `agent_gone` when it lives no more. */
    asker: z.object({ pid: z.number().int().positive(), start: z.string() }).optional(),
  }),
  /**
   * Freezes everybody who could read the terminal after its addressee's death, until `release`, and at most for
   * `HOLD_MS_MAX`. The addressee leads the process group in the foreground; `start` is its start mark, which may be empty
   * only for the run's own process. Refused with `agent_gone` when it is not there, and with `no_hold` when nothing can be
   * frozen. A repeat holds for that long again.
   */
  z.object({
    type: z.literal("hold"),
    id,
    runId,
    holdId,
    pid: z.number().int().positive(),
    start: z.string(),
  }),
  /** Takes back what nobody has read, unless it was taken; and thaws. */
  z.object({ type: z.literal("release"), id, runId, holdId, isTaken: z.boolean() }),
  z.object({ type: z.literal("close_input"), id, runId, effectId }),
  /** To the whole process group. */
  z.object({
    type: z.literal("signal"),
    id,
    runId,
    effectId,
    signal: z.enum(RUN_SIGNALS),
  }),
  /** Ends a run, whatever it takes: SIGTERM after `termAfterMs`, SIGKILL after `killAfterMs`, the whole group. */
  z.object({
    type: z.literal("stop"),
    id,
    runId,
    effectId,
    interrupt: z.boolean(),
    termAfterMs: z.number().int().nonnegative(),
    killAfterMs: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal("resize"), id, runId, ...size }),
  /** The spool up to here is in the journal, on disk: it may be deleted. */
  z.object({
    type: z.literal("consumed"),
    id,
    runId,
    spool: z.enum(["out", "hooks"]),
    offset: z.number().int().nonnegative(),
  }),
  /** The run's end is in the journal: nothing of it is needed any more. */
  z.object({ type: z.literal("forget"), id, runId }),
  /** Whether it lives: answered at once, by an older keeper with `failed`. */
  z.object({ type: z.literal("ping"), id }),
  /** Ends every run and then the keeper. */
  z.object({ type: z.literal("shutdown"), id }),
]);
export type KeeperRequest = z.infer<typeof keeperRequestSchema>;

export const runExitSchema = z.object({
  code: z.number().int().nullable(),
  signal: z.string().nullable(),
});
export type RunExit = z.infer<typeof runExitSchema>;

/** Who is in the foreground of a run's terminal: gets what is typed, and may draw on the screen. */
export const foregroundSchema = z.object({
  /** Of its process group. */
  pid: z.number().int(),
  /** Tells the group's leader from a later one with the same pid; absent when it is gone, or the keeper is an older one. */
  start: z.string().exactOptional(),
  /** The group's leader, then what that has started, as long as each has started only one; names and arguments are cut. */
  programs: z.array(z.object({ command: z.string(), args: z.array(z.string()) })).min(1),
});
export type Foreground = z.infer<typeof foregroundSchema>;

export const runReportSchema = z.object({
  runId,
  pid: z.number().int(),
  startedAtMs: z.number(),
  /** Of a run with a terminal; an older keeper says neither. */
  size: z.object(size).exactOptional(),
  foreground: foregroundSchema.exactOptional(),
  /** How far its spools reach. */
  outEnd: z.number().int(),
  hooksEnd: z.number().int(),
  lastEffectId: effectId.nullable(),
  /** Set once the process has ended and all it wrote is in the spool. */
  exit: runExitSchema.nullable(),
});
export type RunReport = z.infer<typeof runReportSchema>;

/** A welcome of any protocol. */
export const anyWelcomeSchema = z.object({
  type: z.literal("welcome"),
  id,
  version: z.number().int(),
  pid: z.number().int(),
});

export const keeperNoticeSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("welcome"),
    id,
    /** Of the protocol. */
    version: z.number().int(),
    /** The Signalbox that it is part of. Keepers of before do not say it. */
    release: z.string().max(100).optional(),
    pid: z.number().int(),
    runs: z.array(runReportSchema),
  }),
  z.object({
    type: z.literal("done"),
    id,
    pid: z.number().int().optional(),
    /** Of a release: what became of the hold. `unreadBytes`: how much of its input nobody has read, or ever will. */
    hold: z.object({ isGone: z.boolean(), unreadBytes: z.number().int() }).optional(),
  }),
  z.object({
    type: z.literal("failed"),
    id,
    code: z.enum([
      "unknown_run",
      "spawn_failed",
      "input_full",
      "invalid",
      "ended",
      "disk_full",
      "agent_gone",
      "no_hold",
    ]),
    message: z.string(),
  }),
  /** Somebody tried to talk to the keeper without the secret, and is held for a moment. */
  z.object({ type: z.literal("stranger") }),
  z.object({ type: z.literal("output"), runId, end: z.number().int() }),
  z.object({ type: z.literal("hooks"), runId, end: z.number().int() }),
  /** Somebody else is in the terminal's foreground now, or was seen there for the first time. */
  z.object({ type: z.literal("foreground"), runId, foreground: foregroundSchema }),
  z.object({ type: z.literal("exit"), runId, end: z.number().int(), exit: runExitSchema }),
]);
export type KeeperNotice = z.infer<typeof keeperNoticeSchema>;

/** `meta.json` in a run's folder: enough to end what a dead keeper left behind, and nothing else. */
export const runMetaSchema = z.object({
  runId,
  pid: z.number().int(),
  /** Of the process, in the system's own unit: a pid used again has another. */
  startMark: z.string(),
  startedAtMs: z.number(),
  /** Keepers of before have no walls. */
  walled: z.boolean().optional(),
});
export type RunMeta = z.infer<typeof runMetaSchema>;
