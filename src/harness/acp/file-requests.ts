/** `fs/read_text_file` and `fs/write_text_file`: served under the same rules as any other call. */
import type { ReadTextFileResponse, WriteTextFileResponse } from "@agentclientprotocol/sdk";
import type { AskedTool } from "../../core/index.js";
import type { QueryAnswer } from "../../runtime/query.js";
import { INVALID_PARAMS, type RpcId } from "../kit/json-rpc.js";
import { type JsonObject, numberAt, stringAt } from "../kit/json.js";
import type { Asked } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import { addAsked, askIdOf, openAsk } from "./asks.js";
import { digest } from "./tool-calls.js";

/** What is to be written is part of the state while it is asked about. */
export const CONTENT_LENGTH_MAX = 1_000_000;

const NOT_FOUND = -32_002;
const FAILED = -32_603;
const NOT_ALLOWED = -32_000;

type AskedFile = Extract<Asked, { readonly type: "read" | "write" }>;

export function takeFileRequest(step: AcpStep, id: RpcId, type: "read" | "write", params: JsonObject): void {
  const path = stringAt(params, "path") ?? "";
  const content = type === "write" ? stringAt(params, "content") : "";
  if (path === "" || content === null) {
    step.refuse(id, INVALID_PARAMS, "A path is missing, or the content.");
    return;
  }
  if (content.length > CONTENT_LENGTH_MAX) {
    step.refuse(
      id,
      FAILED,
      `Files of more than ${CONTENT_LENGTH_MAX} characters are not written for an agent.`,
    );
    return;
  }
  const askId = askIdOf(id);
  const asked: AskedFile =
    type === "write"
      ? { askId, id, type, path, content }
      : { askId, id, type, path, line: numberAt(params, "line"), limit: numberAt(params, "limit") };
  if (addAsked(step, asked)) step.query(`${askId}:rules`, { type: "permission", tool: toolOf(asked) });
}

/** Reading is as free as agents have it; a write that no rule allows is asked about, unless it just was. */
export function fileDecided(step: AcpStep, asked: AskedFile, answer: QueryAnswer): void {
  const verdict = answer.type === "decided" ? answer.decision.verdict : "ask";
  if (verdict === "deny") {
    const because = answer.type === "decided" ? answer.decision.because : "";
    refuseFile(step, asked, `Not allowed. ${because}`);
    return;
  }
  const isFree = verdict === "allow" || (verdict === "none" && asked.type === "read");
  if (isFree || (asked.type === "write" && useApproval(step, asked))) serveFile(step, asked);
  else askAboutFile(step, asked);
}

function askAboutFile(step: AcpStep, asked: AskedFile): void {
  const { askId, path } = asked;
  const about =
    asked.type === "write"
      ? { title: `Write ${path}`, detail: asked.content }
      : { title: `Read ${path}`, detail: path };
  openAsk(step, askId, { ask: "tool", ...about, tool: { ...toolOf(asked), paths: [path] } });
}

export function serveFile(step: AcpStep, asked: AskedFile): void {
  const { askId, path } = asked;
  if (asked.type === "read") {
    const { line, limit } = asked;
    step.query(`${askId}:file`, { type: "read_file", path, line, limit });
  } else step.query(`${askId}:file`, { type: "write_file", path, content: asked.content });
}

export function refuseFile(step: AcpStep, { askId, id }: AskedFile, why: string): void {
  step.refuse(id, NOT_ALLOWED, why);
  step.dropAsked(askId);
}

export function fileServed(step: AcpStep, { askId, id, type }: AskedFile, answer: QueryAnswer): void {
  step.dropAsked(askId);
  if (answer.type === "file") {
    step.respond(id, { content: answer.content } satisfies ReadTextFileResponse);
  } else if (answer.type === "written") step.respond(id, {} satisfies WriteTextFileResponse);
  else {
    const message = answer.type === "failed" ? answer.message : "It could not be decided.";
    const isMissing = message.startsWith("ENOENT");
    if (type === "read" && isMissing && step.agent.quirks.missingFileIsEmpty === true)
      step.respond(id, { content: "" });
    else if (isMissing) step.refuse(id, NOT_FOUND, `Resource not found: ${message}`);
    else step.refuse(id, FAILED, message);
  }
}

/** The agent asked about this very write before, and was allowed: it is not asked about twice. */
function useApproval(
  step: AcpStep,
  { path, content }: Extract<AskedFile, { readonly type: "write" }>,
): boolean {
  const { approved } = step.state;
  const written = digest(content);
  const index = approved.findIndex(
    (approval) => approval.path === path && (approval.content === null || approval.content === written),
  );
  if (index < 0) return false;
  step.set({ approved: approved.toSpliced(index, 1) });
  return true;
}

function toolOf(asked: AskedFile): AskedTool {
  const { path } = asked;
  return asked.type === "write"
    ? { name: "fs/write_text_file", kind: "edit", input: { path }, paths: [path] }
    : { name: "fs/read_text_file", kind: "read", input: { path }, paths: [path] };
}
