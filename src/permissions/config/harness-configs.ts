/** How agents are to be run: by the person's own `config.toml`, and by those of the folders that the person trusts. */
import { join } from "node:path";
import type { Config, HarnessConfig, WallConfig } from "../../protocol/config.js";
import { DEFAULT_WALL_NETWORK, WALL_NETWORKS, type WallNetwork } from "../../protocol/wall.js";
import { notifyConfigSchema, type NotifyConfig } from "../../protocol/notify-config.js";
import { FileCache } from "../files/file-cache.js";
import { FOLDER_NAME, projectFolders } from "../files/project-folders.js";
import { withOriginal, type RuleFolders } from "../files/rule-files.js";
import type { TrustStore } from "../trust/trust-store.js";
import { flawInWords, parseConfig, type ParsedConfig } from "./parse-config.js";

export const CONFIG_FILE = "config.toml";

/** A `config.toml` that cannot be taken as it is. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export interface FoundConfig {
  /** Of all files that count; what is nearer goes before. */
  readonly harnesses: Readonly<Record<string, HarnessConfig>>;
  /** Files that would have a say, were their folder trusted, and the harnesses that they speak of. */
  readonly ignored: readonly { readonly file: string; readonly harnesses: readonly string[] }[];
}

const NOTHING: Config = { harness: {} };

export class HarnessConfigs {
  private readonly cache = new FileCache<ParsedConfig>();

  constructor(
    private readonly folders: RuleFolders,
    private readonly trust: TrustStore,
  ) {}

  /** The person's own. Throws a `ConfigError`. */
  own(): Readonly<Record<string, HarnessConfig>> {
    return this.ownConfig().harness;
  }

  /**
   * Of the person's own file, never of a project's: what a repository brings along must not run programs or call hosts.
   * Throws a `ConfigError`.
   */
  notify(): NotifyConfig {
    return this.ownConfig().notify ?? notifyConfigSchema.parse({});
  }

  /** When idle agents are ended; null: the file does not say. Throws a `ConfigError`. */
  idleAfter(): string | null {
    return this.ownConfig().idle?.after ?? null;
  }

  /** Whether the files of sessions are kept; null: the file does not say. Throws a `ConfigError`. */
  checkpoints(): "auto" | "off" | null {
    return this.ownConfig().checkpoints?.mode ?? null;
  }

  /** Of the person's own file. Throws a `ConfigError`. */
  ownWall(): WallConfig {
    return this.ownConfig().wall ?? {};
  }

  /**
   * Of the wall around sessions in a folder. What a project's file says counts where it makes the wall narrower, trusted
   * or not. Throws a `ConfigError` for a broken file of the person's own.
   */
  wallFor(workingDir: string): WallConfig & { readonly network: WallNetwork } {
    const ofProject = this.foldersOf(workingDir).flatMap((folder) => {
      const file = join(folder, FOLDER_NAME, CONFIG_FILE);
      const found = this.cache.read(file, (bytes) => parseConfig(bytes, file));
      return found.type === "file" && found.value.ok ? (found.value.config.wall ?? []) : [];
    });
    const own = this.ownWall();
    const networks = [
      own.network ?? DEFAULT_WALL_NETWORK,
      ...ofProject.flatMap(({ network }) => network ?? []),
    ];
    const network = WALL_NETWORKS.find((each) => networks.includes(each)) ?? DEFAULT_WALL_NETWORK;
    return {
      ...own,
      ...(ofProject.some(({ mode }) => mode === "require") ? { mode: "require" } : {}),
      network,
    };
  }

  /** As it is for sessions in a folder. Throws a `ConfigError` for a broken file that counts. */
  configFor(workingDir: string): FoundConfig {
    const folders = this.foldersOf(workingDir);
    const ignored: { readonly file: string; readonly harnesses: readonly string[] }[] = [];
    let harnesses = this.own();
    // From above downwards: what is nearer to the work goes before.
    for (const folder of folders.toReversed()) {
      const file = join(folder, FOLDER_NAME, CONFIG_FILE);
      const found = this.cache.read(file, (bytes) => parseConfig(bytes, file));
      if (found.type === "missing") continue;
      const hash = found.type === "file" ? found.hash : null;
      if (hash !== null && this.trust.isTrustedConfig(folder, hash))
        harnesses = merged(harnesses, this.read(file).harness);
      else ignored.push({ file, harnesses: namesIn(found.type === "file" ? found.value : null) });
    }
    return { harnesses, ignored };
  }

  /** What a folder's own file says, whether it counts or not, for who is to trust it. */
  linesOf(folder: string): readonly string[] {
    const file = join(folder, FOLDER_NAME, CONFIG_FILE);
    const found = this.cache.read(file, (bytes) => parseConfig(bytes, file));
    if (found.type !== "file" || !found.value.ok) return [];
    return Object.entries(found.value.config.harness).flatMap(([name, config]) =>
      Object.entries(config).map(([key, value]) => `[harness.${name}] ${key} = ${JSON.stringify(value)}`),
    );
  }

  /** Those whose files count, nearest first. */
  private foldersOf(workingDir: string): readonly string[] {
    const { folders } = withOriginal(projectFolders(workingDir, this.folders.homeDir), this.folders);
    return folders.map((folder) => this.folders.originalOf?.(folder) ?? folder);
  }

  private ownConfig(): Config {
    return this.read(join(this.folders.configDir, CONFIG_FILE));
  }

  private read(file: string): Config {
    const content = this.cache.read(file, (bytes) => parseConfig(bytes, file));
    switch (content.type) {
      case "missing":
        return NOTHING;
      case "unreadable":
        throw new ConfigError(`${file}: cannot be read: ${content.why}`);
      case "file":
        if (!content.value.ok) throw new ConfigError(flawInWords(content.value.flaw));
        return content.value.config;
    }
  }
}

function namesIn(parsed: ParsedConfig | null): readonly string[] {
  return parsed?.ok === true ? Object.keys(parsed.config.harness) : [];
}

type Harnesses = Config["harness"];

/** Key by key; of variables, name by name. */
export function merged(below: Harnesses, above: Harnesses): Harnesses {
  const names = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    Array.from(names, (name) => [name, mergedOne(below[name] ?? {}, above[name] ?? {})]),
  );
}

function mergedOne(below: HarnessConfig, above: HarnessConfig): HarnessConfig {
  const env = { ...below.env, ...above.env };
  return { ...below, ...above, ...(Object.keys(env).length > 0 ? { env } : {}) };
}
