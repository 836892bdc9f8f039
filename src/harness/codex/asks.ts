/** What Codex asks us, and what that is about. Each is answered, if only with a refusal: Codex waits for ever. */
import type { Json } from "../../core/index.js";
import type { HarnessEffect } from "../../runtime/harness.js";
import { METHOD_NOT_FOUND, type RpcId } from "../kit/json-rpc.js";
import { fieldsAt, type JsonObject, textAt, textsAt } from "../kit/json.js";
import type { Ask } from "../kit/step.js";
import { cut, linesOf } from "../kit/words.js";
import { ASKS_MAX, entryOf, type OpenAsk, withEntry, withoutEntry } from "./codex-state.js";
import type { CodexStep } from "./codex-step.js";
import { changesByPath, fileChanges, type FileChanges, parentOf, streamOf, summaries } from "./items.js";
import { agentQuestions, answerTo, formQuestions, type ShownQuestion } from "./questions.js";
import { startTurn } from "./turns.js";

type Shown = Omit<Ask, "askId">;

const TOO_MANY = -32_000;
const PERMISSIONS_LENGTH_MAX = 20_000;

export function serverRequest(step: CodexStep, id: RpcId, method: string, params: JsonObject): void {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return open(step, id, params, { kind: "decision" }, commandShown(step, params));
    case "item/fileChange/requestApproval":
      return open(step, id, params, { kind: "decision" }, changeShown(step, params));
    case "item/permissions/requestApproval":
      return permissionsAsked(step, id, params);
    case "item/tool/requestUserInput":
      return questionsAsked(step, id, params, "questions", agentQuestions(params["questions"]));
    case "mcpServer/elicitation/request":
      return elicited(step, id, params);
    case "execCommandApproval":
      return open(step, id, olderParams(params), { kind: "review" }, commandShown(step, params));
    case "applyPatchApproval":
      return open(step, id, olderParams(params), { kind: "review" }, olderPatchShown(step, params));
    default:
      step.refuse(id, METHOD_NOT_FOUND, `Signalbox does not know ${method}`);
      step.unknown(cut(method, 100), method, { params: cut(JSON.stringify(params), 10_000) });
  }
}

/** Versions before the present protocol name the same things differently. */
function olderParams(params: JsonObject): JsonObject {
  return { ...params, threadId: params["conversationId"] ?? null, itemId: params["callId"] ?? null };
}

function open(
  step: CodexStep,
  requestId: RpcId,
  params: JsonObject,
  how: Pick<OpenAsk, "kind"> & Partial<OpenAsk>,
  shown: Shown,
  suffix = "",
): void {
  const conversationId = textAt(params, "threadId") ?? step.state.conversationId ?? "";
  const turnId = textAt(params, "turnId") ?? step.conversation(conversationId).turnId;
  const askId = `ask-${step.state.run}-${requestId}${suffix}`;
  const itemId = textAt(params, "itemId");
  const ask: OpenAsk = { requestId, conversationId, turnId, itemId, answered: false, ...how };
  if (Object.keys(step.state.asks).length >= ASKS_MAX) {
    step.refuse(requestId, TOO_MANY, "too many questions are open");
    return;
  }
  step.set({ asks: withEntry(step.state.asks, askId, ask, ASKS_MAX) });
  // The session's own turn is over, and a subagent asks: once that is answered, it is over again.
  if (step.main.turnId === null && step.state.starting === null) step.set({ over: `${askId}:end` });
  const streamId = turnId === null ? `run-${step.state.run}` : streamOf(step, { conversationId, turnId });
  step.ask({ askId, ...shown }, { streamId, ...parentOf(step, { conversationId }) });
}

function commandShown(step: CodexStep, params: JsonObject): Shown {
  const command = textAt(params, "command") ?? quoted(textsAt(params, "command"));
  const cwd = textAt(params, "cwd") ?? step.state.cwd;
  const host = textAt(fieldsAt(params, "networkApprovalContext"), "host");
  const extra = params["additionalPermissions"] ?? null;
  const detail = linesOf(
    command,
    `in ${cwd}`,
    reasonOf(params),
    host === null ? null : `to reach ${host}`,
    extra === null ? null : `with more permissions: ${JSON.stringify(extra)}`,
    subagentOf(step, params),
  );
  if (params["kind"] === "writeStdin")
    return {
      ask: "tool",
      title: "Type into a running command",
      detail,
      tool: { name: "writeStdin", input: { command, reason: reasonOf(params) }, cwd },
    };
  if (host !== null)
    return {
      ask: "tool",
      title: `Reach ${host}`,
      detail,
      tool: { name: "networkAccess", input: { host, command }, cwd },
    };
  const input = { command, cwd, ...(extra === null ? {} : { additionalPermissions: extra }) };
  return {
    ask: "command",
    title: `Run ${shortCommand(command)}`,
    detail,
    tool: { name: "commandExecution", input, cwd },
  };
}

