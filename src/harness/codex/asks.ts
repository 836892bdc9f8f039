/** What Codex asks us, and what that is about. Each is answered, if only with a refusal: Codex waits for ever. */
import type { Json } from "../../core/index.js";
import { METHOD_NOT_FOUND, type RpcId } from "../json-rpc/rpc-message.js";
import { titleLine } from "../title-line.js";
import { cut } from "../cut.js";
import { ASKS_MAX, entryOf, withEntry, type OpenAsk } from "./codex-state.js";
import type { Draft } from "./draft.js";
import { changesByPath, fileChanges, type FileChanges } from "./file-changes.js";
import { parentOf, streamOf } from "./items.js";
import { agentQuestions, formQuestions, type ShownQuestion } from "./questions.js";
import { asFields, asText, asTexts, type Fields } from "./read-json.js";
import { summaries } from "./tool-item.js";

type AskName = "tool" | "command" | "use_mcp_server" | "followup";

interface Shown {
  readonly ask: AskName;
  readonly title: string;
  readonly detail: string;
  readonly tool: Json;
}

const TOO_MANY = -32_000;
const TITLE_LENGTH_MAX = 200;
const DETAIL_LENGTH_MAX = 120_000;
const PERMISSIONS_LENGTH_MAX = 20_000;

export function serverRequest(draft: Draft, id: RpcId, method: string, params: Fields): void {
  switch (method) {
    case "item/commandExecution/requestApproval":
      return open(draft, id, params, { kind: "decision" }, commandShown(draft, params));
    case "item/fileChange/requestApproval":
      return open(draft, id, params, { kind: "decision" }, changeShown(draft, params));
    case "item/permissions/requestApproval":
      return permissionsAsked(draft, id, params);
    case "item/tool/requestUserInput":
      return questionsAsked(draft, id, params, "questions", agentQuestions(params["questions"]));
    case "mcpServer/elicitation/request":
      return elicited(draft, id, params);
    case "execCommandApproval":
      return open(draft, id, olderParams(params), { kind: "review" }, commandShown(draft, params));
    case "applyPatchApproval":
      return open(draft, id, olderParams(params), { kind: "review" }, olderPatchShown(draft, params));
    default:
      draft.refuse(id, METHOD_NOT_FOUND, `Signalbox does not know ${method}`);
      draft.outputs.push({ type: "unknown", kind: cut(method, 100) });
      draft.metadata({ unknown: method, params: cut(JSON.stringify(params), 10_000) });
  }
}

/** Versions before the present protocol name the same things differently. */
function olderParams(params: Fields): Fields {
  return { ...params, threadId: params["conversationId"] ?? null, itemId: params["callId"] ?? null };
}

function open(
  draft: Draft,
  requestId: RpcId,
  params: Fields,
  how: Pick<OpenAsk, "kind"> & Partial<OpenAsk>,
  shown: Shown,
  suffix = "",
): void {
  const conversationId = asText(params["threadId"]) ?? draft.state.conversationId ?? "";
  const turnId = asText(params["turnId"]) ?? draft.conversation(conversationId).turnId;
  const askId = `ask-${draft.state.run}-${requestId}${suffix}`;
  const itemId = asText(params["itemId"]);
  const ask: OpenAsk = { requestId, conversationId, turnId, itemId, answered: false, ...how };
  if (Object.keys(draft.state.asks).length >= ASKS_MAX) {
    draft.refuse(requestId, TOO_MANY, "too many questions are open");
    return;
  }
  draft.set({ asks: withEntry(draft.state.asks, askId, ask, ASKS_MAX) });
  // The session's own turn is over, and a subagent asks: once that is answered, it is over again.
  if (draft.main.turnId === null && draft.state.starting === null) draft.set({ over: `${askId}:end` });
  const { ask: name, tool } = shown;
  const title = titleLine(shown.title, TITLE_LENGTH_MAX);
  const detail = cut(shown.detail, DETAIL_LENGTH_MAX);
  const streamId = turnId === null ? `run-${draft.state.run}` : streamOf(draft, { conversationId, turnId });
  draft.outputs.push({ type: "ask_detail", askId, title, detail, tool });
  draft.stream(streamId, "ask", { askId, ask: name, title, detail }, parentOf(draft, { conversationId }));
  draft.fact({ type: `ask:${name}`, askId });
}

