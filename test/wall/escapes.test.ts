/** Ways out of a wall, tried by real processes inside. Each prints ESCAPED, or leaves a trace outside, if it is open. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "../reliability/is-alive.js";
import { BACKEND, CANNOT, deny, WallLab, type RunOptions } from "./wall-lab.js";

let lab: WallLab;
let server: Server;
let neighbour: ReturnType<typeof spawn>;
let tried = 0;
let escaped = 0;
let gitConfig = "";

/** Node inside, so that no tool has to be installed. */
const node = (script: string) => `${process.execPath} -e '${script}'`;
const connect = (path: string) =>
  node(
    `require("net").connect("${path}").on("connect",()=>{console.log("ESCAPED");process.exit()}).on("error",()=>{})`,
  );

interface Escape {
  readonly name: string;
  readonly script: (lab: WallLab) => string;
  readonly options?: (lab: WallLab) => RunOptions;
  /** Whether something outside shows that it got out. */
  readonly isOut?: (lab: WallLab) => boolean;
}

const wrote = (path: string) => (lab: WallLab) => existsSync(join(lab.folder, path));
const changed = (path: string, text: string) => (lab: WallLab) =>
  readFileSync(join(lab.folder, path), "utf8") !== text;
const RULES = [
  deny("Read(**/.env)"),
  deny("Read(secrets/**)"),
  deny("Write(fixed.txt)"),
  deny("Write(fixed/**)"),
];
const withRules = (): RunOptions => ({ rules: RULES });

const READS: readonly Escape[] = [
  { name: "reads the token", script: (lab) => `cat ${lab.dataDir}/token | sed s/SECRET/ESCAPED/` },
  { name: "reads the rules", script: (lab) => `cat ${lab.configDir}/permissions.toml && echo ESCAPED` },
  { name: "reads a private key", script: (lab) => `cat ${lab.home}/.ssh/id_ed25519 | sed s/SECRET/ESCAPED/` },
  {
    name: "lists the home folder",
    script: (lab) => `ls -A ${lab.home} | grep -E "ssh|bashrc" && echo ESCAPED`,
  },
  { name: "reads another project", script: (lab) => `cat ${lab.home}/code/other/file && echo ESCAPED` },
  { name: "reads a denied file", script: () => "cat .env | sed s/SECRET/ESCAPED/", options: withRules },
  {
    name: "reads a denied file in a folder",
    script: () => "cat deep/er/.env | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "reads a denied folder",
    script: () => "cat secrets/key | sed s/SECRET/ESCAPED/; ls secrets | grep key && echo ESCAPED",
    options: withRules,
  },
  {
    name: "reads a denied file by a link to it",
    script: () => "cat link-to-env | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "reads what a denied link leads to",
    script: () => "cat deep/real.txt | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "reads a denied file by its other name, a hard link",
    script: () => "cat hard-link | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "makes a link to what is hidden",
    script: (lab) =>
      `ln -s ${lab.dataDir}/token t; cat t | sed s/SECRET/ESCAPED/; ln ${lab.dataDir}/token t2 && echo ESCAPED`,
  },
  {
    name: "makes a hard link to a denied file",
    script: () =>
      "ln .env copy && cat copy | grep SECRET && echo ESCAPED; ln deep/er/../../.env copy2 && grep SECRET copy2 && echo ESCAPED",
    options: withRules,
  },
  {
    name: "moves the folder of a denied file",
    script: () => "mv deep moved; cat moved/er/.env | sed s/SECRET/ESCAPED/; mv moved deep",
    options: withRules,
  },
  {
    name: "moves a denied folder away",
    script: () => "mv secrets s2 && cat s2/key | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "copies the whole project",
    script: () => "cp -r . /tmp/all 2>/dev/null; grep -rl SECRET /tmp/all && echo ESCAPED",
    options: withRules,
  },
  {
    name: "reads through /proc/self/root",
    script: (lab) => `cat /proc/self/root${lab.dataDir}/token | sed s/SECRET/ESCAPED/`,
  },
  {
    name: "reads the environment of the daemon",
    script: () =>
      'cat /proc/*/environ 2>/dev/null | tr "\\\\0" "\\\\n" | grep OUTSIDE_SECRET && echo ESCAPED',
  },
  {
    name: "has a secret in its environment",
    script: () => "env | grep WALL_LAB_SECRET && echo ESCAPED",
    options: () => ({ env: { WALL_LAB_SECRET: "x", AWS_SECRET_ACCESS_KEY: "WALL_LAB_SECRET" } }),
  },
  {
    name: "reads what a revealed alias shows",
    script: (lab) => `cat ${lab.home}/alias/.env | sed s/SECRET/ESCAPED/`,
    options: (lab) => ({
      rules: RULES,
      session: {
        settings: {
          reveal: [`${lab.home}/alias`],
          writable: [],
          environment: [],
          network: "closed",
          hosts: [],
          services: [],
          presets: [],
          publish: false,
        },
      },
    }),
  },
];

