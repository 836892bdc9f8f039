import { stat } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import type { Approve } from "../../../core/index.js";
import { agentName } from "../../../core/words/agent-names.js";
import { agentCommandSchema } from "../../../protocol/agent-wire.js";
import { ConfigError } from "../../../permissions/config/harness-configs.js";
import type { CreateSession } from "../../../protocol/api-schemas.js";
import { statusSchema } from "../../../protocol/state-event.js";
import type { SessionRecord, SessionSettings } from "../../../runtime/session-record.js";
import type { PersonRequest, ReceiptDraft } from "../../../runtime/submission.js";
import type { Principal } from "../../../protocol/principal.js";
import type { SessionDetail } from "../../../protocol/session.js";
import type { WallLabel } from "../../../protocol/wall.js";
import { wallLabels } from "../../../wall/labels.js";
import { whyNone } from "../../wall/session-wall.js";
import { WallError, type SessionWalls } from "../../wall/session-walls.js";
import type { Desk, Handler } from "../call-handler.js";
import type { Board } from "../board.js";
import { failure, flawed, sessionNotFound, type Failure } from "../problem.js";
import { partOf } from "../receipt.js";
import { summarize, summarizeInDetail } from "../summarize.js";
import { giveUpNew, inWorkspace, sharedWith, withDefaults } from "./session-workspace.js";
import { requestAndShow, showSession, submitAndShow, type SessionReply } from "./session-replies.js";

const PAGE_LENGTH = 100;
const TITLE_LENGTH = 80;

/** What a session is started with. */
export type SessionDesk = Pick<Desk, "board" | "walls" | "changes" | "workspaces" | "log">;

export const createSession: Handler<"createSession"> = async ({ body: asked, receipt, caller }, desk) => {
  const body = await withDefaults(asked, caller.principal, desk);
  if ("ok" in body) return body;
  const reply = await startSession(body, receipt, caller.principal, desk);
  if (!reply.ok) return reply;
  const value = { ...reply.value, ...sharedWith(reply.value.id, desk.board) };
  return { ok: true, value, location: `/v1/sessions/${encodeURIComponent(value.id)}` };
};

export async function startSession(
  body: CreateSession,
  receipt: ReceiptDraft | null,
  by: Principal,
  desk: SessionDesk,
): Promise<SessionReply> {
  const checked = await checkSession(body, desk);
  if ("ok" in checked) return checked;
  const { chosen, isWalled } = checked;
  const placed = await inWorkspace(chosen, body, receipt, desk);
  if ("ok" in placed) return placed;
  const reply = await submitAndShow(
    desk,
    {
      type: "create",
      settings: placed,
      text: body.prompt ?? null,
      approve: wantedApproval(body) ?? usualApproval(chosen, isWalled, desk.board),
      ...idleAfter(chosen, desk.board),
      ...(await checkpointsIn(chosen, desk)),
    },
    receipt,
    by,
  );
  if (!reply.ok && placed.workspaceId !== undefined) giveUpNew(placed.workspaceId, body, desk);
  return reply;
}

function usualApproval({ harness }: SessionSettings, isWalled: boolean, board: Board): "ask" | "contained" {
  const asksPerson = board.harnesses().find(({ name }) => name === harness)?.asksPerson === true;
  return isWalled && !asksPerson ? "contained" : "ask";
}

interface CheckedSession {
  readonly chosen: SessionSettings;
  readonly isWalled: boolean;
}

/** Whether it could be started, as far as can be said before anything is made. */
export async function checkSession(
  body: CreateSession,
  desk: Pick<Desk, "board" | "walls">,
): Promise<CheckedSession | Failure> {
  const flaw = (await cwdFlaw(body.cwd)) ?? processFlaw(body);
  if (flaw) return unknownHarness(body.harness, null, desk.board) ?? flaw;
  const chosen = configured(settingsOf(body), desk.board);
  if ("ok" in chosen) return chosen;
  const noModel = modelFlaw(chosen, desk.board);
  if (noModel) return noModel;
  const missing = await notInstalled(chosen, desk.board);
  if (missing) return missing;
  const isWalled = await wallFor(chosen, desk);
  return typeof isWalled === "boolean" ? { chosen, isWalled } : isWalled;
}

function idleAfter(settings: SessionSettings, board: Board): { readonly idleAfterMs?: number } {
  const idleAfterMs = board.setup?.idleAfterMs(settings) ?? null;
  return idleAfterMs === null ? {} : { idleAfterMs };
}

/** Of the files of a session in a repository, unless the person wants none. */
async function checkpointsIn(
  { cwd }: SessionSettings,
  { board, changes }: Pick<Desk, "board" | "changes">,
): Promise<{ readonly checkpoints?: true }> {
  if (!changes || board.setup?.checkpoints() === false) return {};
  return (await changes.canKeep(cwd)) ? { checkpoints: true } : {};
}

/** With what is configured where the request leaves something open. */
function configured(settings: SessionSettings, board: Board): SessionSettings | Failure {
  try {
    const flaw = unknownHarness(settings.harness, settings.cwd, board);
    return flaw ?? board.setup?.settings(settings) ?? settings;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return flawed("harness", error.message);
  }
}

