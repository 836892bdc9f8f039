/**
 * Checks requests as `keeperRequestSchema` does, without zod, which would take more memory than all of the keeper. A test
 * holds the two against each other.
 */
import {
  EFFECT_ID_PATTERN,
  HOLD_ID_PATTERN,
  OPEN_FILES_MAX,
  RUN_ID_PATTERN,
  RUN_SIGNALS,
  TERMINAL_SIZE_MAX,
  UMASK_MAX,
} from "../protocol/keeper-format.js";
import type { KeeperRequest } from "../protocol/keeper.js";

type Check = (value: unknown) => boolean;
type RequestType = KeeperRequest["type"];
/** Every field of every request must be named here: the compiler sees to it. */
type FieldChecks = {
  readonly [T in RequestType]: Readonly<
    Record<Exclude<keyof Extract<KeeperRequest, { type: T }>, "type">, Check>
  >;
};

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isPid: Check = (value) => isCount(value) && Number(value) > 0;
const isSize: Check = (value) => isCount(value) && Number(value) >= 1 && Number(value) <= TERMINAL_SIZE_MAX;
const isRunId: Check = (value) => typeof value === "string" && RUN_ID_PATTERN.test(value);
const isEffectId: Check = (value) => typeof value === "string" && EFFECT_ID_PATTERN.test(value);
const isHoldId: Check = (value) => typeof value === "string" && HOLD_ID_PATTERN.test(value);

const forRun = { id: isCount, runId: isRunId };
const forEffect = { ...forRun, effectId: isEffectId };

const FIELDS: FieldChecks = {
  hello: {
    id: isCount,
    version: (value) => Number.isSafeInteger(value),
    secret: (value) => value === undefined || (typeof value === "string" && value.length <= 200),
  },
  spawn: {
    ...forEffect,
    command: (value) => isString(value) && value !== "",
    args: (value) => Array.isArray(value) && value.every(isString),
    cwd: isString,
    env: (value) => isRecord(value) && Object.values(value).every(isString),
    pty: (value) =>
      value === undefined || (isRecord(value) && isSize(value["cols"]) && isSize(value["rows"])),
    hooks: isBoolean,
    umask: (value) => value === undefined || (isCount(value) && Number(value) <= UMASK_MAX),
    openFilesMax: (value) =>
      value === undefined || (isCount(value) && Number(value) >= 1 && Number(value) <= OPEN_FILES_MAX),
    walled: (value) => value === undefined || isBoolean(value),
  },
  input: {
    ...forRun,
    effectId: (value) => value === null || isEffectId(value),
    data: isString,
    encoding: (value) => value === "utf8" || value === "base64",
    hold: (value) => value === undefined || isHoldId(value),
    asker: (value) =>
      value === undefined || (isRecord(value) && isPid(value["pid"]) && isString(value["start"])),
  },
  hold: { ...forRun, holdId: isHoldId, pid: isPid, start: isString },
  release: { ...forRun, holdId: isHoldId, isTaken: isBoolean },
  close_input: forEffect,
  signal: { ...forEffect, signal: (value) => RUN_SIGNALS.some((signal) => signal === value) },
  stop: { ...forEffect, interrupt: isBoolean, termAfterMs: isCount, killAfterMs: isCount },
  resize: { ...forRun, cols: isSize, rows: isSize },
  consumed: { ...forRun, spool: (value) => value === "out" || value === "hooks", offset: isCount },
  forget: forRun,
  ping: { id: isCount },
  shutdown: { id: isCount },
};

export type CheckedRequest =
  | { readonly type: "request"; readonly request: KeeperRequest }
  /** `id` is 0 where the line had none that can be used. */
  | { readonly type: "invalid"; readonly id: number; readonly message: string };

export function checkRequest(line: string): CheckedRequest {
  const value = parseJson(line);
  if (!isRecord(value)) return { type: "invalid", id: 0, message: "not a JSON object" };
  const id = isCount(value["id"]) ? Number(value["id"]) : 0;
  const type = value["type"];
  if (typeof type !== "string" || !isRequestType(type))
    return { type: "invalid", id, message: "unknown type" };
  const wrong = Object.entries<Check>(FIELDS[type]).find(([field, check]) => !check(value[field]));
  if (wrong !== undefined) return { type: "invalid", id, message: `${type}: wrong ${wrong[0]}` };
  // Every field of this type was checked just now.
  return { type: "request", request: value as unknown as KeeperRequest };
}

function isRequestType(type: string): type is RequestType {
  return Object.hasOwn(FIELDS, type);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
