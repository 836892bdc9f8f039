/** What a daemon says, checked by hand: the proxy loads no library for it. */
import {
  PROXY_HOSTS_MAX,
  PROXY_SERVICES_MAX,
  type ProxyPolicy,
  type ProxyRequest,
} from "../protocol/proxy-format.js";
import { parseTarget } from "./policy.js";

export type CheckedRequest =
  | { readonly ok: true; readonly request: ProxyRequest }
  | { readonly ok: false; readonly id: number; readonly message: string };

const RUN_ID = /^[A-Za-z0-9_.-]{1,128}$/;

export function checkRequest(line: string): CheckedRequest {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, id: 0, message: "not JSON" };
  }
  if (!isRecord(value)) return { ok: false, id: 0, message: "not an object" };
  const id = typeof value["id"] === "number" ? value["id"] : 0;
  return isRequest(value)
    ? { ok: true, request: value }
    : { ok: false, id, message: `not a request that this proxy knows: ${String(value["type"])}` };
}

function isRequest(value: Record<string, unknown>): value is Record<string, unknown> & ProxyRequest {
  if (!Number.isSafeInteger(value["id"])) return false;
  switch (value["type"]) {
    case "hello":
      return (
        Number.isSafeInteger(value["version"]) &&
        typeof value["secret"] === "string" &&
        isPorts(value["daemonPorts"])
      );
    case "open":
      return isRunId(value["runId"]) && isPolicy(value["policy"]);
    case "close":
      return isRunId(value["runId"]);
    case "answer":
      return (
        isRunId(value["runId"]) &&
        typeof value["heldId"] === "string" &&
        typeof value["allow"] === "boolean" &&
        typeof value["because"] === "string"
      );
    case "ports":
      return isRunId(value["runId"]) && isPorts(value["except"]);
    case "daemon_ports":
      return isPorts(value["ports"]);
    case "ping":
    case "shutdown":
      return true;
    default:
      return false;
  }
}

export function isPolicy(value: unknown): value is ProxyPolicy {
  return (
    isRecord(value) &&
    isTexts(value["hosts"], PROXY_HOSTS_MAX) &&
    isTexts(value["denied"], PROXY_HOSTS_MAX) &&
    isTexts(value["services"], PROXY_SERVICES_MAX) &&
    value["services"].every((service) => parseTarget(service, null) !== null) &&
    (value["unknown"] === "ask" || value["unknown"] === "refuse")
  );
}

export function isRunId(value: unknown): value is string {
  return typeof value === "string" && RUN_ID.test(value);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown, countMax: number): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length <= countMax &&
    value.every((each) => typeof each === "string" && each.length <= 1_024)
  );
}

function isPorts(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length <= PROXY_SERVICES_MAX + 1 &&
    value.every((port) => Number.isSafeInteger(port))
  );
}
