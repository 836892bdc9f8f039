/** What may be wrong: a clear error or a narrower wall, never a wider one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ENTRIES_MAX, MASKS_MAX } from "../../src/wall/expand-masks.js";
import { planWall } from "../../src/wall/raise-wall.js";
import { probeWall } from "../../src/wall/probe.js";
import { DEFAULT_WALL_SETTINGS } from "../../src/wall/wall-input.js";
import { CANNOT, deny, ended, start, WallLab, type RunOptions } from "./wall-lab.js";

let lab: WallLab;
beforeEach(() => {
  lab = new WallLab();
});
afterEach(() => lab.remove());

const refused = async (options: RunOptions) => {
  const compiled = await planWall(lab.request("/bin/true", [], options));
  return compiled.ok ? "not refused" : `${compiled.code}: ${compiled.reason}`;
};
const planned = async (options: RunOptions) => {
  const compiled = await planWall(lab.request("/bin/true", [], options));
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.plan;
};

describe("refused, and said why", () => {
  test("a folder that is not there, or is a file", async () => {
    expect(await refused({ session: { cwd: join(lab.project, "gone") } })).toMatch(
      /^folder_missing: .*gone is not there/,
    );
    lab.inProject("file", "");
    expect(await refused({ session: { cwd: join(lab.project, "file") } })).toMatch(/^folder_missing: /);
  });

  test("a home folder that is itself the project, and what holds one", async () => {
    expect(await refused({ session: { cwd: lab.home } })).toMatch(
      /^folder_too_wide: .*is your home folder itself/,
    );
    expect(await refused({ session: { cwd: lab.folder } })).toMatch(
      /^folder_too_wide: .*holds your home folder/,
    );
    symlinkSync(lab.home, join(lab.project, "to-home"));
    expect(await refused({ session: { cwd: join(lab.project, "to-home") } })).toMatch(/^folder_too_wide: /);
    for (const cwd of ["/", "/etc", "/tmp", "/proc/self"])
      expect(await refused({ session: { cwd } })).toMatch(/^folder_too_wide: /);
  });

  test("Signalbox's own folders", async () => {
    expect(await refused({ session: { cwd: lab.dataDir } })).toMatch(
      /^folder_too_wide: .*is a folder of Signalbox/,
    );
    expect(await refused({ session: { cwd: lab.configDir } })).toMatch(/^folder_too_wide: /);
  });

  test("a rule that hides the session's own folder", async () => {
    for (const rule of [deny("Read(~/code/**)"), deny(`Read(${lab.project}/**)`), deny("Read(**)")])
      expect(await refused({ rules: [rule] })).toMatch(
        /^not_applicable: The rule Read\(.*\) hides the session's own folder/,
      );
  });

  test("settings that would open everything, or mean nothing", async () => {
    const settings = { ...DEFAULT_WALL_SETTINGS, writable: ["~"] };
    expect(await refused({ session: { settings } })).toMatch(/^not_applicable: .*would open everything/);
    expect(await refused({ session: { settings: { ...settings, writable: ["code"] } } })).toMatch(
      /^not_applicable: .*a path there is absolute/,
    );
  });

  test("a socket that is not there", async () => {
    const sockets = [{ path: "/run/signalbox.sock", from: join(lab.dataDir, "none.sock"), why: "test" }];
    expect(await refused({ session: { sockets } })).toMatch(/^not_applicable: There is no socket/);
  });
});

test("a rule that fixes all of the session's folder leaves nothing of it writable", async () => {
  const plan = await planned({ rules: [deny("Write(**)")] });
  expect(plan.writable).toEqual([]);
  expect(plan.readOnly).toContainEqual(expect.objectContaining({ path: lab.project }));
});

describe("more than the bounds", () => {
  test("files that a rule is about: the folders that they are in", async () => {
    for (let index = 0; index <= MASKS_MAX; index += 1) lab.inProject(`keys/k${index}.pem`, "SECRET\n");
    const plan = await planned({ rules: [deny("Read(**/*.pem)")] });
    expect(plan.hidden.filter(({ rule }) => rule !== undefined)).toMatchObject([
      { path: join(lab.project, "keys"), type: "folder" },
    ]);
    expect(plan.gaps).toContainEqual({
      rule: "Read(**/*.pem)",
      why: `it is about more than ${MASKS_MAX} files: the folders that they are in are held`,
    });
  });

  test("files that a rule is about, right in the session's folder: refused, naming the rule", async () => {
    for (let index = 0; index <= MASKS_MAX; index += 1) lab.inProject(`k${index}.pem`, "SECRET\n");
    expect(await refused({ rules: [deny("Read(**/*.pem)")] })).toMatch(
      /^too_many_masks: The rule Read\(\*\*\/\*\.pem\) is about more than 200 files/,
    );
  });

  test("entries to look at: the folder that the rule begins with, or refused", async () => {
    const many = join(lab.project, "many");
    mkdirSync(many);
    for (let index = 0; index <= ENTRIES_MAX; index += 1) writeFileSync(join(many, String(index)), "");
    const plan = await planned({ rules: [deny("Read(many/**/*.pem)")] });
    expect(plan.hidden.filter(({ rule }) => rule !== undefined)).toMatchObject([
      { path: many, type: "folder" },
    ]);
    expect(await refused({ rules: [deny("Read(**/*.pem)")] })).toMatch(
      /^too_many_masks: The rule Read\(\*\*\/\*\.pem\) would have more than 20000/,
    );
  });
});

