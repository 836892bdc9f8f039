/** Requests of the agent that wait for an answer, and asks to a person. */
import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { Json } from "../../core/index.js";
import type { RpcId } from "../kit/json-rpc.js";
import { type Asked, ASKED_MAX } from "./acp-state.js";
import type { AcpStep } from "./acp-step.js";

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
  step.ask({ askId, ...about });
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
