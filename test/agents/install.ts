/**
 * Installs agents with npm into a folder outside the repository, each version once: `$SIGNALBOX_AGENTS_DIR`, or
 * `signalbox-agents` in the user's cache.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../reliability/is-alive.js";
import { NEWER_NODE, type AgentPackage } from "./packages.js";

const LOCK_WAIT_MS = 500;
const LOCK_TRIES_MAX = 1_200;
const NPM_WORDS_MAX = 4_000;

/** An agent that could not be had. It says what to do. */
export class InstallError extends Error {
  override readonly name = "InstallError";
}

/** `npm`, or what stands in for it in a test. */
export type RunNpm = (args: readonly string[], folder: string) => Promise<void>;

export function agentsFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SIGNALBOX_AGENTS_DIR: chosen, XDG_CACHE_HOME: cache } = env;
  return chosen ?? join(cache ?? join(homedir(), ".cache"), "signalbox-agents");
}

/** Gives the agent's program. */
export async function install(
  wanted: AgentPackage,
  root: string = agentsFolder(),
  runNpm: RunNpm = npm,
): Promise<string> {
  const folder = join(root, wanted.folder);
  const program = join(folder, "node_modules", ".bin", wanted.program);
  if (await isInstalled(folder, wanted)) return program;
  await mkdir(root, { recursive: true });
  await locked(`${folder}.lock`, async () => {
    if (await isInstalled(folder, wanted)) return;
    // Made elsewhere and put in place whole: what was cut off is never taken for an agent.
    const draft = `${folder}.part`;
    await rm(folder, { recursive: true, force: true });
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft);
    await writeFile(join(draft, "package.json"), '{ "private": true }\n');
    await runNpm(["install", "--save-exact", `${wanted.package}@${wanted.version}`], draft);
    if (!(await isInstalled(draft, wanted)))
      throw new InstallError(`npm installed no ${wanted.package} ${wanted.version}`);
    await rename(draft, folder);
  });
  return program;
}

/** Whether it is installed already. */
export function isThere(wanted: AgentPackage, root: string = agentsFolder()): Promise<boolean> {
  return isInstalled(join(root, wanted.folder), wanted);
}

/** npm writes its list of what is there last of all. */
async function isInstalled(
  folder: string,
  { package: name, version, program }: AgentPackage,
): Promise<boolean> {
  const modules = join(folder, "node_modules");
  try {
    await stat(join(modules, ".package-lock.json"));
    await stat(join(modules, ".bin", program));
    const there = await manifestIn(join(modules, name));
    return there.version === version || there.version.startsWith(`${version}.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

interface Manifest {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

async function manifestIn(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

async function npm(args: readonly string[], folder: string): Promise<void> {
  const flags = ["--no-audit", "--no-fund", "--no-progress", "--loglevel=error"];
  const child = spawn("npm", [...args, ...flags], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let words = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-NPM_WORDS_MAX);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw new InstallError(
    `npm ${args.join(" ")} failed; the tests of agents need the npm registry, or SIGNALBOX_AGENTS_DIR with ` +
      `everything installed.\n${words}`,
  );
}

/** One process at a time; a lock whose owner is gone does not count. */
async function locked(path: string, act: () => Promise<void>): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      const lock = await open(path, "wx");
      await lock.writeFile(String(process.pid));
      await lock.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (tried === LOCK_TRIES_MAX) throw new InstallError(`somebody else holds ${path}`);
      if (await isAbandoned(path)) await rm(path, { force: true });
      else await sleep(LOCK_WAIT_MS);
    }
  }
  try {
    await act();
  } finally {
    await rm(path, { force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    const owner = Number(await readFile(path, "utf8"));
    return owner > 0 && !isAlive(owner);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** An agent's program, and the newer Node that it needs; null: ours will do. */
export async function installAgent(
  wanted: AgentPackage,
  root: string = agentsFolder(),
  runNpm: RunNpm = npm,
): Promise<{ readonly program: string; readonly node: string | null }> {
  const program = await install(wanted, root, runNpm);
  const node = (await needsNewerNode(program, wanted)) ? await install(NEWER_NODE, root, runNpm) : null;
  return { program, node };
}

/** A folder with a launcher for each agent, to stand first in PATH. */
export async function installLaunchers(packages: readonly AgentPackage[], folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const wanted of packages) {
    const { program, node } = await installAgent(wanted);
    const path = node === null ? "" : `PATH='${join(node, "..")}':"$PATH" `;
    const launcher = join(folder, wanted.program);
    await writeFile(launcher, `#!/bin/sh\n${path}exec '${program}' "$@"\n`);
    await chmod(launcher, 0o755);
  }
}

/** Programs of their own, which npm only carries, run without any Node. */
export async function needsNewerNode(
  program: string,
  wanted: AgentPackage,
  ours: string = process.versions.node,
): Promise<boolean> {
  const { engines } = await manifestIn(join(program, "../..", wanted.package));
  const least = /(\d+)/.exec(engines?.node ?? "")?.[1];
  if (least === undefined || Number(ours.split(".")[0]) >= Number(least)) return false;
  const file = await open(program);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    return /^#!.*\bnode\b/.test(buffer.toString("latin1", 0, bytesRead));
  } finally {
    await file.close();
  }
}