function commandShown(draft: Draft, params: Fields): Shown {
  const command = asText(params["command"]) ?? quoted(asTexts(params["command"]));
  const cwd = asText(params["cwd"]) ?? draft.state.cwd;
  const host = asText(asFields(params["networkApprovalContext"])["host"]);
  const extra = params["additionalPermissions"] ?? null;
  const detail = lines(
    command,
    `in ${cwd}`,
    reasonOf(params),
    host === null ? null : `to reach ${host}`,
    extra === null ? null : `with more permissions: ${JSON.stringify(extra)}`,
    subagentOf(draft, params),
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

function changeShown(draft: Draft, params: Fields): Shown {
  const item = entryOf(draft.state.items, asText(params["itemId"]));
  return changesShown(draft, params, item?.changes ?? null, null);
}

function olderPatchShown(draft: Draft, params: Fields): Shown {
  const changes = changesByPath(params["fileChanges"]);
  return changesShown(draft, params, fileChanges(changes, draft.state.cwd), summaries(changes));
}

/** Without its paths a rule cannot allow it: then a person decides. */
function changesShown(draft: Draft, params: Fields, known: FileChanges | null, input: Json): Shown {
  const paths = known?.paths ?? null;
  const root = asText(params["grantRoot"]);
  const one = paths?.length === 1 ? paths[0] : undefined;
  return {
    ask: "tool",
    title: one === undefined ? `Change ${paths?.length ?? "some"} files` : `Change ${one}`,
    detail: lines(
      reasonOf(params),
      root === null ? null : `and write anywhere in ${root} from now on`,
      subagentOf(draft, params),
      known?.diff ?? "What it changes is shown with the call.",
    ),
    tool: {
      name: "fileChange",
      input: input ?? { files: paths },
      ...(paths === null || root !== null ? {} : { paths }),
    },
  };
}

function permissionsAsked(draft: Draft, id: RpcId, params: Fields): void {
  const { network = null, fileSystem = null } = asFields(params["permissions"]);
  const permissions = {
    ...(network === null ? {} : { network }),
    ...(fileSystem === null ? {} : { fileSystem }),
  };
  const text = JSON.stringify(permissions, null, 2);
  if (text.length > PERMISSIONS_LENGTH_MAX) {
    draft.respond(id, { permissions: {}, scope: "turn" });
    draft.metadata({ problem: "a request for more permissions than can be shown was refused" });
    return;
  }
  const cwd = asText(params["cwd"]) ?? draft.state.cwd;
  open(
    draft,
    id,
    params,
    { kind: "permissions", permissions },
    {
      ask: "tool",
      title: "Get more permissions for this turn",
      detail: lines(reasonOf(params), text, `in ${cwd}`, subagentOf(draft, params)),
      tool: { name: "permissions", input: permissions, cwd },
    },
  );
}

function questionsAsked(
  draft: Draft,
  id: RpcId,
  params: Fields,
  kind: "questions" | "form",
  questions: readonly ShownQuestion[],
): void {
  if (questions.length === 0) draft.respond(id, { answers: {} });
  for (const [index, { question, title, detail }] of questions.entries()) {
    const tool = { name: "requestUserInput", input: { question: detail } };
    const shown: Shown = { ask: "followup", title, detail, tool };
    open(draft, id, params, { kind, question }, shown, `-${index + 1}`);
  }
}

/** An MCP server wants something of a person; or Codex asks, in that way, whether its tool may be called. */
function elicited(draft: Draft, id: RpcId, params: Fields): void {
  const server = asText(params["serverName"]) ?? "?";
  const message = asText(params["message"]) ?? asText(params["title"]) ?? "";
  const meta = asFields(params["_meta"]);
  if (meta["codex_approval_kind"] === "mcp_tool_call") {
    const tool = calledTool(draft, params, server, message);
    const args = meta["tool_params"] ?? null;
    const shown: Shown = {
      ask: "use_mcp_server",
      title: `Call ${server}/${tool ?? "?"}`,
      detail: lines(message, JSON.stringify(args, null, 2), subagentOf(draft, params)),
      tool: { name: "mcpToolCall", input: { server, tool, arguments: args } },
    };
    return open(draft, id, params, { kind: "elicitation" }, shown);
  }
  const questions = formQuestions(`${server}: ${message}`, params["requestedSchema"]);
  if (questions.length > 0) return questionsAsked(draft, id, params, "form", questions);
  const url = asText(params["url"]);
  open(
    draft,
    id,
    params,
    { kind: "elicitation" },
    {
      ask: "use_mcp_server",
      title: `${server} asks`,
      detail: lines(message, url, asText(params["description"])),
      tool: { name: "mcpElicitation", input: { server, message, url } },
    },
  );
}

/** The request names the server only: its tool is in the call that has just begun, and in the message. */
function calledTool(draft: Draft, params: Fields, server: string, message: string): string | null {
  const turnId = asText(params["turnId"]);
  const calls = Object.values(draft.state.items).flatMap((item) =>
    item.turnId === turnId && item.mcp?.server === server ? [item.mcp.tool] : [],
  );
  const named = calls.filter((tool) => message.includes(`"${tool}"`));
  return named.length === 1 || new Set(named).size === 1 ? (named[0] ?? null) : null;
}

function reasonOf(params: Fields): string | null {
  return asText(params["reason"]);
}

function subagentOf(draft: Draft, params: Fields): string | null {
  const conversationId = asText(params["threadId"]) ?? asText(params["conversationId"]);
  return conversationId === null || draft.isMain(conversationId) ? null : `asked by a subagent`;
}

function lines(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join("\n");
}
