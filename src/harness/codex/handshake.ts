/**
 * How a run begins: `initialize`, who is logged in, then the conversation, then the prompt. Codex asks nothing before
 * the conversation is there, and tells nothing of it.
 */
import type { Json } from "../../core/index.js";
import type { RpcError } from "../json-rpc/rpc-message.js";
import type { Draft } from "./draft.js";
import { asFields, asText } from "./read-json.js";
import { loginRequired } from "./turn-failure.js";
import { startTurn } from "./turns.js";

const CLIENT = { name: "signalbox", title: "Signalbox", version: "1" } as const;

export function begin(draft: Draft): void {
  draft.request("initialize", { clientInfo: CLIENT, capabilities: null });
}

export function initialized(draft: Draft): void {
  draft.notify("initialized");
  draft.request("account/read", { refreshToken: false });
}

/** Without a login Codex would try for a minute, and then fail with something else. Older versions do not tell. */
export function accountRead(draft: Draft, result: Json): void {
  const { account = null, requiresOpenaiAuth } = asFields(result);
  const needsLogin = requiresOpenaiAuth === true;
  draft.set({ needsLogin });
  if (needsLogin && account === null) draft.fact(loginRequired("Codex is not logged in"));
  else openConversation(draft);
}

/**
 * `untrusted` is the policy that asks most. In 0.166.0 it asks about every command (`ls` too), in trusted projects as
 * well, about every change of files, and about calls of MCP tools. It never asks about commands that a rule in Codex's
 * own `rules` folder allows, about what is typed into a command that runs already, about MCP tools that call themselves
 * read-only, about images that are looked at, about web searches, subagents and goals. Hence "when-asked". What is
 * approved runs outside Codex's sandbox.
 */
export function openConversation(draft: Draft): void {
  const { cwd, model, sandbox, resume } = draft.state;
  const params = {
    cwd,
    approvalPolicy: "untrusted",
    // A person's configuration may let a model answer instead.
    approvalsReviewer: "user",
    ...(model === null ? {} : { model }),
    ...(sandbox === null ? {} : { sandbox }),
  };
  if (resume === null) draft.request("thread/start", params);
  else draft.request("thread/resume", { threadId: resume, excludeTurns: true, ...params });
}

export function conversationOpened(draft: Draft, result: Json): void {
  const id = asText(asFields(asFields(result)["thread"])["id"]);
  if (id === null) {
    draft.fact({ type: "process_error", error: "Codex gave its conversation no id" });
    return;
  }
  const { prompt, continues, interrupting, run } = draft.state;
  draft.set({ conversationId: id, prompt: null });
  draft.setConversation(id, {});
  draft.fact({ type: "session_created", sessionId: id });
  if (prompt) startTurn(draft, prompt.text);
  else if (interrupting) {
    draft.set({ interrupting: false });
    draft.fact({ type: "turn_interrupted" });
  } else if (!continues) draft.fact({ type: "ask:completion_result", askId: `run-${run}:ready` });
}

/** The run cannot be used; its prompt is not lost, for nothing has shown that it was taken. */
export function handshakeFailed(draft: Draft, method: string, error: RpcError): void {
  draft.fact({ type: "process_error", error: `Codex refused ${method}: ${error.message}` });
}
