/** Whether a wall stands on this machine: found out by a real run that tries to get out. */
import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { WallProbe } from "../protocol/wall.js";
import type { Bubblewrap } from "./bubblewrap.js";
import { raiseWall } from "./raise-wall.js";
import { DEFAULT_WALL_SETTINGS } from "./wall-input.js";

const PATIENCE_MS = 20_000;
const FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

export type FoundBackend =
  | { readonly ok: true; readonly backend: Bubblewrap }
  | { readonly ok: false; readonly reason: string; readonly mend: string | null };

export interface ProbeRequest {
  readonly dataDir: string;
  readonly configDir: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What there is to make a wall of. Starts two programs. */
export async function findBackend(environment: ProbeRequest["environment"]): Promise<FoundBackend> {
  if (process.platform !== "linux") return failed(`No wall stands on ${process.platform} yet.`, null);
  const program = await find("bwrap", environment);
  if (program === null) return failed("bubblewrap is not installed.", INSTALL);
  const env = await find("env", environment);
  const signals = env === null ? null : await run(env, ["--ignore-signal=HUP", "true"]);
  if (env === null || signals?.status !== 0)
    return failed("env of GNU coreutils 8.31 or newer is needed.", "apt install coreutils");
  const { output } = await run(program, ["--version"]);
  const [major = 0, minor = 0, patch = 0] =
    /(\d+)\.(\d+)(?:\.(\d+))?/
      .exec(output)
      ?.slice(1)
      .map((part) => Number(part || 0)) ?? [];
  if (major === 0 && minor < 5)
    return failed(`bubblewrap 0.5 or newer is needed; this is ${output.trim()}.`, INSTALL);
  const uid = process.getuid?.() ?? -1;
  const tools = {
    socat: await find("socat", environment),
    setsid: await find("setsid", environment),
    node: process.execPath,
  };
  const plain = { program, version: [major, minor, patch], env, uid, ...tools } as const;
  const tried = await run(program, [...BARE, "--unshare-user", "true"]);
  if (tried.status === 0) return { ok: true, backend: { ...plain, hasUserNamespaces: true } };
  const asRoot = uid === 0 ? await run(program, [...BARE, "true"]) : tried;
  if (asRoot.status === 0) return { ok: true, backend: { ...plain, hasUserNamespaces: false } };
  return failed(...(await whyNot(asRoot.output)));
}

const BARE = ["--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--cap-drop", "ALL"];
const INSTALL = "apt install bubblewrap";

function failed(
  reason: string,
  mend: string | null,
): { readonly ok: false; readonly reason: string; readonly mend: string | null } {
  return { ok: false, reason, mend };
}

/** The usual ways in which a system forbids it, each with what permits it. */
async function whyNot(output: string): Promise<readonly [reason: string, mend: string | null]> {
  const said = output.trim().split("\n")[0] ?? "";
  const setting = async (name: string) =>
    (await readFile(`/proc/sys/${name}`, "utf8").catch(() => "")).trim();
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1")
    return [
      `This system lets only some programs make user namespaces (${said}).`,
      "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ];
  if ((await setting("kernel/unprivileged_userns_clone")) === "0")
    return [
      `This system lets only root make user namespaces (${said}).`,
      "sysctl -w kernel.unprivileged_userns_clone=1",
    ];
  if ((await setting("user/max_user_namespaces")) === "0")
    return [`This system permits no user namespaces (${said}).`, "sysctl -w user.max_user_namespaces=15000"];
  return [
    `bubblewrap cannot make namespaces here (${said}). In a container, that takes more rights.`,
    "docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …",
  ];
}

/** Every way out that is tried inside; what is printed in the end is the ones that were open. */
const ESCAPES = `
const fs = require("node:fs"), net = require("node:net"), { spawnSync } = require("node:child_process");
const [hidden, outside, socket, pid] = process.argv.slice(1);
const open = [];
const attempt = (name, act) => { try { if (act() !== false) open.push(name); } catch {} };
attempt("a file outside could be written", () => fs.writeFileSync(outside, "x"));
attempt("a hidden file could be read", () => fs.readFileSync(hidden, "utf8") !== "");
attempt("processes outside could be seen", () => fs.readFileSync("/proc/" + pid + "/cmdline", "utf8").includes("node"));
attempt("processes outside could be signalled", () => ![1, process.pid].includes(Number(pid)) && process.kill(Number(pid), 0));
attempt("mounts could be taken away", () => spawnSync("umount", ["-l", "/tmp"]).status === 0);
try { fs.writeFileSync("inside", "x"); } catch { open.push("the session's folder could not be written"); }
const done = () => { console.log("OPEN " + JSON.stringify(open)); process.exit(0); };
const connection = net.connect(socket);
connection.on("connect", () => { open.push("a socket of this machine could be connected to"); done(); });
connection.on("error", done);
`;

/** Tries to get out of a wall that was raised as every other. `known`: what `findBackend` has found. */
export async function probeWall(request: ProbeRequest, known?: Bubblewrap): Promise<WallProbe> {
  const found = known ? ({ ok: true, backend: known } as const) : await findBackend(request.environment);
  if (!found.ok) return found;
  const { backend } = found;
  await mkdir(request.dataDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(await realpath(request.dataDir), "wall-probe-"));
  try {
    const open = await tryToGetOut(request, backend, folder);
    if (typeof open === "string") return failed(`A run inside a wall could not be started: ${open}`, null);
    if (open.length > 0) return failed(`The wall does not hold here: ${open.join("; ")}.`, null);
    return { ok: true, backend: "bubblewrap", version: backend.version.join(".") };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function tryToGetOut(
  { dataDir, configDir, environment }: ProbeRequest,
  backend: Bubblewrap,
  folder: string,
): Promise<readonly string[] | string> {
  const cwd = join(folder, "project");
  await mkdir(cwd);
  const hidden = join(folder, "hidden");
  await writeFile(hidden, "secret");
  // Paths of sockets are short.
  const socketFolder = await mkdtemp(join("/var/tmp", "sb-"));
  const socket = join(socketFolder, "s");
  const server = createServer((connection) => connection.destroy());
  server.listen(socket);
  await once(server, "listening");
  try {
    const args = ["-e", ESCAPES, "--", hidden, join(folder, "outside"), socket, String(process.pid)];
    const env = Object.fromEntries(
      Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const raised = await raiseWall(
      {
        rules: [],
        home: environment["HOME"] ?? homedir(),
        inner: { command: process.execPath, args, env },
        session: {
          ...{
            cwd,
            harness: "script",
            programs: [process.execPath],
            dataDir,
            configDir,
            ownFiles: [],
            sockets: [],
          },
          ...{
            networkDir: null,
            cacheDir: null,
            gitObjects: [],
            settings: { ...DEFAULT_WALL_SETTINGS, network: "closed" },
          },
        },
      },
      backend,
    );
    if (!raised.ok) return raised.reason;
    const { status, output } = await run(raised.command, raised.args, raised.env, cwd);
    const told = /^OPEN (.*)$/m.exec(output)?.[1];
    if (status !== 0 || told === undefined) return output.trim().split("\n").at(-1) ?? `exit ${status}`;
    return JSON.parse(told) as readonly string[];
  } finally {
    server.close();
    await rm(socketFolder, { recursive: true, force: true });
  }
}

async function find(name: string, environment: ProbeRequest["environment"]): Promise<string | null> {
  const folders = [
    ...(environment["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/")),
    ...FOLDERS,
  ];
  for (const folder of folders) {
    const path = join(folder, name);
    const isProgram = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return path;
  }
  return null;
}

function run(
  program: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  cwd?: string,
): Promise<{ readonly status: number; readonly output: string }> {
  return new Promise((resolve) => {
    const options = {
      timeout: PATIENCE_MS,
      killSignal: "SIGKILL",
      ...(env ? { env } : {}),
      ...(cwd ? { cwd } : {}),
    } as const;
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ status, output: `${stdout}${stderr}` });
    });
  });
}
