/** Every message that we send, held against the official schema of the protocol. */
import schema from "@agentclientprotocol/sdk/schema/v1/schema.json" with { type: "json" };
import { z } from "zod";
import { fieldAt, isObject, fieldsAt, stringAt, type JsonObject } from "../../../src/harness/kit/json.js";

const REQUESTS: Readonly<Record<string, string>> = {
  initialize: "InitializeRequest",
  "session/new": "NewSessionRequest",
  "session/load": "LoadSessionRequest",
  "session/resume": "ResumeSessionRequest",
  "session/set_mode": "SetSessionModeRequest",
  "session/set_config_option": "SetSessionConfigOptionRequest",
  "session/prompt": "PromptRequest",
  "session/cancel": "CancelNotification",
};

/** An answer is known by what is in it. Those of forms the library cannot read, because of a `not` in their schema. */
const RESPONSES: readonly (readonly [string, string])[] = [
  ["outcome", "RequestPermissionResponse"],
  ["content", "ReadTextFileResponse"],
  ["terminalId", "CreateTerminalResponse"],
  ["output", "TerminalOutputResponse"],
  ["exitCode", "WaitForTerminalExitResponse"],
];

/** Unstable, or no part of the protocol: extensions begin with an underscore. */
const BESIDE = /^(?:_|session\/set_model$)/;

export function flawsOf(messages: readonly JsonObject[]): readonly string[] {
  return messages.flatMap((message) => {
    const flaw = flawOf(message);
    return flaw === null ? [] : [`${flaw}: ${JSON.stringify(message)}`];
  });
}

function flawOf(message: JsonObject): string | null {
  if (fieldAt(message, "jsonrpc") !== "2.0") return "no JSON-RPC";
  const method = stringAt(message, "method");
  if (method !== null) {
    if (BESIDE.test(method)) return null;
    const name = REQUESTS[method];
    return name === undefined ? "no such method" : check(name, fieldAt(message, "params"));
  }
  if (isObject(fieldAt(message, "error"))) return check("Error", fieldAt(message, "error"));
  const result = fieldsAt(message, "result");
  if (stringAt(result, "action") !== null) return null;
  const [, name = "WriteTextFileResponse"] = RESPONSES.find(([key]) => Object.hasOwn(result, key)) ?? [];
  return check(name, result);
}

const CHECKS = new Map<string, z.ZodType>();

function check(name: string, value: unknown): string | null {
  const known = CHECKS.get(name) ?? z.fromJSONSchema({ ...DEFINITIONS, $ref: `#/$defs/${name}` });
  CHECKS.set(name, known);
  const { error } = known.safeParse(value);
  return error === undefined ? null : `${name}: ${error.message}`;
}

// Its draft of JSON Schema is the one that the library reads.
const DEFINITIONS = { $schema: schema.$schema, $defs: schema.$defs } as Parameters<
  typeof z.fromJSONSchema
>[0] &
  object;