/** A model that cannot be is refused before there is a session, where the names of models are known without the agent. */
function modelFlaw({ harness, model }: SessionSettings, board: Board): Failure | null {
  const chosen = board.harnesses().find(({ name }) => name === harness);
  const flaw = model === null ? null : (chosen?.modelFlaw?.(model) ?? null);
  return flaw === null ? null : flawed("model", flaw);
}

/** An agent whose program is not there is refused before there is a session of it. */
async function notInstalled(settings: SessionSettings, board: Board): Promise<Failure | null> {
  const { setup } = board;
  const harness = setup && board.harnesses().find(({ name }) => name === settings.harness);
  if (!harness) return null;
  const { settings: launched, program } = setup.launch(settings);
  const report = await harness.probe({ program, env: launched.env, onlyPath: true });
  if (report.installed) return null;
  const wrong =
    program === null
      ? "is not installed"
      : `cannot be run: there is no program ${JSON.stringify(program)}, which is configured for it`;
  const remedy = program !== null || report.hint === null ? "" : ` Install it with: ${report.hint}`;
  return failure("harness_failed", `${agentName(settings.harness)} ${wrong}.${remedy}`, { status: 409 });
}

/** A session whose runs could not have the wall that they are to have is refused before there is one. */
async function wallFor(
  settings: SessionSettings,
  { walls }: Pick<Desk, "walls">,
): Promise<Failure | boolean> {
  try {
    return (await walls?.check(settings)) ?? false;
  } catch (error) {
    if (error instanceof WallError) return failure(error.code, error.message);
    if (error instanceof ConfigError) return flawed("wall", error.message);
    throw error;
  }
}

/** `cwd`: a folder whose configuration may make it known. */
function unknownHarness(harness: string, cwd: string | null, board: Board): Failure | null {
  const { setup } = board;
  const names = board.harnesses().map(({ name }) => name);
  if (names.includes(harness) || (cwd !== null && setup?.isKnown(harness, cwd) === true)) return null;
  if (cwd === null && setup) return null;
  const file = cwd === null ? null : (setup?.untrustedFile(harness, cwd) ?? null);
  const known = names.filter((name) => name !== "script");
  if (file === null)
    return flawed(
      "harness",
      `There is no agent ${JSON.stringify(harness)} here. Known are ${known.join(", ")}, and what is configured`,
    );
  return flawed("harness", `${file} configures it, but is not used: its folder is not trusted`);
}

async function cwdFlaw(cwd: string): Promise<Failure | null> {
  if (!isAbsolute(cwd)) return flawed("cwd", "Not an absolute path");
  // The system cannot be asked about a path with a zero byte.
  const isFolder = !cwd.includes("\0") && (await stat(cwd).then((stats) => stats.isDirectory(), isNever));
  return isFolder ? null : flawed("cwd", "There is no such folder");
}

function isNever(): boolean {
  return false;
}

/** A process takes no zero bytes. */
function processFlaw({ args, env, model }: CreateSession): Failure | null {
  const message = "Has a zero byte";
  const index = args?.findIndex((arg) => arg.includes("\0")) ?? -1;
  if (index >= 0) return flawed(`args[${index}]`, message);
  const name = Object.entries(env ?? {}).find(([, value]) => value.includes("\0"))?.[0];
  if (name !== undefined) return flawed(`env.${name}`, message);
  return model?.includes("\0") === true ? flawed("model", message) : null;
}

function settingsOf(body: CreateSession): SessionSettings {
  const cwd = resolve(body.cwd);
  return {
    harness: body.harness,
    title: body.title ?? titleFrom(body.prompt) ?? `${body.harness} in ${basename(cwd)}`,
    cwd,
    model: body.model ?? null,
    args: body.args ?? [],
    env: body.env ?? {},
    ...(body.wall === undefined ? {} : { wall: body.wall }),
    ...(body.network === undefined ? {} : { network: body.network }),
  };
}

/** The prompt's first line that says something. */
export function titleFrom(prompt: string | undefined): string | null {
  const line = prompt?.trim().split("\n", 1)[0]?.trim() ?? "";
  if (line === "") return null;
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}

export const listSessions: Handler<"listSessions"> = ({ query }, { board }) => {
  const statuses = query.status?.split(",").map((status) => status.trim());
  const unknown = statuses?.find((status) => !statusSchema.safeParse(status).success);
  if (unknown !== undefined) return flawed("status", `Not one of ${statusSchema.options.join(", ")}`);
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor);
  if (cursor === undefined) return flawed("cursor", "Not a cursor of ours");
  const limit = query.limit ?? PAGE_LENGTH;
  const records = [...board.sessions()]
    .filter((record) => statuses?.includes(record.state.status) ?? true)
    .filter((record) => query.harness === undefined || record.settings.harness === query.harness)
    .filter((record) => cursor === null || newestFirst(cursor, record) < 0)
    .toSorted(newestFirst);
  const page = records.slice(0, limit);
  const last = page.at(-1);
  const items = page.map((record) => summarize(record, board));
  const isMore = records.length > page.length && last !== undefined;
  return { ok: true, value: { items, ...(isMore ? { nextCursor: writeCursor(last) } : {}) } };
};