const WRITES: readonly Escape[] = [
  {
    name: "writes into the system",
    script: (lab) => `echo x > ${lab.system}/written`,
    isOut: wrote("system/written"),
  },
  {
    name: "changes a file of the system",
    script: (lab) => `echo x >> ${lab.system}/readable`,
    isOut: changed("system/readable", "system\n"),
  },
  {
    name: "writes into the home folder",
    script: (lab) => `echo x > ${lab.home}/written; echo x >> ${lab.home}/.bashrc`,
    isOut: (lab) => wrote("home/ada/written")(lab) || changed("home/ada/.bashrc", "# mine\n")(lab),
  },
  {
    name: "adds a key to log in with",
    script: (lab) => `mkdir -p ${lab.home}/.ssh; echo x > ${lab.home}/.ssh/authorized_keys`,
    isOut: wrote("home/ada/.ssh/authorized_keys"),
  },
  {
    name: "writes rules",
    script: (lab) => `mkdir -p ${lab.configDir}; echo x >> ${lab.configDir}/permissions.toml`,
    isOut: changed("home/ada/.config/signalbox/permissions.toml", "# rules\n"),
  },
  {
    name: "writes the token",
    script: (lab) => `mkdir -p ${lab.dataDir}; echo x > ${lab.dataDir}/token`,
    isOut: changed("home/ada/.local/share/signalbox/token", "SECRET token\n"),
  },
  {
    name: "leaves a file in /tmp",
    script: () => "echo x > /tmp/sb-wall-escape",
    isOut: () => existsSync("/tmp/sb-wall-escape"),
  },
  {
    name: "leaves a file in /dev/shm",
    script: () => "echo x > /dev/shm/sb-wall-escape",
    isOut: () => existsSync("/dev/shm/sb-wall-escape"),
  },
  {
    name: "changes what a rule fixes",
    script: () =>
      "echo x > fixed.txt; rm -f fixed.txt; mv fixed.txt other; echo x > fixed/new; echo x > fixed/old; sed -i s/fixed/x/ fixed.txt",
    options: withRules,
    isOut: (lab) =>
      changed("home/ada/code/project/fixed.txt", "fixed\n")(lab) ||
      changed("home/ada/code/project/fixed/old", "fixed\n")(lab) ||
      wrote("home/ada/code/project/fixed/new")(lab),
  },
  {
    name: "changes a denied file",
    script: () => "echo x > .env; rm -f .env; mv .env e2",
    options: withRules,
    isOut: changed("home/ada/code/project/.env", "SECRET env\n"),
  },
  {
    name: "changes the project's rules",
    script: () => "echo x > .signalbox/permissions.toml; mv .signalbox s2; rm -rf .signalbox",
    isOut: changed("home/ada/code/project/.signalbox/permissions.toml", "# project\n"),
  },
  {
    name: "writes through a link that leads out",
    script: () => "echo x > out/through-link",
    isOut: wrote("system/through-link"),
  },
  {
    name: "writes through a link of its own",
    script: (lab) => `ln -s ${lab.system} mine; echo x > mine/through-own`,
    isOut: wrote("system/through-own"),
  },
  {
    name: "makes a hard link into the system",
    script: (lab) => `ln ${lab.system}/readable hl && echo x >> hl`,
    isOut: changed("system/readable", "system\n"),
  },
  {
    name: "writes to a device",
    script: () =>
      "for d in /dev/sd* /dev/vd* /dev/nvme* /dev/mem /dev/kmsg; do [ -e $d ] && echo ESCAPED; done",
  },
  { name: "makes a device", script: () => "mknod dev b 8 0 && echo ESCAPED" },
  {
    name: "changes settings of the kernel",
    script: () =>
      'for f in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness; do v=$(cat $f) && echo "$v" > $f && echo ESCAPED; done; : >> /proc/sysrq-trigger && echo ESCAPED; [ -w /sys/kernel/uevent_helper ] && echo ESCAPED',
  },
  {
    name: "makes a program that is another user",
    script: () =>
      'cp /bin/true su; chmod u+s su; chown 0:0 su; [ -n "$(cat /proc/self/status | grep NoNewPrivs: | grep 1)" ] || echo ESCAPED',
  },
];