/** What is in `bash -lc '…'`. For the title only: what is decided about is the whole command. */
function shortCommand(command: string): string {
  const inner = /^\S*sh -l?c (?:'([^]*)'|(\S+))$/.exec(command);
  const [first = ""] = (inner?.[1] ?? inner?.[2] ?? command).split("\n");
  return first;
}

function quoted(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
}

function changeShown(step: CodexStep, params: JsonObject): Shown {
  const item = entryOf(step.state.items, textAt(params, "itemId"));
  return changesShown(step, params, item?.changes ?? null, null);
}

function olderPatchShown(step: CodexStep, params: JsonObject): Shown {
  const changes = changesByPath(params["fileChanges"]);
  return changesShown(step, params, fileChanges(changes, step.state.cwd), summaries(changes));
}

/** Without its paths a rule cannot allow it: then a person decides. */
function changesShown(step: CodexStep, params: JsonObject, known: FileChanges | null, input: Json): Shown {
  const paths = known?.paths ?? null;
  const root = textAt(params, "grantRoot");
  const one = paths?.length === 1 ? paths[0] : undefined;
  return {
    ask: "tool",
    title: one === undefined ? `Change ${paths?.length ?? "some"} files` : `Change ${one}`,
    detail: linesOf(
      reasonOf(params),
      root === null ? null : `and write anywhere in ${root} from now on`,
      subagentOf(step, params),
      known?.diff ?? "What it changes is shown with the call.",
    ),
    tool: {
      name: "fileChange",
      input: input ?? { files: paths },
      ...(paths === null || root !== null ? {} : { paths }),
    },
  };
}

function permissionsAsked(step: CodexStep, id: RpcId, params: JsonObject): void {
  const { network = null, fileSystem = null } = fieldsAt(params, "permissions");
  const permissions = {
    ...(network === null ? {} : { network }),
    ...(fileSystem === null ? {} : { fileSystem }),
  };
  const text = JSON.stringify(permissions, null, 2);
  if (text.length > PERMISSIONS_LENGTH_MAX) {
    step.respond(id, { permissions: {}, scope: "turn" });
    step.metadata({ problem: "a request for more permissions than can be shown was refused" });
    return;
  }
  const cwd = textAt(params, "cwd") ?? step.state.cwd;
  open(
    step,
    id,
    params,
    { kind: "permissions", permissions },
    {
      ask: "tool",
      title: "Get more permissions for this turn",
      detail: linesOf(reasonOf(params), text, `in ${cwd}`, subagentOf(step, params)),
      tool: { name: "permissions", input: permissions, cwd },
    },
  );
}

function questionsAsked(
  step: CodexStep,
  id: RpcId,
  params: JsonObject,
  kind: "questions" | "form",
  questions: readonly ShownQuestion[],
): void {
  if (questions.length === 0) step.respond(id, { answers: {} });
  for (const [index, { question, title, detail }] of questions.entries()) {
    const tool = { name: "requestUserInput", input: { question: detail } };
    const shown: Shown = { ask: "followup", title, detail, tool };
    open(step, id, params, { kind, question }, shown, `-${index + 1}`);
  }
}

/** An MCP server wants something of a person; or Codex asks, in that way, whether its tool may be called. */
function elicited(step: CodexStep, id: RpcId, params: JsonObject): void {
  const server = textAt(params, "serverName") ?? "?";
  const message = textAt(params, "message") ?? textAt(params, "title") ?? "";
  const meta = fieldsAt(params, "_meta");
  if (meta["codex_approval_kind"] === "mcp_tool_call") {
    const tool = calledTool(step, params, server, message);
    const args = meta["tool_params"] ?? null;
    const shown: Shown = {
      ask: "use_mcp_server",
      title: `Call ${server}/${tool ?? "?"}`,
      detail: linesOf(message, JSON.stringify(args, null, 2), subagentOf(step, params)),
      tool: { name: "mcpToolCall", input: { server, tool, arguments: args } },
    };
    return open(step, id, params, { kind: "elicitation" }, shown);
  }
  const questions = formQuestions(`${server}: ${message}`, params["requestedSchema"]);
  if (questions.length > 0) return questionsAsked(step, id, params, "form", questions);
  const url = textAt(params, "url");
  open(
    step,
    id,
    params,
    { kind: "elicitation" },
    {
      ask: "use_mcp_server",
      title: `${server} asks`,
      detail: linesOf(message, url, textAt(params, "description")),
      tool: { name: "mcpElicitation", input: { server, message, url } },
    },
  );
}

