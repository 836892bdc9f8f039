/** The package as somebody gets it: packed, installed into an empty folder, and used. Only in the long form. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "signalbox-package-"));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.runIf(process.env["SIGNALBOX_LONG"] === "1")("the package", () => {
  test("installs without running a script, and runs the demo", async () => {
    const packed = await run("npm", ["pack", "--json", "--pack-destination", folder]);
    const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(packed.stdout) as [
      { filename: string; size: number; unpackedSize: number; entryCount: number },
    ];
    const startedAtMs = Date.now();
    // No script of any package runs: nothing can be compiled.
    const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--omit=dev"];
    await run("npm", ["install", ...options, join(folder, filename)], { cwd: folder });
    const packages = (await readdir(join(folder, "node_modules"))).length;
    console.log(
      `package: ${size} bytes packed, ${unpackedSize} unpacked, ${entryCount} files; installed in ${Date.now() - startedAtMs} ms beside ${packages} folders`,
    );
    const env = { ...process.env, SIGNALBOX_DATA_DIR: join(folder, "data") };
    const signalbox = (...args: readonly string[]) =>
      run(join(folder, "node_modules", ".bin", "signalbox"), args, { cwd: folder, env });
    try {
      expect((await signalbox("up", "--port", "0")).stdout).toMatch(/^up at http:\/\/127\.0\.0\.1:\d+,/);
      const said = await signalbox("run", "script", "Hello, package");
      expect(said.stdout).toBe("Hello, package\n");
      const demo = await signalbox("run", "demo", "Show me").catch((error: unknown) => error);
      expect(demo).toMatchObject({ code: 3, stderr: expect.stringContaining("needs approval") as string });
      expect((await signalbox("ls")).stdout.split("\n").length).toBe(4);
      expect((await signalbox("mcp", "--print-skill")).stdout).toContain("name: signalbox");
    } finally {
      expect((await signalbox("down", "--all")).stdout).toBe("down\n");
    }
    const imported =
      'import { createClient } from "signalbox/client"; import "signalbox/core"; createClient({url:""})';
    await run(process.execPath, ["--input-type=module", "-e", imported], { cwd: folder });
  });
});
