import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../../permissions/config/harness-configs.js";
import { flawInWords, parseConfig } from "../../permissions/config/parse-config.js";
import { notifyConfigSchema, type NotifyConfig } from "../../protocol/notify-config.js";

/**
 * From the person's own file, never from a project's: what a repository brings along must not run programs or call hosts.
 * Throws a `ConfigError` that names the file and the place when something in it is wrong.
 */
export function readNotifyConfig(variables: Readonly<Record<string, string | undefined>>): NotifyConfig {
  const path = configPath(variables);
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return notifyConfigSchema.parse({});
    throw error;
  }
  const parsed = parseConfig(bytes, path);
  if (!parsed.ok) throw new ConfigError(flawInWords(parsed.flaw));
  return parsed.config.notify ?? notifyConfigSchema.parse({});
}

export function configPath(variables: Readonly<Record<string, string | undefined>>): string {
  const home = variables["XDG_CONFIG_HOME"];
  return join(
    home === undefined || home === "" ? join(homedir(), ".config") : home,
    "signalbox",
    "config.toml",
  );
}
