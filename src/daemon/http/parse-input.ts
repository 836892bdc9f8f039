/** From bytes and texts of a request to what its call's schema describes, or to what is wrong with them. */
import { isUtf8 } from "node:buffer";
import type { z } from "zod";
import type { FieldFlaw } from "../../protocol/problem.js";
import { jsonFlawPosition } from "./json-flaw.js";
import { failure, flawed, flawedFields, type Failure } from "./problem.js";

const FLAWS_MAX = 20;
const PATH_LENGTH_MAX = 200;

export type Parsed<T> = { readonly ok: true; readonly value: T } | Failure;

/** JSON in UTF-8 and nothing else. No body at all is an empty object: many requests need none. */
export function parseBody(bytes: Buffer, contentType: string | undefined): Parsed<unknown> {
  if (contentType !== undefined && !/^application\/json *(?:; *charset="?utf-8"? *)?$/i.test(contentType))
    return failure("event_invalid", "The body must be application/json in UTF-8.", { status: 415 });
  if (bytes.length === 0) return { ok: true, value: {} };
  if (contentType === undefined)
    return failure("event_invalid", "A body needs Content-Type: application/json.", { status: 415 });
  if (!isUtf8(bytes)) return flawed("", "not valid UTF-8");
  const text = bytes.toString("utf8");
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError)
      return flawed("", `not valid JSON at position ${jsonFlawPosition(text)}`);
    throw error;
  }
}

/** Each name once. */
export function parseQuery(query: URLSearchParams): Parsed<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [name, value] of query) {
    if (Object.hasOwn(values, name)) return flawed(name.slice(0, PATH_LENGTH_MAX), "given more than once");
    // Not by assignment: a name may be `__proto__`.
    Object.defineProperty(values, name, { value, enumerable: true });
  }
  return { ok: true, value: values };
}

export function check<S extends z.ZodType>(schema: S, value: unknown): Parsed<z.output<S>> {
  const result = schema.safeParse(value);
  return result.success ? { ok: true, value: result.data } : flawedFields(flawsOf(result.error));
}

function flawsOf(error: z.ZodError): readonly FieldFlaw[] {
  return error.issues
    .flatMap((issue) => {
      if (issue.code !== "unrecognized_keys") return [{ path: pathOf(issue.path), message: issue.message }];
      return issue.keys.map((key) => ({
        path: pathOf([...issue.path, key]),
        message: "There is no such field",
      }));
    })
    .slice(0, FLAWS_MAX);
}

/** `answers[0].askId` */
function pathOf(keys: readonly PropertyKey[]): string {
  const parts = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return parts.join("").replace(/^\./, "").slice(0, PATH_LENGTH_MAX);
}