type Place = Pick<SessionRecord, "createdAtMs" | "id">;

function newestFirst(a: Place, b: Place): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs;
  return a.id === b.id ? 0 : a.id < b.id ? 1 : -1;
}

/** Names a place in the order, not a session: the session may be gone when the next page is asked for. */
function writeCursor({ createdAtMs, id }: Place): string {
  return Buffer.from(`${createdAtMs}:${id}`).toString("base64url");
}

function readCursor(cursor: string): Place | undefined {
  const parts = /^([0-9.]+):(.+)$/s.exec(Buffer.from(cursor, "base64url").toString("utf8"));
  const createdAtMs = Number(parts?.[1]);
  const id = parts?.[2];
  return id === undefined || Number.isNaN(createdAtMs) ? undefined : { createdAtMs, id };
}

export const getSession: Handler<"getSession"> = async ({ params }, { board, walls }) => {
  const record = board.session(params.id);
  if (!record) return sessionNotFound(params.id);
  const value = { ...summarizeInDetail(record, board), ...sharedWith(record.id, board) };
  if (!walls) return { ok: true, value };
  return { ok: true, value: { ...value, labels: await labelsOf(record, value.enforcement, walls) } };
};

/** Of its newest run. A plan that cannot be read holds nothing, as far as anybody can tell. */
async function labelsOf(
  record: SessionRecord,
  enforcement: SessionDetail["enforcement"],
  walls: SessionWalls,
): Promise<WallLabel[]> {
  try {
    const plan = await walls.planOf(record);
    return [...wallLabels({ plan, noWallBecause: `${whyNone(record)}.`, enforcement })];
  } catch (error) {
    if (!(error instanceof WallError)) throw error;
    return [...wallLabels({ plan: null, noWallBecause: error.message, enforcement })];
  }
}

/** `autoApprove` is the short form; what is said in full counts. */
function wantedApproval({ approve, autoApprove }: ApprovalWish): Approve | undefined {
  if (approve !== undefined || autoApprove === undefined) return approve;
  return autoApprove ? "auto" : "ask";
}

interface ApprovalWish {
  readonly approve?: Approve | undefined;
  readonly autoApprove?: boolean | undefined;
}

/** The switch first: the machine may refuse it, and then nothing has changed. */
export const patchSession: Handler<"patchSession"> = async ({ params, body, receipt, caller }, desk) => {
  const by = caller.principal;
  const { title } = body;
  const approve = wantedApproval(body);
  if (approve !== undefined) {
    const request = { type: "set_approve", approve } as const;
    const reply = await requestAndShow(desk, params.id, request, partOf(receipt, "approve"), by);
    if (!reply.ok || title === undefined) return reply;
  }
  if (title === undefined) return showSession(desk.board, params.id);
  return submitAndShow(desk, { type: "rename", sessionId: params.id, title }, partOf(receipt, "title"), by);
};

export const deleteSession: Handler<"deleteSession"> = async ({ params, caller }, { board }) => {
  const answer = await board.submit({ type: "remove", sessionId: params.id }, null, caller.principal);
  return answer.ok ? { ok: true, value: null } : answer;
};

type BareCall = "interrupt" | "cancel" | "resume" | "retry";

function plainRequest(type: BareRequestType): Handler<BareCall> {
  return ({ params, receipt, caller }, desk) =>
    requestAndShow(desk, params.id, { type }, receipt, caller.principal);
}

type BareRequestType = Extract<
  PersonRequest["type"],
  "interrupt" | "cancel_session" | "resume_session" | "retry"
>;

export const interrupt = plainRequest("interrupt");
export const cancel = plainRequest("cancel_session");
export const resume = plainRequest("resume_session");
export const retry = plainRequest("retry");

export const start: Handler<"start"> = async ({ params, receipt, caller }, desk) => {
  const record = desk.board.session(params.id);
  const idle = record ? idleUnlessBroken(record.settings, desk.board) : {};
  // As it was started: whose files are not kept from the start has no base.
  const kept = record?.state.checkpoints === true ? { checkpoints: true } : {};
  return requestAndShow(
    desk,
    params.id,
    { type: "start_session", ...idle, ...kept },
    receipt,
    caller.principal,
  );
};

/** What is wrong with a file is told by the launch, which needs it too. */
function idleUnlessBroken(settings: SessionSettings, board: Board): { readonly idleAfterMs?: number } {
  try {
    return idleAfter(settings, board);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {};
  }
}

export const command: Handler<"command"> = ({ params, body, receipt, caller }, desk) => {
  const { clientId: _clientId, ...given } = body;
  const parsed = agentCommandSchema.safeParse(given);
  if (!parsed.success) return flawed("name", "Which one? It is needed here");
  return submitAndShow(
    desk,
    { type: "command", sessionId: params.id, command: parsed.data },
    receipt,
    caller.principal,
  );
};
