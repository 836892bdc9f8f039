/** Requests of the agent that wait for an answer, and asks to a person. */
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { cut } from "../cut.js";
import type { RpcId } from "../json-rpc/rpc-message.js";
import { titleLine } from "../title-line.js";
import { ASKED_MAX, type Asked } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";
import type { Json } from "../../core/index.js";

const DETAIL_LENGTH_MAX = 20_000;
const TITLE_LENGTH_MAX = 500;
const BUSY = -32_603;

/** False: there are too many, and it was refused. */
export function addAsked(step: AcpStep, asked: Asked): boolean {
  const { asked: all } = step.state;
  if (all.length >= ASKED_MAX || all.some(({ askId }) => askId === asked.askId)) {
    step.refuse(asked.id, BUSY, "Too many requests are waiting for an answer.");
    return false;
  }
  step.set({ asked: [...all, asked] });
  return true;
}

/** What it is about, then the ask itself. */
export function openAsk(
  step: AcpStep,
  askId: string,
  about: {
    readonly ask: "tool" | "command" | "use_mcp_server" | "followup";
    readonly title: string;
    readonly detail: string;
    readonly tool: Json;
  },
): void {
  const { ask, tool } = about;
  const title = titleLine(about.title, TITLE_LENGTH_MAX);
  const detail = cut(about.detail, DETAIL_LENGTH_MAX);
  step.outputs.push({ type: "ask_detail", askId, title, detail, tool });
  step.stream("ask", { askId, ask, title, detail, partial: false });
  step.fact({ type: `ask:${ask}`, askId });
}

export function askIdOf(id: RpcId): string {
  return `request-${JSON.stringify(id)}`;
}

/** Null: neither yes nor no. */
export function outcomeOf(optionId: string | null): Json {
  const outcome: RequestPermissionResponse["outcome"] =
    optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  return { ...outcome } as Json;
}
