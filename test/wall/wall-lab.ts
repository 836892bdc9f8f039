/** A person's machine in a folder: a home with secrets, a project, Signalbox's folders; and runs inside a wall there. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseRule, type Rule } from "../../src/core/index.js";
import type { Bubblewrap } from "../../src/wall/bubblewrap.js";
import { findBackend } from "../../src/wall/probe.js";
import { raiseWall, type RaisedWall, type WallRequest } from "../../src/wall/raise-wall.js";
import { DEFAULT_WALL_SETTINGS, type WallRefusal, type WallSession } from "../../src/wall/wall-input.js";

/** Not below `/tmp`: that is private inside, and would hide every fault. */
const LABS = fileURLToPath(new URL("../../.artifacts/", import.meta.url));
const PATIENCE_MS = 60_000;
const OUTPUT_MAX = 1024 * 1024;

const found = await findBackend(process.env);
/** Null: nothing to test with. In CI that is a failure. */
export const BACKEND: Bubblewrap | null = found.ok ? found.backend : null;
export const CANNOT = BACKEND === null && process.env["CI"] === undefined;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly rules?: readonly Rule[];
  readonly session?: Partial<WallSession>;
  readonly env?: Readonly<Record<string, string>>;
}

export class WallLab {
  readonly folder: string;
  readonly home: string;
  readonly project: string;
  readonly dataDir: string;
  readonly configDir: string;
  /** A folder of the system: everybody may read it. */
  readonly system: string;

  constructor() {
    mkdirSync(LABS, { recursive: true });
    this.folder = realpathSync(mkdtempSync(join(LABS, "wall-")));
    this.home = join(this.folder, "home/ada");
    this.project = join(this.home, "code/project");
    this.dataDir = join(this.home, ".local/share/signalbox");
    this.configDir = join(this.home, ".config/signalbox");
    this.system = join(this.folder, "system");
    for (const path of [this.project, this.dataDir, this.configDir, this.system])
      mkdirSync(path, { recursive: true });
    this.put("home/ada/.ssh/id_ed25519", "SECRET key\n");
    this.put("home/ada/.bashrc", "# mine\n");
    this.put(
      "home/ada/.gitconfig",
      "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n",
    );
    this.put("home/ada/.local/share/signalbox/token", "SECRET token\n");
    this.put("home/ada/.config/signalbox/permissions.toml", "# rules\n");
    this.put("system/readable", "system\n");
  }

  /** A file below the lab's folder. Gives its path. */
  put(path: string, text: string, mode = 0o644): string {
    const whole = join(this.folder, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text, { mode });
    return whole;
  }

  inProject(path: string, text: string, mode?: number): string {
    return this.put(`home/ada/code/project/${path}`, text, mode);
  }

  request(
    command: string,
    args: readonly string[],
    { rules = [], session = {}, env = {} }: RunOptions = {},
  ): WallRequest {
    return {
      rules,
      home: this.home,
      inner: { command, args, env: { ...ownEnvironment(), HOME: this.home, ...env } },
      session: {
        cwd: this.project,
        harness: "script",
        programs: [process.execPath],
        dataDir: this.dataDir,
        configDir: this.configDir,
        ownFiles: [],
        sockets: [],
        networkDir: null,
        cacheDir: null,
        gitObjects: [],
        settings: { ...DEFAULT_WALL_SETTINGS, network: "closed" },
        ...session,
      },
    };
  }

  raise(command: string, args: readonly string[], options?: RunOptions): Promise<RaisedWall | WallRefusal> {
    if (!BACKEND) throw new Error("skipped: no bubblewrap");
    return raiseWall(this.request(command, args, options), BACKEND);
  }

  /** What a shell line does inside. Throws when the wall is refused. */
  async inside(script: string, options?: RunOptions): Promise<Ended> {
    const raised = await this.raise("/bin/bash", ["-c", script], options);
    if (!raised.ok) throw new Error(raised.reason);
    return ended(start(raised, options?.session?.cwd ?? this.project));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** In a process group of its own, as the keeper starts agents. */
export function start({ command, args, env }: RaisedWall, cwd: string) {
  return spawn(command, [...args], { cwd, env, detached: true, stdio: "pipe" });
}

export function ended(child: ReturnType<typeof start>): Promise<Ended> {
  const told = { out: "", err: "" };
  const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"), PATIENCE_MS);
  child.stdin.end();
  child.stdout.on("data", (data: Buffer) => (told.out = (told.out + data.toString()).slice(-OUTPUT_MAX)));
  child.stderr.on("data", (data: Buffer) => (told.err = (told.err + data.toString()).slice(-OUTPUT_MAX)));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      resolve({ status, signal, ...told });
    });
  });
}

function ownEnvironment(): Record<string, string> {
  const { PATH = "/usr/bin:/bin", LANG = "C.UTF-8" } = process.env;
  return { PATH, LANG };
}

/** A rule as a person writes it, for every project. */
export function deny(text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const { category, pattern } = parsed;
  return {
    effect: "deny",
    category,
    pattern,
    text,
    origin: { file: null, line: null, kind: "global", root: null },
  };
}