/** The request names the server only: its tool is in the call that has just begun, and in the message. */
function calledTool(step: CodexStep, params: JsonObject, server: string, message: string): string | null {
  const turnId = textAt(params, "turnId");
  const calls = Object.values(step.state.items).flatMap((item) =>
    item.turnId === turnId && item.mcp?.server === server ? [item.mcp.tool] : [],
  );
  const named = calls.filter((tool) => message.includes(`"${tool}"`));
  return named.length === 1 || new Set(named).size === 1 ? (named[0] ?? null) : null;
}

function reasonOf(params: JsonObject): string | null {
  return textAt(params, "reason");
}

function subagentOf(step: CodexStep, params: JsonObject): string | null {
  const conversationId = textAt(params, "threadId") ?? textAt(params, "conversationId");
  return conversationId === null || step.isMain(conversationId) ? null : `asked by a subagent`;
}

type Decision = Extract<HarnessEffect, { readonly type: "answer_ask" }>["decision"];

export function answerAsk(step: CodexStep, askId: string, decision: Decision, text: string | null): void {
  const { asks } = step.state;
  const ask = Object.hasOwn(asks, askId) ? asks[askId] : undefined;
  // Closed meanwhile: Codex does not wait for it any more.
  if (!ask || ask.answered) return;
  if (ask.question) return answerQuestion(step, askId, ask, answerTo(ask.question, text ?? ""));
  const approved = decision === "approve";
  step.set({ asks: { ...asks, [askId]: { ...ask, answered: true } } });
  if (!approved && text !== null && ask.turnId !== null) steer(step, ask.conversationId, ask.turnId, text);
  step.respond(ask.requestId, approved ? approval(ask) : refusal(ask));
}

/** Whoever asks will go on without an answer, or not at all. */
export function voidAsk(step: CodexStep, askId: string): void {
  const { asks } = step.state;
  const ask = Object.hasOwn(asks, askId) ? asks[askId] : undefined;
  if (!ask || ask.answered) return;
  step.set({ asks: withoutEntry(asks, askId) });
  const others = Object.values(step.state.asks).filter(({ requestId }) => requestId === ask.requestId);
  if (others.length === 0) step.respond(ask.requestId, withdrawal(ask));
}

/** All questions of a request are answered together. */
function answerQuestion(step: CodexStep, askId: string, ask: OpenAsk, answer: Json): void {
  step.set({ asks: { ...step.state.asks, [askId]: { ...ask, answered: true, answer } } });
  const all = Object.values(step.state.asks).filter(({ requestId }) => requestId === ask.requestId);
  if (all.some(({ answered }) => !answered)) return;
  const answers = all.map(({ question, answer: given = "" }) => [question?.id ?? "", given] as const);
  step.respond(
    ask.requestId,
    ask.kind === "form"
      ? { action: "accept", content: Object.fromEntries(answers), _meta: null }
      : { answers: Object.fromEntries(answers.map(([id, given]) => [id, { answers: [given] }])) },
  );
}

/** A longer text is not kept for a second try. */
const STEER_LENGTH_MAX = 20_000;

/**
 * Codex's refusal has no place for words, so they are added to the turn as a message. They go first: the turn waits for
 * the answer, and so is sure to be there to take them; the model reads them together with the refusal.
 */
function steer(step: CodexStep, threadId: string, expectedTurnId: string, text: string): void {
  const input = [{ type: "text", text, text_elements: [] }];
  const kept = text.length > STEER_LENGTH_MAX ? null : text;
  step.request("turn/steer", { threadId, expectedTurnId, input }, { conversationId: threadId, text: kept });
}

/** Some turns take no words, such as reviews: then they are the next message, if they can be. */
export function steerRefused(step: CodexStep, note: JsonObject, problem: string): void {
  const text = textAt(note, "text");
  if (text !== null && step.isMain(textAt(note, "conversationId"))) startTurn(step, text, { optional: true });
  else step.metadata({ problem: `the agent did not take the message: ${problem}` });
}

function approval(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "accept" };
    case "review":
      return { decision: "approved" };
    case "permissions":
      return { permissions: ask.permissions ?? {}, scope: "turn" };
    case "elicitation":
      return { action: "accept", content: {}, _meta: null };
    case "questions":
    case "form":
      return withdrawal(ask);
  }
}

function refusal(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "decline" };
    case "review":
      return { decision: "denied" };
    case "permissions":
      return { permissions: {}, scope: "turn" };
    case "elicitation":
      return { action: "decline", content: null, _meta: null };
    case "questions":
    case "form":
      return withdrawal(ask);
  }
}

function withdrawal(ask: OpenAsk): Json {
  switch (ask.kind) {
    case "decision":
      return { decision: "cancel" };
    case "review":
      return { decision: "abort" };
    case "permissions":
      return { permissions: {}, scope: "turn" };
    case "elicitation":
    case "form":
      return { action: "cancel", content: null, _meta: null };
    case "questions":
      return { answers: {} };
  }
}
