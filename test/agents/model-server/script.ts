/**
 * What a prompt tells the scripted model to do. Directives stand in double brackets anywhere in the text:
 *
 *     [[shell:CMD]] [[write:PATH=TEXT]] [[read:PATH]] [[ask:QUESTION|YES|NO]] [[tool:NAME={json}]]
 *         a tool call each, one per answer of the model and in this order, or with [[parallel]] all in one answer
 *     [[text:WORDS]]           what it says at last          [[think:WORDS]]     what it thinks first
 *     [[slow:MS]] [[chunks:N]] how slowly, in how many pieces
 *     [[wait:MS]]              before the first byte         [[hang]]            never comes to an end
 *     [[error:STATUS]]         every attempt fails           [[errorn:N:STATUS]] the first N fail
 *     [[drop]]                 the connection breaks in the middle of the text
 *     [[cut]]                  the answer ends there, as if it were whole
 *     [[id:NAME]]              under which name the truth about this prompt is kept; another one begins anew
 *
 * A value may hold directives of its own, for the prompt of a subagent. `{{FIELD}}` in a tool's input is replaced by
 * what an earlier result of a tool says there.
 */

export type Step =
  | { readonly type: "shell"; readonly command: string }
  | { readonly type: "write"; readonly path: string; readonly content: string }
  | { readonly type: "read"; readonly path: string }
  | { readonly type: "ask"; readonly question: string; readonly options: readonly string[] }
  | { readonly type: "tool"; readonly name: string; readonly input: Readonly<Record<string, unknown>> };

export interface Script {
  readonly id: string | null;
  readonly steps: readonly Step[];
  readonly parallel: boolean;
  readonly text: string | null;
  readonly think: string | null;
  readonly slowMs: number;
  readonly chunks: number;
  readonly waitMs: number;
  readonly hang: boolean;
  readonly drop: boolean;
  readonly cut: boolean;
  /** `times`: how many attempts fail. */
  readonly error: { readonly status: number; readonly times: number } | null;
}

export const NO_SCRIPT: Script = {
  id: null,
  steps: [],
  parallel: false,
  text: null,
  think: null,
  slowMs: 0,
  chunks: 4,
  waitMs: 0,
  hang: false,
  drop: false,
  cut: false,
  error: null,
};

/** A directive that makes no sense is a mistake in a test: it is told, never passed over. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

interface Directive {
  readonly name: string;
  readonly value: string;
}

export function hasDirectives(text: string): boolean {
  return findDirectives(text).length > 0;
}

export function parseScript(text: string): Script {
  return findDirectives(text).reduce(apply, NO_SCRIPT);
}

function apply(script: Script, { name, value }: Directive): Script {
  switch (name) {
    case "shell":
    case "write":
    case "read":
    case "ask":
    case "tool":
      return { ...script, steps: [...script.steps, stepOf(name, value)] };
    case "text":
      return { ...script, text: value };
    case "id":
      // Some agents send a message that has failed again, before the next one and in one with it.
      return { ...(script.id === null ? script : NO_SCRIPT), id: value };
    case "think":
      return { ...script, think: value === "" ? "pondering" : value };
    case "slow":
      return { ...script, slowMs: count(name, value) };
    case "wait":
      return { ...script, waitMs: count(name, value) };
    case "chunks":
      return { ...script, chunks: Math.max(1, count(name, value)) };
    case "error":
      return { ...script, error: { status: count(name, value), times: Infinity } };
    case "errorn": {
      const [times = "", status = ""] = value.split(":");
      return { ...script, error: { status: count(name, status), times: count(name, times) } };
    }
    case "hang":
    case "drop":
    case "cut":
    case "parallel":
      return { ...script, [name]: true };
    default:
      throw new ScriptError(`no such directive: ${name}`);
  }
}

function stepOf(type: Step["type"], value: string): Step {
  switch (type) {
    case "shell":
      return { type, command: value };
    case "read":
      return { type, path: value };
    case "write": {
      const [path, content] = cut(value, "=");
      return { type, path, content };
    }
    case "ask": {
      const [question = "", ...options] = value.split("|");
      return { type, question, options: options.length > 0 ? options : ["yes", "no"] };
    }
    case "tool": {
      const [name, json] = cut(value, "=");
      return { type, name, input: parseInput(json) };
    }
  }
}

function parseInput(json: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch (error) {
    throw new ScriptError(`the input of a tool is not JSON: ${json}`, { cause: error });
  }
}

function cut(value: string, separator: string): readonly [string, string] {
  const at = value.indexOf(separator);
  return at < 0 ? [value, ""] : [value.slice(0, at), value.slice(at + separator.length)];
}

function count(name: string, value: string): number {
  if (!/^\d+$/.test(value)) throw new ScriptError(`${name} wants a number, not ${JSON.stringify(value)}`);
  return Number(value);
}

/** Words in double brackets that name no directive are none: a shell's own `[[ … ]]` is left alone. */
function findDirectives(text: string): readonly Directive[] {
  const found: Directive[] = [];
  const opening = /\[\[(\w+)(:|(?=\]\]))/g;
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const [, name = ""] = match;
    const start = opening.lastIndex;
    const end = endOfValue(text, start, name === "tool");
    if (end < 0) continue;
    found.push({ name, value: text.slice(start, end) });
    opening.lastIndex = end + 2;
  }
  return found;
}

/** Where its `]]` is. A tool's input ends with its brace, whatever brackets are in it. */
function endOfValue(text: string, start: number, isTool: boolean): number {
  if (isTool) {
    const end = endOfJson(text, text.indexOf("{", start));
    return text.startsWith("]]", end) ? end : -1;
  }
  let depth = 1;
  for (let at = start; at < text.length - 1; at += 1) {
    if (text.startsWith("[[", at)) depth += 1;
    else if (text.startsWith("]]", at)) depth -= 1;
    else continue;
    if (depth === 0) return at;
    at += 1;
  }
  return -1;
}

/** Just after the object that begins at `start`. */
function endOfJson(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = Math.max(start, 0); at < text.length; at += 1) {
    const char = text[at];
    if (inString && char === "\\") at += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && char === "{") depth += 1;
    else if (!inString && char === "}" && --depth === 0) return at + 1;
  }
  return -1;
}
