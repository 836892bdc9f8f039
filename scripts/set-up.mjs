/** What every script needs first: a fitting Node, the packages of the lock file, a build. Plain Node, no packages. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));

const NODE_MIN = [20, 19];
const MODULES = `${ROOT}node_modules`;
/** Says which lock file, on which kind of machine, the packages were installed from. */
const STAMP = `${MODULES}/.signalbox-lock`;

export function checkNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  fail(`Signalbox needs Node ${NODE_MIN.join(".")} or newer; this is Node ${version}.`);
}

/** Installs what the lock file says, unless that was done already. */
export function installPackages() {
  const wanted = stamp();
  if (readIfThere(STAMP) === wanted) return;
  // npm empties the folder first, and follows a link to do so.
  if (lstatSync(MODULES, { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail(
      `${MODULES} is a symbolic link: installing would empty the folder that it leads to. Remove the link first.`,
    );
  }
  say("installing packages (a minute or two, once) …");
  // Development packages are needed to build, whatever NODE_ENV says; no script of any of them is.
  run("npm", ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--no-progress"]);
  mkdirSync(MODULES, { recursive: true });
  writeFileSync(STAMP, wanted);
}

export function build() {
  say("building");
  run("npm", ["run", "--silent", "build"]);
}

/**
 * What runs, and no more: no tests, and types are not checked; a later `build` still checks them. Whoever has just cloned
 * waits for this, so that the page is built at the same time.
 */
export async function buildProgram() {
  say("building …");
  await Promise.all([
    runBeside(`${MODULES}/typescript/bin/tsc`, ["-b", "--noCheck", "src/cli", "src/daemon", "src/react"]),
    runBeside(`${ROOT}scripts/build-web.mjs`, []),
  ]);
  await runBeside(`${ROOT}scripts/build-programs.mjs`, []);
}

/** Runs a Node program in the root of the repository, while others run. */
async function runBeside(script, args) {
  const status = await exitStatusBeside(process.execPath, [script, ...args]);
  if (status !== 0) fail(`${[script, ...args].join(" ")} failed`, status);
}

/**
 * Runs a program in the root of the repository, while others run, and gives its exit status. `priority`: how much it
 * yields to others, as of `nice`.
 */
export function exitStatusBeside(program, args, { env = {}, priority = 0 } = {}) {
  const child = spawn(program, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...env } });
  if (priority > 0 && child.pid !== undefined) setPriority(child.pid, priority);
  return new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new SetUpError(`cannot run ${program}: ${error.message}`, 1)));
    child.on("exit", (status, signal) => {
      if (signal) say(`${program} was ended by ${signal}`);
      resolve(status ?? 1);
    });
  });
}

/** Runs a program in the root of the repository and gives its exit status. */
export function exitStatus(program, args, env = {}) {
  const { status, signal, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (error) fail(`cannot run ${program}: ${error.message}`);
  if (signal) say(`${program} was ended by ${signal}`);
  return status ?? 1;
}

function run(program, args) {
  const status = exitStatus(program, args);
  if (status !== 0) fail(`${[program, ...args].join(" ")} failed`, status);
}

export function say(text) {
  process.stderr.write(`signalbox: ${text}\n`);
}

/** A reason to stop that is not a fault of these scripts. */
export class SetUpError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

function fail(message, status = 1) {
  throw new SetUpError(message, status);
}

function stamp() {
  const hash = createHash("sha256")
    .update(readFileSync(`${ROOT}package-lock.json`))
    .digest("hex");
  return `${hash} ${process.platform} ${process.arch}\n`;
}

function readIfThere(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Runs a script to its end: its exit status, or the reason why it could not go on. */
export async function runScript(script) {
  try {
    process.exitCode = await script();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    say(error.message);
    process.exitCode = error.status;
  }
}
