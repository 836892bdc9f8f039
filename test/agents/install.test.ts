import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentsFolder, install, installAgent, InstallError, needsNewerNode, type RunNpm } from "./install.js";
import type { AgentPackage } from "./packages.js";

const WANTED: AgentPackage = {
  folder: "talker-1.2",
  package: "@acme/talker",
  version: "1.2",
  program: "talk",
};

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "signalbox-install-"));
});
afterEach(() => rm(root, { recursive: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** What npm leaves behind, of some version; its list comes last. */
async function lay(folder: string, version: string, script = "#!/bin/sh\n", engines = {}): Promise<void> {
  const modules = join(folder, "node_modules");
  await put(join(modules, "@acme/talker/package.json"), JSON.stringify({ version, engines }));
  await put(join(modules, "@acme/talker/talk"), script);
  await mkdir(join(modules, ".bin"), { recursive: true });
  await symlink("../@acme/talker/talk", join(modules, ".bin/talk"));
}
const finish = (folder: string) => put(join(folder, "node_modules/.package-lock.json"), "{}");

/** An npm that installs, and counts how often it was asked. */
function counting(): { readonly runNpm: RunNpm; readonly asked: string[] } {
  const asked: string[] = [];
  const runNpm: RunNpm = async (args, folder) => {
    asked.push(args.join(" "));
    await lay(folder, "1.2.9");
    await finish(folder);
  };
  return { runNpm, asked };
}

const ONCE = ["install --save-exact @acme/talker@1.2"];

test("what is not there is installed, once, even when two want it at the same time", async () => {
  const { runNpm, asked } = counting();
  const both = await Promise.all([install(WANTED, root, runNpm), install(WANTED, root, runNpm)]);
  const program = join(root, "talker-1.2/node_modules/.bin/talk");
  expect(both).toEqual([program, program]);
  expect(await install(WANTED, root, runNpm)).toBe(program);
  expect(await readFile(program, "utf8")).toBe("#!/bin/sh\n");
  expect(asked).toEqual(ONCE);
});

test("what is there is taken as it is", async () => {
  const { runNpm, asked } = counting();
  await lay(join(root, "talker-1.2"), "1.2.0");
  await finish(join(root, "talker-1.2"));
  await install(WANTED, root, runNpm);
  expect(asked).toEqual([]);
});

test.each([
  ["half", (folder: string) => lay(folder, "1.2.0")],
  [
    "of another version",
    async (folder: string) => {
      await lay(folder, "1.20.0");
      await finish(folder);
    },
  ],
])("what is there %s is installed again", async (_, prepare) => {
  const { runNpm, asked } = counting();
  await prepare(join(root, "talker-1.2"));
  await install(WANTED, root, runNpm);
  expect(asked).toEqual(ONCE);
});

test("a lock whose owner has died does not count", async () => {
  const { runNpm, asked } = counting();
  const { pid } = spawnSync(process.execPath, ["-e", "0"]);
  await writeFile(join(root, "talker-1.2.lock"), String(pid));
  await install(WANTED, root, runNpm);
  expect(asked).toEqual(ONCE);
});

test("an npm that fails, or installs nothing, is an error, and leaves nothing that looks like an agent", async () => {
  const failing: RunNpm = async (_args, folder) => {
    await lay(folder, "1.2.0");
    throw new InstallError("no registry");
  };
  await expect(install(WANTED, root, failing)).rejects.toThrow(new InstallError("no registry"));
  await expect(install(WANTED, root, () => Promise.resolve())).rejects.toThrow(
    new InstallError("npm installed no @acme/talker 1.2"),
  );
  const { runNpm, asked } = counting();
  await install(WANTED, root, runNpm);
  expect(asked).toEqual(ONCE);
});

test("only a script that wants a newer Node gets one", async () => {
  const needs = async (script: string, engines: object) => {
    const folder = await mkdtemp(join(root, "x-"));
    await lay(folder, "1.2.0", script, engines);
    return needsNewerNode(join(folder, "node_modules/.bin/talk"), WANTED, "20.19.0");
  };
  const js = "#!/usr/bin/env node\n";
  expect(await needs(js, { node: ">=22.0.0" })).toBe(true);
  expect(await needs(js, { node: ">=20" })).toBe(false);
  expect(await needs(js, {})).toBe(false);
  expect(await needs("\x7fELF", { node: ">=22.0.0" })).toBe(false);
});

test("with an agent comes the newer Node that it needs: later there may be no network", async () => {
  const asked: string[] = [];
  const runNpm: RunNpm = async (args, folder) => {
    asked.push(args.at(-1) ?? "");
    if (args.includes("node@24")) {
      await put(join(folder, "node_modules/node/package.json"), JSON.stringify({ version: "24.1.0" }));
      await put(join(folder, "node_modules/.bin/node"), "");
    } else await lay(folder, "1.2.0", "#!/usr/bin/env node\n", { node: ">=99" });
    await finish(folder);
  };
  expect(await installAgent(WANTED, root, runNpm)).toEqual({
    program: join(root, "talker-1.2/node_modules/.bin/talk"),
    node: join(root, "node24/node_modules/.bin/node"),
  });
  expect(asked).toEqual(["@acme/talker@1.2", "node@24"]);
});

test("the folder is the chosen one, or in the cache", () => {
  expect(agentsFolder({ SIGNALBOX_AGENTS_DIR: "/a", XDG_CACHE_HOME: "/b" })).toBe("/a");
  expect(agentsFolder({ XDG_CACHE_HOME: "/b" })).toBe("/b/signalbox-agents");
});
