/** A daemon that cannot start: one sentence and what to do, never a stack. */
import { execFile } from "node:child_process";
import { createServer, type Server } from "node:http";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PROGRAM, runSignalbox, type Ended } from "../cli/signalbox.js";
import { SmallDisk } from "../reliability/small-disk.js";

let folder = "";
let dataDir = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-start-"));
  dataDir = join(folder, "data");
});

afterEach(async () => {
  await runSignalbox(["down", "--all", "--data-dir", dataDir]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function runWithFiles(limit: number, ...args: readonly string[]): Promise<Ended> {
  const line = `ulimit -n ${limit}; exec "$0" "$@"`;
  return new Promise((resolve) => {
    const words = ["-c", line, process.execPath, PROGRAM, ...args, "--data-dir", dataDir];
    const child = execFile("/bin/sh", words, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const FEW_FILES =
  "this shell allows too few open files\nRaise the limit with ulimit -n 1024, or more for many agents, and start it again.\n";

test("with few file descriptors", async () => {
  expect(await runWithFiles(64, "up", "--port", "0")).toEqual({
    code: 69,
    stdout: "",
    stderr: `signalbox: the daemon did not start: ${FEW_FILES}`,
  });
  expect(await runWithFiles(64, "up", "--foreground", "--port", "0")).toEqual({
    code: 69,
    stdout: "",
    stderr: `signalbox: ${FEW_FILES}`,
  });
});

test("on a full disk", async ({ skip }) => {
  const disk = SmallDisk.mount(dataDir, 4);
  if (!disk) return skip("nothing may be mounted here");
  try {
    disk.fill();
    const { code, stdout, stderr } = await runSignalbox(["up", "--port", "0", "--data-dir", dataDir]);
    expect([code, stdout]).toEqual([69, ""]);
    expect(stderr).toBe(
      `signalbox: the daemon did not start: there is no room left on the disk of ${dataDir}\n` +
        "Make room there and start it again, or name a folder on another disk with --data-dir. Nothing was changed.\n",
    );
    disk.free();
    expect((await runSignalbox(["up", "--port", "0", "--data-dir", dataDir])).code).toBe(0);
    await runSignalbox(["down", "--all", "--data-dir", dataDir]);
  } finally {
    disk.unmount();
  }
});

/** Takes the port, unless somebody has it already: either way it is not free. */
async function take(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.once("error", () => resolve());
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

test("where another program has the usual port, it takes a free one and says so; one that was named, it does not", async () => {
  const server = await take(4747);
  try {
    const up = await runSignalbox(["up", "--json", "--data-dir", dataDir]);
    const { url, pid } = JSON.parse(up.stdout) as { url: string; pid: number };
    const { port } = new URL(url);
    expect([up.code, port === "4747", up.stderr]).toEqual([
      0,
      false,
      `signalbox: port 4747 is another program's; this daemon has ${port}, and --port of signalbox up sets one\n`,
    ]);
    const second = ["--data-dir", join(folder, "second")];
    expect(await runSignalbox(["up", "--port", "4747", ...second])).toMatchObject({
      code: 69,
      stderr: expect.stringContaining(
        "did not start: another program listens at 127.0.0.1:4747\nChoose",
      ) as string,
    });
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(await runSignalbox(["up", "--port", port, ...second])).toEqual({
      code: 69,
      stdout: "",
      stderr: `signalbox: the daemon did not start: the Signalbox daemon of another data folder (process ${pid}, version ${version}) listens at 127.0.0.1:${port}\nChoose another port with --port of signalbox up, or SIGNALBOX_PORT; 0 picks a free one.\n`,
    });
    await runSignalbox(["down", "--all", ...second]);
  } finally {
    server.close();
  }
});
