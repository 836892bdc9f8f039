/** What a `config.toml` says, or the first thing that is wrong with it, and where. */
import { isUtf8 } from "node:buffer";
import { parse, TomlError } from "smol-toml";
import type { z } from "zod";
import { configSchema, type Config } from "../../protocol/config.js";
import type { Flaw } from "../files/parse-rule-file.js";
import { LineIndex } from "../toml/line-index.js";
import { scanToml, type TomlOutline } from "../toml/scan-toml.js";

export type ParsedConfig =
  { readonly ok: true; readonly config: Config } | { readonly ok: false; readonly flaw: Flaw };

const DEPTH_MAX = 32;

export function parseConfig(bytes: Buffer, file: string): ParsedConfig {
  const source = bytes.toString("utf8");
  const flawed = (offset: number | null, message: string): ParsedConfig => {
    const place = offset === null ? null : new LineIndex(source).positionAt(offset);
    return { ok: false, flaw: { file, line: place?.line ?? null, column: place?.column ?? null, message } };
  };
  if (!isUtf8(bytes)) return flawed(source.indexOf("\ufffd"), "not valid UTF-8");
  let document: unknown;
  try {
    document = parse(source, { maxDepth: DEPTH_MAX });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column, message } = error;
    return { ok: false, flaw: { file, line, column, message: message.split("\n", 1)[0] ?? message } };
  }
  const parsed = configSchema.safeParse(document);
  if (parsed.success) return { ok: true, config: parsed.data };
  const [issue] = parsed.error.issues;
  if (!issue) return flawed(null, "it cannot be read");
  const { path, message } = inWords(issue);
  return flawed(placeOf(scanToml(source), path), message);
}

/** `FILE:LINE: what is wrong`, as compilers say it. */
export function flawInWords({ file, line, column, message }: Flaw): string {
  return line === null ? `${file}: ${message}` : `${file}:${line}:${column ?? 1}: ${message}`;
}

type Issue = z.core.$ZodIssue;

interface Place {
  readonly path: readonly string[];
  readonly message: string;
}

/** The keys of each table, for who has mistaken one. */
const EXPECTED: Readonly<Record<string, string>> = {
  "": "[harness.NAME], [agent], [idle], [checkpoints] and [notify]",
  harness: "command, args, env, model and idle_after",
  idle: "after",
  checkpoints: "mode",
  agent: "post_tool_hooks and mcp_servers",
  notify: "on, desktop, bell, command, webhook and cooldown_s",
};

function inWords(issue: Issue): Place {
  const path = issue.path.map(String);
  switch (issue.code) {
    case "unrecognized_keys": {
      const [key = ""] = issue.keys;
      const expected = EXPECTED[path[0] ?? ""];
      const known = expected === undefined ? "" : `; expected ${expected}`;
      return {
        path: [...path, key],
        message: `${JSON.stringify([...path, key].join("."))} is not known${known}`,
      };
    }
    case "invalid_type":
      return { path, message: `${named(path)}: expected ${TYPES[issue.expected] ?? issue.expected}` };
    case "invalid_key":
      return {
        path,
        message: `${named(path)} is no name; expected small letters, digits and dashes, or a variable's name`,
      };
    case "too_small":
      return { path, message: `${named(path)}: expected something that is not empty` };
    default:
      return { path, message: `${named(path)}: ${issue.message}` };
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text in quotes",
  array: "a list",
  record: "a table",
  object: "a table",
  boolean: "true or false",
  number: "a number",
};

function named(path: readonly string[]): string {
  return JSON.stringify(path.join("."));
}

/** The entry itself, else the item of its list, else the table that it should be in. */
function placeOf({ entries, headers }: TomlOutline, path: readonly string[]): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const isIt = (other: readonly string[]) =>
      other.length === length && other.every((name, index) => name === path[index]);
    const entry = entries.find((each) => isIt(each.path));
    const item = entry?.value.type === "list" ? entry.value.items[Number(path[length])] : undefined;
    if (item) return item.start;
    const place = entry?.keyStart ?? headers.find((each) => isIt(each.path))?.start;
    if (place !== undefined) return place;
  }
  return headers[0]?.start ?? 0;
}
