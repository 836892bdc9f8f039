/** Files: agents create theirs as the person's shell would, and those of the daemon are the person's alone. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestDaemon } from "./test-daemon.js";

let folder: string;
let work: string;
let daemon: TestDaemon;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-umask-"));
  work = join(folder, "work");
  await mkdir(work);
});

afterEach(async () => {
  await daemon.end();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startWith(umask: number): Promise<void> {
  const ours = process.umask(umask);
  try {
    daemon = await TestDaemon.start({ dataDir: join(folder, "data") });
  } finally {
    process.umask(ours);
  }
}

const LINE = "umask > says; mkdir made";

/** Starts an agent of this kind in a folder of its own, and gives the modes of what it creates. */
async function madeBy(harness: "terminal" | "script" | "demo", name: string): Promise<unknown> {
  const cwd = join(work, name);
  await mkdir(cwd);
  const args = {
    terminal: ["/bin/sh", "-c", `${LINE}; exec sleep 1000`],
    script: ["--inline", '{"turns":[]}', "--report", join(cwd, "report")],
    demo: [],
  }[harness];
  await daemon.client.createSession({ harness, cwd, args, prompt: "go", autoApprove: true });
  const last = { terminal: "made", script: "report", demo: "signalbox-demo.md" }[harness];
  await expect.poll(() => readdir(cwd)).toContain(last);
  const modes: Record<string, string> = {};
  for (const file of await readdir(cwd))
    modes[file] = ((await stat(join(cwd, file))).mode & 0o777).toString(8);
  return modes;
}

async function openToOthers(): Promise<readonly string[]> {
  const entries = await readdir(daemon.dataDir, { recursive: true, withFileTypes: true });
  const open: string[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // Whoever may not enter its folder does not get to it.
    const { mode } = await stat(path).catch(() => ({ mode: 0 }));
    if ((mode & 0o077) !== 0) open.push(`${relative(daemon.dataDir, path)} ${(mode & 0o777).toString(8)}`);
  }
  return open;
}

test("agents with a terminal and with pipes have the umask of whoever started the daemon", async () => {
  await startWith(0o027);
  expect(await madeBy("terminal", "a")).toEqual({ says: "640", made: "750" });
  expect(await readFile(join(work, "a", "says"), "utf8")).toBe("0027\n");
  expect(await madeBy("script", "b")).toEqual({ report: "640" });
  expect(await madeBy("demo", "c")).toEqual({ "signalbox-demo.md": "640" });
});

test("a daemon that is started again brings its own umask to the keeper that was there", async () => {
  await startWith(0o077);
  expect(await madeBy("terminal", "a")).toEqual({ says: "600", made: "700" });
  await daemon.kill("SIGKILL");
  await startWith(0o002);
  expect(await madeBy("terminal", "b")).toEqual({ says: "664", made: "775" });
  expect(await madeBy("script", "c")).toEqual({ report: "664" });
});

test("whatever the umask, what is in the data folder is nobody else's", async () => {
  await startWith(0);
  expect(await madeBy("terminal", "a")).toEqual({ says: "666", made: "777" });
  expect(await madeBy("demo", "b")).toEqual({ "signalbox-demo.md": "666" });
  expect((await stat(daemon.dataDir)).mode & 0o777).toBe(0o700);
  expect(await openToOthers()).toEqual([]);
});

test.runIf(process.platform === "linux")(
  "agents have the soft limit of open files that was set",
  async () => {
    const cwd = join(work, "limits");
    await mkdir(cwd);
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", "ulimit -Hn"]);
    daemon = await TestDaemon.start({ dataDir: join(folder, "data"), args: ["--open-files", "200"] });
    const line = "ulimit -Sn > soft; ulimit -Hn > hard";
    await daemon.client.createSession({
      harness: "terminal",
      cwd,
      args: ["/bin/sh", "-c", `${line}; exec sleep 1000`],
    });
    const numbers = async () =>
      Promise.all(["soft", "hard"].map((name) => readFile(join(cwd, name), "utf8").catch(() => "")));
    await expect.poll(numbers).toEqual(["200\n", stdout]);
  },
);
