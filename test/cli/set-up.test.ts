/** What `npm start` and `npm test` do first, in a clone of their own, with an npm that only says that it was called. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/set-up.mjs", import.meta.url));

function clone(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-clone-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "scripts"));
  cpSync(SCRIPT, join(folder, "scripts/set-up.mjs"));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\necho "$@" > "${folder}/called"\n`);
  chmodSync(join(folder, "bin/npm"), 0o755);
  return folder;
}

function installIn(folder: string) {
  const script = `import { installPackages, runScript } from ${JSON.stringify(join(folder, "scripts/set-up.mjs"))};
await runScript(() => { installPackages(); return 0; });`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { PATH: `${join(folder, "bin")}:/usr/bin:/bin` },
  });
  return { status, stderr, called: existsSync(join(folder, "called")) };
}

test("packages are installed once", () => {
  const folder = clone();
  expect(installIn(folder)).toEqual({
    status: 0,
    stderr: "signalbox: installing packages (a minute or two, once) …\n",
    called: true,
  });
  rmSync(join(folder, "called"));
  expect(installIn(folder)).toEqual({ status: 0, stderr: "", called: false });
});

function buildIn(folder: string, compiler: string) {
  mkdirSync(join(folder, "node_modules/typescript/bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/typescript/bin/tsc"), compiler);
  writeFileSync(join(folder, "scripts/build-web.mjs"), 'console.log("page");');
  writeFileSync(join(folder, "scripts/build-programs.mjs"), 'console.log("programs");');
  const script = `import { buildProgram, runScript } from ${JSON.stringify(join(folder, "scripts/set-up.mjs"))};
await runScript(async () => { await buildProgram(); return 0; });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  return { status, stdout: stdout.split("\n").toSorted(), stderr };
}

test("who only wants to start it waits for the program and its page, not for tests or checks", () => {
  expect(buildIn(clone(), "console.log(...process.argv.slice(2))")).toEqual({
    status: 0,
    stdout: ["", "-b --noCheck src/cli src/daemon src/react", "page", "programs"],
    stderr: "signalbox: building …\n",
  });
});

test("what cannot be built is not started", () => {
  const { status, stderr } = buildIn(clone(), "process.exit(2)");
  expect([status, stderr]).toEqual([2, expect.stringMatching(/tsc -b --noCheck .* failed\n$/)]);
});

test("never through a link, as somebody else's packages would be gone", () => {
  const folder = clone();
  mkdirSync(join(folder, "others"));
  symlinkSync(join(folder, "others"), join(folder, "node_modules"));
  expect(installIn(folder)).toEqual({
    status: 1,
    stderr: `signalbox: ${folder}/node_modules is a symbolic link: installing would empty the folder that it leads to. Remove the link first.\n`,
    called: false,
  });
});
