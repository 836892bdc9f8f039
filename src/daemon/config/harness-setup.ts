/** How each agent is to be run: what the files of configuration say, and above them the environment. */
import { HARNESSES, harnessNamed } from "../../harness/registry.js";
import { merged, type HarnessConfigs } from "../../permissions/config/harness-configs.js";
import { HARNESS_NAME, type HarnessConfig } from "../../protocol/config.js";
import type { Harness } from "../../runtime/harness.js";
import type { SessionSettings } from "../../runtime/session-record.js";
import type { Log } from "../log/log.js";

type Variables = Readonly<Record<string, string | undefined>>;
type Configs = Readonly<Record<string, HarnessConfig>>;

/** Their arguments begin with the program that they run. */
const RUN_WHAT_THEY_ARE_TOLD: ReadonlySet<string> = new Set(["acp", "terminal"]);

const IDLE_AFTER = "30m";
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time as the schema of the configuration takes it. */
function inMs(time: string): number | null {
  const unitMs = UNITS_MS[time.slice(-1)];
  return time === "off" || unitMs === undefined ? null : Number(time.slice(0, -1)) * unitMs;
}

export interface ConfiguredLaunch {
  readonly settings: SessionSettings;
  /** In the place of the program that the harness would look for. */
  readonly program: string | null;
}

export class HarnessSetup {
  readonly #configs: HarnessConfigs;
  readonly #fromVariables: Configs;
  readonly #log: Log;
  /** Files that were not used, so that it is said once. */
  readonly #told = new Set<string>();

  /** Goes before the person's file. */
  readonly #checkpoints: string | undefined;

  constructor(configs: HarnessConfigs, variables: Variables, log: Log) {
    this.#configs = configs;
    this.#fromVariables = configsIn(variables);
    const checkpoints = variables["SIGNALBOX_CHECKPOINTS"];
    this.#checkpoints = checkpoints === "" ? undefined : checkpoints;
    this.#log = log;
  }

  /** The harnesses of this version, and those that the person's own configuration makes. Throws a `ConfigError`. */
  harnesses(): readonly Harness[] {
    const own = merged(this.#configs.own(), this.#fromVariables);
    return [...HARNESSES, ...newNames(own).map(harnessNamed)];
  }

  /** What the person's own configuration says of one. Throws a `ConfigError`. */
  ownConfig(harness: string): HarnessConfig {
    return merged(this.#configs.own(), this.#fromVariables)[harness] ?? {};
  }

  /** Whether a session of it could be started there. Throws a `ConfigError`. */
  isKnown(harness: string, cwd: string): boolean {
    const isOurs = HARNESSES.some(({ name }) => name === harness);
    return isOurs || this.#configFor(harness, cwd).command !== undefined;
  }

  /** Why a harness that a project's configuration makes is not known. */
  untrustedFile(harness: string, cwd: string): string | null {
    const found = this.#configs.configFor(cwd).ignored.find(({ harnesses }) => harnesses.includes(harness));
    return found?.file ?? null;
  }

  /** What a session is made with, where its request leaves something open. Throws a `ConfigError`. */
  settings(asked: SessionSettings): SessionSettings {
    const { command, args = [], model } = this.#configFor(asked.harness, asked.cwd);
    const withModel = { ...asked, model: asked.model ?? model ?? null };
    const isOpen = RUN_WHAT_THEY_ARE_TOLD.has(asked.harness) && asked.args.length === 0;
    if (!isOpen || command === undefined) return withModel;
    return { ...withModel, args: [...(asked.harness === "acp" ? ["--command"] : []), command, ...args] };
  }

  /** After how long its idle agent is ended until it is needed again; null: never. Throws a `ConfigError`. */
  idleAfterMs({ harness, cwd }: SessionSettings): number | null {
    const { idle_after: ofHarness } = this.#configFor(harness, cwd);
    return inMs(ofHarness ?? this.#configs.idleAfter() ?? IDLE_AFTER);
  }

  /** Whether the files of sessions are kept. Throws a `ConfigError`. */
  checkpoints(): boolean {
    return (this.#checkpoints ?? this.#configs.checkpoints()) !== "off";
  }

  /** What a run is started with. Throws a `ConfigError`. */
  launch(settings: SessionSettings): ConfiguredLaunch {
    const { command, args = [], env = {} } = this.#configFor(settings.harness, settings.cwd);
    const configured = { ...settings, env: { ...env, ...settings.env } };
    if (RUN_WHAT_THEY_ARE_TOLD.has(settings.harness)) return { settings: configured, program: null };
    return { settings: { ...configured, args: [...args, ...settings.args] }, program: command ?? null };
  }

  #configFor(harness: string, cwd: string): HarnessConfig {
    const { harnesses, ignored } = this.#configs.configFor(cwd);
    for (const { file } of ignored) {
      if (this.#told.has(file)) continue;
      this.#told.add(file);
      const hint = "its folder is not trusted: see `signalbox permissions trust`";
      this.#log.warn("a project's configuration is not used", { file, because: hint });
    }
    return merged(harnesses, this.#fromVariables)[harness] ?? {};
  }
}

function newNames(configs: Configs): readonly string[] {
  const isNew = (name: string) => HARNESSES.every((harness) => harness.name !== name);
  return Object.keys(configs).filter((name) => isNew(name) && configs[name]?.command !== undefined);
}

/** `SIGNALBOX_HARNESS_MY_AGENT_COMMAND` is the command of `my-agent`; `…_MODEL` its model. */
function configsIn(variables: Variables): Configs {
  const found: Record<string, HarnessConfig> = {};
  for (const [variable, value] of Object.entries(variables)) {
    const [, words, key] = /^SIGNALBOX_HARNESS_([A-Z0-9_]+)_(COMMAND|MODEL)$/.exec(variable) ?? [];
    const name = words?.toLowerCase().replaceAll("_", "-");
    if (name === undefined || value === undefined || value === "" || !HARNESS_NAME.test(name)) continue;
    found[name] = { ...found[name], ...(key === "COMMAND" ? { command: value } : { model: value }) };
  }
  return found;
}
