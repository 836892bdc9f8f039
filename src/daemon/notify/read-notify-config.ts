import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { notifyConfigSchema, type NotifyConfig } from "../../protocol/notify-config.js";
import { OptionError } from "../options.js";

/**
 * From the person's own file, never from a project's: what a repository brings along must not run programs or call hosts.
 * Throws an `OptionError` that names the file when something in it is wrong.
 */
export function readNotifyConfig(variables: Readonly<Record<string, string | undefined>>): NotifyConfig {
  const path = configPath(variables);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return notifyConfigSchema.parse({});
    throw error;
  }
  const read = notifyConfigSchema.safeParse(tableOf(path, text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const key = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path[0];
  const line = lineOf(text, String(key ?? ""));
  throw new OptionError(
    `${path}${line === null ? "" : `, line ${line}`}: [notify]: ${String(key ?? "")}: ${issue?.message ?? "is wrong"}`,
  );
}

export function configPath(variables: Readonly<Record<string, string | undefined>>): string {
  const home = variables["XDG_CONFIG_HOME"];
  return join(
    home === undefined || home === "" ? join(homedir(), ".config") : home,
    "signalbox",
    "config.toml",
  );
}

function tableOf(path: string, text: string): unknown {
  try {
    return parse(text)["notify"] ?? {};
  } catch (error) {
    throw new OptionError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Where a key of `[notify]` is written. */
function lineOf(text: string, key: string): number | null {
  const lines = text.split("\n");
  const table = lines.findIndex((line) => /^\s*\[\s*notify\s*\]/.test(line));
  const index = lines.findIndex((line, at) => at > table && line.trimStart().startsWith(key));
  return table < 0 || index < 0 ? null : index + 1;
}
