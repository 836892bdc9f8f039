/**
 * How a run begins: `initialize`, who is logged in, then the conversation, then the prompt. Codex asks nothing before
 * the conversation is there, and tells nothing of it.
 */
import type { Json } from "../../core/index.js";
import type { RpcError } from "../kit/json-rpc.js";
import { fieldsOf, textAt } from "../kit/json.js";
import type { CodexStep } from "./codex-step.js";
import { askForOffer, noteOpened, say } from "./controls.js";
import { loginRequired } from "./turns.js";

const CLIENT = { name: "signalbox", title: "Signalbox", version: "1" } as const;

export function begin(step: CodexStep): void {
  step.request("initialize", { clientInfo: CLIENT, capabilities: null });
}

export function initialized(step: CodexStep): void {
  step.notify("initialized");
  step.request("account/read", { refreshToken: false });
}

/** Without a login Codex would try for a minute, and then fail with something else. Older versions do not tell. */
export function accountRead(step: CodexStep, result: Json): void {
  const { account = null, requiresOpenaiAuth } = fieldsOf(result);
  const needsLogin = requiresOpenaiAuth === true;
  step.set({ needsLogin });
  if (needsLogin && account === null) step.fact(loginRequired("Codex is not logged in"));
  else openConversation(step);
}

/**
 * `untrusted` is the policy that asks most. In 0.166.0 it asks about every command (`ls` too), in trusted projects as
 * well, about every change of files, and about calls of MCP tools. It never asks about commands that a rule in Codex's
 * own `rules` folder allows, about what is typed into a command that runs already, about MCP tools that call themselves
 * read-only, about images that are looked at, about web searches, subagents and goals. Hence "when-asked". What is
 * approved runs outside Codex's sandbox.
 */
export function openConversation(step: CodexStep): void {
  const { cwd, model, sandbox, resume } = step.state;
  const params = {
    cwd,
    approvalPolicy: "untrusted",
    // A person's configuration may let a model answer instead.
    approvalsReviewer: "user",
    ...(model === null ? {} : { model }),
    ...(sandbox === null ? {} : { sandbox }),
  };
  if (resume === null) step.request("thread/start", params);
  else step.request("thread/resume", { threadId: resume, excludeTurns: true, ...params });
}

export function conversationOpened(step: CodexStep, result: Json): void {
  const id = textAt(fieldsOf(fieldsOf(result)["thread"]), "id");
  if (id === null) {
    step.fact({ type: "process_error", error: "Codex gave its conversation no id" });
    return;
  }
  const { prompt, continues, interrupting, run } = step.state;
  step.set({ conversationId: id, prompt: null });
  step.setConversation(id, {});
  step.fact({ type: "session_created", sessionId: id });
  noteOpened(step, fieldsOf(result));
  if (prompt) say(step, prompt.text, null);
  else if (interrupting) {
    step.set({ interrupting: false });
    step.fact({ type: "turn_interrupted" });
  } else if (!continues) step.turnEnded({ askId: `run-${run}:ready` });
  askForOffer(step);
}

/** The run cannot be used; its prompt is not lost, for nothing has shown that it was taken. */
export function handshakeFailed(step: CodexStep, method: string, error: RpcError): void {
  step.fact({ type: "process_error", error: `Codex refused ${method}: ${error.message}` });
}