describe("narrower", () => {
  test("a rule about what is not there is said, and makes nothing", async () => {
    const plan = await planned({ rules: [deny("Read(missing/**)"), deny("Write(none.txt)")] });
    expect(plan.gaps.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["Read(missing/**)", "Write(none.txt)"]),
    );
    expect(existsSync(join(lab.project, "missing"))).toBe(false);
  });

  test("a loop of links, and a link to above", async () => {
    symlinkSync("b", join(lab.project, "a"));
    symlinkSync("a", join(lab.project, "b"));
    symlinkSync("..", join(lab.project, "up.key"));
    lab.inProject("real.key", "SECRET\n");
    const plan = await planned({ rules: [deny("Read(a)"), deny("Read(**/*.key)")] });
    expect(plan.hidden.filter(({ rule }) => rule !== undefined)).toMatchObject([
      { path: join(lab.project, "real.key") },
    ]);
    expect(plan.gaps.map(({ why }) => why)).toContainEqual(
      expect.stringContaining("holds the session's folder"),
    );
  });

  test("rules are matched in other letters, too", async () => {
    lab.inProject("Secrets/Key", "SECRET\n");
    const plan = await planned({ rules: [deny("Read(secrets/**)")] });
    expect(plan.hidden).toContainEqual(expect.objectContaining({ path: join(lab.project, "Secrets") }));
  });

  test("an agent's folder that is a link to elsewhere: what it leads to, under its name; never the whole home folder", async () => {
    mkdirSync(join(lab.folder, "elsewhere/sessions"), { recursive: true });
    symlinkSync(join(lab.folder, "elsewhere"), join(lab.home, ".codex"));
    const plan = await planned({ session: { harness: "codex" } });
    expect(plan.writable).toContainEqual(
      expect.objectContaining({
        path: join(lab.home, ".codex/sessions"),
        from: join(lab.folder, "elsewhere/sessions"),
      }),
    );
    rmSync(join(lab.home, ".codex"));
    mkdirSync(join(lab.home, ".codex"));
    symlinkSync(lab.home, join(lab.home, ".codex/sessions"));
    const narrower = await planned({ session: { harness: "codex" } });
    expect(narrower.writable.map(({ path }) => path)).toEqual([lab.project]);
  });

  test("a .git that says to be elsewhere is not believed", async () => {
    lab.inProject(".git", `gitdir: ${lab.home}/.ssh\n`);
    const plan = await planned({});
    expect(plan.writable.map(({ path }) => path)).toEqual([lab.project]);
    rmSync(join(lab.project, ".git"));
    symlinkSync(join(lab.home, ".ssh"), join(lab.project, ".git"));
    expect((await planned({})).writable.map(({ path }) => path)).toEqual([lab.project]);
  });

  test("a rule wins over what lies deeper", async () => {
    mkdirSync(join(lab.home, ".codex/sessions"), { recursive: true });
    const session = { harness: "codex" };
    const hidden = await planned({ rules: [deny("Read(~/.codex/**)")], session });
    expect([...hidden.writable, ...hidden.readOnly].filter(({ path }) => path.includes(".codex"))).toEqual(
      [],
    );
    const fixed = await planned({ rules: [deny("Write(~/.codex/**)")], session });
    expect(fixed.writable.map(({ path }) => path)).toEqual([lab.project]);
  });
});