const GIT: readonly Escape[] = [
  {
    name: "replaces .git",
    script: () => "mv .git .g2 && git init -q . && echo ESCAPED",
    isOut: wrote("home/ada/code/project/.g2"),
  },
  {
    name: "adds a hook",
    script: () => "echo '#!/bin/sh' > .git/hooks/pre-commit",
    isOut: wrote("home/ada/code/project/.git/hooks/pre-commit"),
  },
  { name: "moves hooks away", script: () => "mv .git/hooks .git/h2 && mkdir .git/hooks && echo ESCAPED" },
  {
    name: "sets a program in .git/config",
    script: () =>
      "git config core.fsmonitor /tmp/x; echo '[core]' >> .git/config; mv .git/config .git/c2; cp /dev/null .git/config",
    isOut: (lab) =>
      readFileSync(join(lab.project, ".git/config"), "utf8").includes("fsmonitor") ||
      wrote("home/ada/code/project/.git/c2")(lab),
  },
  {
    name: "replaces .git/config by rename",
    script: () => "cp .git/config c; echo '[core] fsmonitor = x' >> c; mv -f c .git/config && echo ESCAPED",
  },
  {
    name: "writes attributes",
    script: () => "echo '* filter=x' > .git/info/attributes",
    isOut: wrote("home/ada/code/project/.git/info/attributes"),
  },
  {
    name: "names another common directory",
    script: () =>
      "mkdir evil; cp -r .git/objects .git/refs .git/HEAD evil/; printf '[core]\\n\\tfsmonitor = touch FSMONITOR_RAN\\n' > evil/config; rm -f .git/commondir; echo ../evil > .git/commondir",
    isOut: (lab) => gitRan(lab),
  },
  {
    name: "adds a configuration of the worktree",
    script: () =>
      "echo '[core] fsmonitor = x' > .git/config.worktree; git config extensions.worktreeConfig true",
    isOut: (lab) => /worktreeConfig/i.test(readFileSync(join(lab.project, ".git/config"), "utf8")),
  },
  {
    name: "removes .git",
    script: () =>
      "rm -rf .git/refs .git/objects; rm -rf .git; rmdir .git && echo ESCAPED; ls .git/config >/dev/null || echo ESCAPED",
  },
  {
    name: "adds a hook to what is no repository any more",
    script: () => "echo '#!/bin/sh' > .git/hooks/pre-commit; echo '[core]' > .git/config",
    isOut: (lab) =>
      wrote("home/ada/code/project/.git/hooks/pre-commit")(lab) ||
      changed("home/ada/code/project/.git/config", gitConfig)(lab),
  },
];

/** Whether a person's next `git status` runs what an agent has left. */
function gitRan(lab: WallLab): boolean {
  execFileSync("git", ["status"], {
    cwd: lab.project,
    env: { ...process.env, HOME: lab.home },
    stdio: "ignore",
  });
  return existsSync(join(lab.project, "FSMONITOR_RAN"));
}