describe.skipIf(CANNOT)("during a run", () => {
  test("a folder that vanishes before the start fails, and nothing runs without it", async () => {
    const raised = await lab.raise("/bin/echo", ["ran"]);
    if (!raised.ok) throw new Error(raised.reason);
    rmSync(lab.project, { recursive: true });
    const { status, out, err } = await ended(start(raised, lab.home));
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(err).toContain("bwrap: ");
  });

  test("what is to be hidden vanishes before the start: the same", async () => {
    const path = lab.inProject(".env", "SECRET\n");
    const raised = await lab.raise("/bin/echo", ["ran"], { rules: [deny("Read(.env)")] });
    if (!raised.ok) throw new Error(raised.reason);
    rmSync(path);
    symlinkSync(join(lab.home, ".ssh/id_ed25519"), path);
    const { out } = await ended(start(raised, lab.project));
    expect(out).not.toContain("SECRET");
  });

  test("a full /tmp is the run's own trouble", async () => {
    const script = "dd if=/dev/zero of=/tmp/big bs=1M count=20000 2>&1 | grep -c 'No space'; echo on";
    const raised = await lab.raise("/bin/bash", ["-c", script]);
    if (!raised.ok) throw new Error(raised.reason);
    const small = raised.args.map((arg, index) =>
      raised.args[index - 1] === "--size" ? String(1024 * 1024) : arg,
    );
    const { out } = await ended(start({ ...raised, args: small }, lab.project));
    expect(out).toBe("1\non\n");
  });

  test("a copy that cannot be made fails the start", async () => {
    lab.put("home/ada/.claude.json", "{}\n");
    const raised = await lab.raise("/bin/echo", ["ran"], { session: { harness: "claude" } });
    if (!raised.ok) throw new Error(raised.reason);
    rmSync(join(lab.home, ".claude.json"));
    expect(await ended(start(raised, lab.project))).toMatchObject({ status: 1, out: "" });
  });
});

describe.skipIf(CANNOT)("the probe", () => {
  const request = () => ({ dataDir: lab.dataDir, configDir: lab.configDir, environment: process.env });

  test("passes here, and leaves nothing", async () => {
    expect(await probeWall(request())).toMatchObject({ ok: true, backend: "bubblewrap" });
    expect(existsSync(join(lab.dataDir, "outside"))).toBe(false);
  });

  test("says what is missing, and what mends it", async () => {
    const bin = join(lab.folder, "bin");
    mkdirSync(bin);
    const broken = lab.put(
      "bin/bwrap",
      "#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap 0.8.0 && exit; echo 'bwrap: No permissions to create new namespace' >&2; exit 1\n",
      0o755,
    );
    chmodSync(broken, 0o755);
    const result = await probeWall({
      ...request(),
      environment: { ...process.env, PATH: `${bin}:/usr/bin:/bin` },
    });
    expect(result).toMatchObject({
      ok: false,
      reason: expect.stringContaining("No permissions to create new namespace") as string,
    });
    expect(result).toHaveProperty("mend");
  });

  test("finds out a wall that does not hold", async () => {
    // Runs what it is given, without any wall.
    lab.put(
      "bin/bwrap",
      '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit; while [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; [ $# = 0 ] && exit; done; shift; exec "$@"\n',
      0o755,
    );
    const environment = { ...process.env, PATH: `${join(lab.folder, "bin")}:${process.env["PATH"] ?? ""}` };
    expect(await probeWall({ ...request(), environment })).toMatchObject({
      ok: false,
      reason: expect.stringMatching(
        /a file outside could be written; a hidden file could be read; .*socket/,
      ) as string,
    });
  });

  test.skipIf(process.getuid?.() !== 0)("passes for somebody who is not root", async () => {
    chmodSync(lab.folder, 0o755);
    const data = join(lab.folder, "nobody");
    mkdirSync(data);
    chmodSync(data, 0o777);
    const module = new URL("../../dist/src/wall/probe.js", import.meta.url).href;
    const script = `const { probeWall } = await import(${JSON.stringify(module)}); console.log(JSON.stringify(await probeWall({ dataDir: ${JSON.stringify(data)}, configDir: "/nonexistent", environment: process.env })));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      uid: 65534,
      gid: 65534,
      env: { PATH: "/usr/bin:/bin", HOME: data },
      cwd: "/",
    });
    let out = "";
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (out += chunk.toString()));
    await once(child, "close");
    expect(out).toMatch(/"ok":true/);
  });
});