const inHome = (path: string) => `home/ada/${path}`;
const as = (harness: string) => (): RunOptions => ({ session: { harness } });
const SETTINGS: readonly Escape[] = [
  {
    name: "changes Claude's settings",
    script: () => "echo x > ~/.claude/settings.json; mv ~/.claude/settings.json ~/.claude/s2",
    options: as("claude"),
    isOut: changed(inHome(".claude/settings.json"), "{}\n"),
  },
  {
    name: "makes a hook of Claude's",
    script: () =>
      "mkdir -p ~/.claude/hooks ~/.claude/plugins; echo x > ~/.claude/hooks/h; echo x > ~/.claude/plugins/p",
    options: as("claude"),
    isOut: (lab) => wrote(inHome(".claude/hooks"))(lab) || wrote(inHome(".claude/plugins"))(lab),
  },
  {
    name: "makes local settings of Claude's",
    script: () => "echo x > ~/.claude/settings.local.json; echo x > ~/.claude/CLAUDE.md",
    options: as("claude"),
    isOut: (lab) =>
      wrote(inHome(".claude/settings.local.json"))(lab) || wrote(inHome(".claude/CLAUDE.md"))(lab),
  },
  {
    name: "adds an MCP server to Claude's",
    script: () => "echo '{\"mcpServers\":1}' > ~/.claude.json; mv ~/.claude.json ~/x",
    options: as("claude"),
    isOut: changed(inHome(".claude.json"), '{"a":1}\n'),
  },
  {
    name: "reads another project's conversation",
    script: () => "ls ~/.claude/projects | grep other && echo ESCAPED",
    options: as("claude"),
  },
  {
    name: "makes settings of Codex's",
    script: () =>
      "echo 'notify=[]' > ~/.codex/config.toml; mkdir -p ~/.codex/rules; echo x > ~/.codex/rules/r",
    options: as("codex"),
    isOut: (lab) => wrote(inHome(".codex/config.toml"))(lab) || wrote(inHome(".codex/rules"))(lab),
  },
  {
    name: "changes Gemini's settings",
    script: () => "echo x > ~/.gemini/settings.json; mkdir -p ~/.gemini/extensions/x",
    options: as("gemini"),
    isOut: (lab) =>
      changed(inHome(".gemini/settings.json"), "{}\n")(lab) || wrote(inHome(".gemini/extensions"))(lab),
  },
  {
    name: "makes a plugin of OpenCode's",
    script: () =>
      "mkdir -p ~/.config/opencode/plugin && echo x > ~/.config/opencode/plugin/p.js; mkdir -p ~/.opencode/plugin",
    options: as("opencode"),
    isOut: (lab) => wrote(inHome(".config/opencode/plugin"))(lab) || wrote(inHome(".opencode"))(lab),
  },
  {
    name: "changes a project's settings of an agent",
    script: () => "echo x > .claude/settings.json; mv .claude/settings.json x; rm -rf .claude",
    isOut: changed("home/ada/code/project/.claude/settings.json", "{}\n"),
  },
  {
    name: "sees an agent's login that it is not",
    script: () => "cat ~/.claude/.credentials.json | sed s/SECRET/ESCAPED/",
    options: as("gemini"),
  },
  {
    name: "changes shell start-up files where they are shown",
    script: () => "echo x >> ~/.bashrc; mv ~/.bashrc ~/b",
    options: as("terminal"),
    isOut: changed(inHome(".bashrc"), "# mine\n"),
  },
];

const PROCESSES: readonly Escape[] = [
  {
    name: "sees processes outside",
    script: () =>
      `ls /proc | grep -x ${process.pid} && grep -c vitest /proc/${process.pid}/cmdline && echo ESCAPED`,
  },
  {
    name: "kills a process outside",
    script: () => `kill -9 ${neighbour.pid}; kill -9 -1; true`,
    isOut: () => !isAlive(neighbour.pid ?? 0),
  },
  {
    name: "kills bubblewrap's parent",
    script: () => "kill -9 $PPID; kill -9 0; kill -9 1; true",
    isOut: () => !isAlive(neighbour.pid ?? 0),
  },
  { name: "traces a process outside", script: () => `cat /proc/${neighbour.pid}/maps && echo ESCAPED` },
  {
    name: "unmounts a mask",
    script: () =>
      "umount .env; umount -l .env; umount secrets; umount .git/hooks; umount -l .; cat .env secrets/key | sed s/SECRET/ESCAPED/",
    options: withRules,
  },
  {
    name: "mounts over or anew",
    script: (lab) =>
      `mount -o remount,rw / && echo ESCAPED; mount -o remount,rw ${lab.system} && echo ESCAPED; mount --bind ${lab.system} /tmp && echo ESCAPED; mount -t tmpfs x /tmp && echo ESCAPED`,
  },
  { name: "changes its root", script: () => "chroot / true && echo ESCAPED; pivot_root . . && echo ESCAPED" },
  { name: "makes a namespace to unmount in", script: () => "unshare -Urm true && echo ESCAPED" },
  {
    name: "makes a nested namespace where that is permitted, to unmount in",
    script: () =>
      "unshare -Urm sh -c 'umount -l .env; umount secrets; mount -o remount,rw /; cat .env secrets/key' | sed s/SECRET/ESCAPED/",
    options: () => ({ rules: RULES, session: { harness: "codex" } }),
  },
  {
    name: "writes to the system from a nested namespace",
    script: (lab) =>
      `unshare -Urm sh -c 'mount -o remount,rw,bind / ; mount -o remount,rw,bind ${lab.system}; echo x > ${lab.system}/nested'`,
    options: () => ({ session: { harness: "codex" } }),
    isOut: wrote("system/nested"),
  },
  {
    name: "has capabilities",
    script: () =>
      "grep -E 'Cap(Eff|Prm|Inh|Amb)' /proc/self/status | grep -v 0000000000000000 && echo ESCAPED",
  },
  {
    name: "enters the namespaces of a process outside",
    script: () =>
      `nsenter -t ${neighbour.pid} -m true && echo ESCAPED; nsenter -t 1 -m cat /etc/hostname >/dev/null && [ -e /proc/1/root/run/systemd ] && echo ESCAPED`,
  },
];

const SOCKETS: readonly Escape[] = [
  { name: "connects to a socket of the system", script: (lab) => connect(join(lab.system, "s")) },
  { name: "connects to the keeper's socket", script: (lab) => connect(join(lab.dataDir, "keeper.sock")) },
  {
    name: "finds D-Bus or Docker",
    script: () =>
      "ls /run/docker.sock /run/dbus /run/user/* /var/run/docker.sock 2>/dev/null | grep . && echo ESCAPED",
  },
  {
    name: "reaches the network where it is closed",
    script: () =>
      "ls /sys/class/net 2>/dev/null | cat >/dev/null; grep -v -E '^ *lo:|Inter|face' /proc/net/dev && echo ESCAPED",
  },
];

const ALL = { READS, WRITES, GIT, SETTINGS, PROCESSES, SOCKETS };

function furnish(made: WallLab): void {
  made.put("home/ada/code/other/file", "other\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, {
      cwd: made.project,
      env: { ...process.env, HOME: made.home },
      stdio: "ignore",
    });
  made.inProject("readme.txt", "hello\n");
  git("init", "-q");
  git("add", "readme.txt");
  git("commit", "-qm", "First");
  gitConfig = readFileSync(join(made.project, ".git/config"), "utf8");
  made.inProject(".env", "SECRET env\n");
  made.inProject("deep/er/.env", "SECRET deep env\n");
  made.inProject("deep/real.txt", "SECRET real\n");
  mkdirSync(join(made.project, "linked"));
  symlinkSync("../deep/real.txt", join(made.project, "linked/.env"));
  made.inProject("secrets/key", "SECRET key\n");
  made.inProject("fixed.txt", "fixed\n");
  made.inProject("fixed/old", "fixed\n");
  made.inProject(".signalbox/permissions.toml", "# project\n");
  made.inProject(".claude/settings.json", "{}\n");
  symlinkSync(".env", join(made.project, "link-to-env"));
  linkSync(join(made.project, ".env"), join(made.project, "hard-link"));
  symlinkSync(made.system, join(made.project, "out"));
  symlinkSync(made.project, join(made.home, "alias"));
  made.put(inHome(".claude/settings.json"), "{}\n");
  made.put(inHome(".claude/.credentials.json"), "SECRET login\n");
  made.put(inHome(".claude/projects/-other/a.jsonl"), "{}\n");
  made.put(inHome(".claude.json"), '{"a":1}\n');
  made.put(inHome(".gemini/settings.json"), "{}\n");
  mkdirSync(join(made.home, ".codex"));
}

describe.skipIf(CANNOT)("ways out", () => {
  beforeAll(async () => {
    lab = new WallLab();
    furnish(lab);
    server = createServer((connection) => connection.destroy());
    server.listen(join(lab.system, "s"));
    await once(server, "listening");
    writeFileSync(join(lab.dataDir, "keeper.sock"), "");
    neighbour = spawn("sleep", ["600"], { env: { OUTSIDE_SECRET: "x" }, stdio: "ignore" });
  });
  afterAll(() => {
    server.close();
    neighbour.kill("SIGKILL");
    lab.remove();
    console.log(`wall: ${tried} ways out tried, ${escaped} open`);
  });

  for (const [group, escapes] of Object.entries(ALL)) {
    describe(group.toLowerCase(), () => {
      test.each(escapes)("$name", async ({ script, options, isOut }) => {
        const { out, err, status } = await lab.inside(script(lab), options?.(lab));
        // It must have been tried: bubblewrap itself has not failed.
        expect(err).not.toMatch(/^bwrap:/m);
        tried += 1;
        const isOpen = out.includes("ESCAPED") || (isOut?.(lab) ?? false);
        if (isOpen) escaped += 1;
        expect({ isOpen, out, err, status }).toMatchObject({ isOpen: false });
      });
    });
  }

  test("each of them would be seen: without a wall the first ones are open", () => {
    const run = (script: string) =>
      execFileSync("/bin/bash", ["-c", script], {
        cwd: lab.project,
        encoding: "utf8",
        env: { PATH: process.env["PATH"], HOME: lab.home },
      });
    for (const { script, name } of READS.slice(0, 8))
      expect(`${name}: ${run(script(lab))}`).toMatch(/ESCAPED|SECRET/);
    expect(BACKEND).not.toBeNull();
  });
});
