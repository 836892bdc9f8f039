import { describe, expect, test } from "vitest";
import { parseRule, type Rule } from "../../../src/core/index.js";
import { HARNESSES } from "../../../src/harness/registry.js";
import { bubblewrapCommand, wallEnvironment, type Bubblewrap } from "../../../src/wall/bubblewrap.js";
import { compileWall, pathsToLookAt } from "../../../src/wall/compile.js";
import { harnessTable } from "../../../src/wall/harness-tables.js";
import { planAccess } from "../../../src/wall/plan-access.js";
import { seatbeltProfile } from "../../../src/wall/seatbelt.js";
import { TELEMETRY_HOSTS } from "../../../src/wall/known-hosts.js";
import {
  DEFAULT_WALL_SETTINGS,
  type Machine,
  type PathFact,
  type WallInput,
  type WallSession,
} from "../../../src/wall/wall-input.js";
import { wallLabels } from "../../../src/wall/labels.js";

const HOME = "/h/ada";
const CWD = "/h/ada/code/app";

const SESSION: WallSession = {
  cwd: CWD,
  harness: "codex",
  programs: ["/h/ada/.local/bin/codex"],
  dataDir: "/h/ada/.local/share/signalbox",
  configDir: "/h/ada/.config/signalbox",
  ownFiles: [
    {
      path: "/h/ada/.local/share/signalbox/runs/s.1/hooks",
      type: "file",
      isWritable: true,
      why: "its hooks",
    },
  ],
  sockets: [
    { path: "/run/signalbox/mcp.sock", from: "/h/ada/.local/share/signalbox/mcp/s.sock", why: "MCP" },
  ],
  networkDir: null,
  cacheDir: null,
  gitObjects: [],
  settings: { ...DEFAULT_WALL_SETTINGS, network: "open" },
};

const FOLDERS = [
  ...[
    "/tmp",
    "/var/tmp",
    "/run",
    "/root",
    CWD,
    `${HOME}/.cargo/bin`,
    `${HOME}/.codex`,
    `${HOME}/.codex/sessions`,
  ],
  ...[SESSION.dataDir, SESSION.configDir, `${CWD}/.signalbox`],
];
const FILES = [
  `${HOME}/.gitconfig`,
  `${HOME}/.codex/config.toml`,
  `${HOME}/.codex/auth.json`,
  SESSION.ownFiles[0]?.path ?? "",
];

function machine(more: Partial<Machine> = {}, links: Readonly<Record<string, PathFact>> = {}): Machine {
  const paths = new Map<string, PathFact | null>([
    ...FOLDERS.map((path) => [path, { real: path, type: "folder" }] as const),
    ...FILES.map((path) => [path, { real: path, type: "file" }] as const),
    [SESSION.sockets[0]?.from ?? "", { real: SESSION.sockets[0]?.from ?? "", type: "socket" }],
    [
      "/h/ada/.local/bin/codex",
      { real: "/h/ada/tools/node_modules/@openai/codex/bin/codex.js", type: "file" },
    ],
    ...Object.entries(links),
  ]);
  return {
    platform: "linux",
    uid: 1000,
    home: HOME,
    memoryBytes: 4 * 1024 ** 3,
    environment: {
      PATH: "/usr/bin:/h/ada/.cargo/bin",
      OPENAI_API_KEY: "k",
      AWS_SECRET_ACCESS_KEY: "s",
      LC_ALL: "C",
      MY_KEY: "m",
    },
    paths,
    settingsVariables: ["MY_KEY"],
    settingsUrls: ["http://127.0.0.1:4001/v1", "https://models.example.com/v1"],
    listening: ["/srv/db/socket", `${CWD}/dev.sock`],
    git: {
      gitDir: `${CWD}/.git`,
      commonDir: `${CWD}/.git`,
      gitFile: null,
      guarded: [
        { path: `${CWD}/.git/hooks`, type: "folder" },
        { path: `${CWD}/.git/config`, type: "file" },
      ],
      missing: [{ path: `${CWD}/.git/commondir`, type: "file", text: ".\n" }],
    },
    masks: [{ effect: "hidden", path: `${CWD}/.env`, type: "file", rule: "Read(.env)" }],
    maskGaps: [],
    ...more,
  };
}

function rule(effect: Rule["effect"], text: string): Rule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(parsed.message);
  const { category, pattern } = parsed;
  return { effect, category, pattern, text, origin: { file: null, line: null, kind: "global", root: null } };
}

const RULES = [
  rule("deny", "Read(.env)"),
  rule("deny", "Shell(git push *)"),
  rule("ask", "Write(package.json)"),
  rule("allow", "Web(a.b)"),
];
const INPUT: WallInput = { rules: RULES, session: SESSION, machine: machine() };

function plan(input: WallInput = INPUT) {
  const compiled = compileWall(input);
  if (!compiled.ok) throw new Error(compiled.reason);
  return compiled.plan;
}

const BACKEND: Bubblewrap = {
  program: "/usr/bin/bwrap",
  version: [0, 8, 0],
  env: "/usr/bin/env",
  uid: 1000,
  hasUserNamespaces: true,
  ...{ socat: "/usr/bin/socat", setsid: "/usr/bin/setsid", node: "/usr/bin/node" },
};

test("the folder of the agent's socket has a place of its own, and its socket is not hidden like others", () => {
  const folder = `${HOME}/.local/share/signalbox/agents/s.1`;
  const path = "/run/signalbox-agent";
  const why = "its socket";
  const own = { path: folder, inside: path, type: "folder", isWritable: false, why } as const;
  const { paths } = machine();
  const made = plan({
    rules: [],
    session: { ...SESSION, sockets: [], ownFiles: [own] },
    machine: machine({
      paths: new Map([...paths, [folder, { real: folder, type: "folder" }]]),
      listening: [
        `${folder}/mcp.sock`,
        `${HOME}/.local/share/signalbox/agents/s.2/mcp.sock`,
        "/srv/db/socket",
      ],
    }),
  });
  expect(made.readOnly.filter((entry) => entry.path.startsWith("/run"))).toEqual([
    { path, from: folder, type: "folder", why },
  ]);
  expect(made.hidden.filter((entry) => entry.type === "file").map((entry) => entry.path)).toEqual([
    `${CWD}/.env`,
    "/srv/db/socket",
  ]);
  const labels = wallLabels({ plan: made, noWallBecause: null, enforcement: "when-asked" });
  expect(labels.find(({ category }) => category === "sockets")?.sentence).toBe(
    "No socket of this machine is there beside the one by which the agent reaches Signalbox as itself, but for abstract ones, which go with the network.",
  );
});

test("the whole plan of a session", () => {
  expect(plan()).toEqual({
    cwd: CWD,
    home: HOME,
    scratch: [
      { path: HOME, sizeBytes: 1024 ** 3, why: "an empty home folder" },
      { path: "/run", sizeBytes: 2 * 1024 ** 3, why: "no sockets of this machine" },
      { path: "/tmp", sizeBytes: 2 * 1024 ** 3, why: "a private folder for a while" },
      { path: "/var/tmp", sizeBytes: 2 * 1024 ** 3, why: "a private folder for a while" },
    ],
    writable: [
      { path: `${HOME}/.codex/auth.json`, type: "file", why: "what the agent keeps" },
      { path: `${HOME}/.codex/sessions`, type: "folder", why: "what the agent keeps" },
      { path: `${HOME}/.local/share/signalbox/runs/s.1/hooks`, type: "file", why: "its hooks" },
      { path: CWD, type: "folder", why: "the session's folder" },
      { path: `${CWD}/.git`, type: "folder", why: "the repository, which cannot be moved away" },
    ],
    readOnly: [
      { path: `${HOME}/.cargo/bin`, type: "folder", why: "a tool, or its settings" },
      { path: `${HOME}/.codex/config.toml`, type: "file", why: "the agent's settings" },
      { path: `${HOME}/.gitconfig`, type: "file", why: "a tool, or its settings" },
      {
        path: `${HOME}/.local/bin/codex`,
        from: `${HOME}/tools/node_modules/@openai/codex/bin/codex.js`,
        type: "file",
        why: "the agent's program",
      },
      { path: `${CWD}/.git/commondir`, type: "file", why: "git runs programs for it" },
      { path: `${CWD}/.git/config`, type: "file", why: "git runs programs for it" },
      { path: `${CWD}/.git/hooks`, type: "folder", why: "git runs programs for it" },
      { path: `${CWD}/.signalbox`, type: "folder", why: "it runs or permits something, outside and later" },
      { path: `${HOME}/tools/node_modules`, type: "folder", why: "the agent's program" },
    ],
    hidden: [
      { path: `${HOME}/.local/share/signalbox`, type: "folder", why: "what Signalbox keeps" },
      { path: `${CWD}/.env`, type: "file", why: "a rule denies it", rule: "Read(.env)" },
      { path: "/root", type: "folder", why: "other people's folders" },
      { path: "/srv/db/socket", type: "file", why: "a socket of this machine" },
    ],
    copied: [],
    sockets: [
      { path: "/run/signalbox/mcp.sock", from: "/h/ada/.local/share/signalbox/mcp/s.sock", why: "MCP" },
    ],
    made: [{ path: `${CWD}/.git/commondir`, type: "file", text: ".\n", why: "git runs programs for it" }],
    environment: { keep: ["LC_ALL", "MY_KEY", "OPENAI_API_KEY", "PATH"], set: { HOME, TMPDIR: "/tmp" } },
    network: { mode: "open", hosts: [], services: [] },
    nestedNamespaces: true,
    gaps: [
      {
        rule: "Shell(git push *)",
        why: "what a command does cannot be seen from outside: it is judged when it is asked for",
      },
      {
        rule: "Write(package.json)",
        why: "nobody can be asked by a wall: it is judged when it is asked for",
      },
      {
        rule: "network",
        why: "every host, and every service of this machine that listens on a port or an abstract socket, can be reached",
      },
      { rule: ".git/config", why: "who replaces it from outside while the run goes on opens it to the run" },
      { rule: "Read", why: "a hidden file that is replaced from outside while the run goes on can be seen" },
    ],
  });
});

test("the same in the words of bubblewrap", () => {
  const { command, args } = bubblewrapCommand(
    plan(),
    { command: "codex", args: ["app-server"] },
    { backend: BACKEND, emptyFile: "/e" },
  );
  expect(command).toBe("/usr/bin/env");
  expect(args.join(" ").split(/ (?=--(?!default|ignore))/)).toEqual([
    "--ignore-signal=HUP,INT,QUIT,TERM,USR1,USR2 /usr/bin/bwrap",
    ...[
      "--cap-drop ALL",
      "--unshare-pid",
      "--unshare-ipc",
      "--unshare-uts",
      "--unshare-cgroup-try",
      "--unshare-user",
    ],
    ...["--die-with-parent", "--ro-bind / /", "--dev /dev", "--proc /proc"],
    ...["--perms 0555", "--tmpfs /root", "--perms 1777", `--size ${2 * 1024 ** 3}`, "--tmpfs /run"],
    ...["--perms 1777", `--size ${2 * 1024 ** 3}`, "--tmpfs /tmp"],
    ...["--perms 0700", `--size ${1024 ** 3}`, `--tmpfs ${HOME}`],
    ...["--perms 1777", `--size ${2 * 1024 ** 3}`, "--tmpfs /var/tmp"],
    `--ro-bind ${HOME}/.gitconfig ${HOME}/.gitconfig`,
    "--ro-bind /h/ada/.local/share/signalbox/mcp/s.sock /run/signalbox/mcp.sock",
    "--ro-bind /e /srv/db/socket",
    `--ro-bind ${HOME}/.cargo/bin ${HOME}/.cargo/bin`,
    `--bind ${HOME}/.codex/auth.json ${HOME}/.codex/auth.json`,
    `--ro-bind ${HOME}/.codex/config.toml ${HOME}/.codex/config.toml`,
    `--bind ${HOME}/.codex/sessions ${HOME}/.codex/sessions`,
    `--bind ${CWD} ${CWD}`,
    `--ro-bind ${HOME}/tools/node_modules ${HOME}/tools/node_modules`,
    `--ro-bind ${HOME}/tools/node_modules/@openai/codex/bin/codex.js ${HOME}/.local/bin/codex`,
    ...["--perms 0555", `--tmpfs ${HOME}/.local/share/signalbox`],
    `--ro-bind /e ${CWD}/.env`,
    `--bind ${CWD}/.git ${CWD}/.git`,
    `--ro-bind ${CWD}/.signalbox ${CWD}/.signalbox`,
    `--ro-bind ${CWD}/.git/commondir ${CWD}/.git/commondir`,
    `--ro-bind ${CWD}/.git/config ${CWD}/.git/config`,
    `--ro-bind ${CWD}/.git/hooks ${CWD}/.git/hooks`,
    `--bind ${HOME}/.local/share/signalbox/runs/s.1/hooks ${HOME}/.local/share/signalbox/runs/s.1/hooks`,
    `--remount-ro ${HOME}/.local/share/signalbox`,
    "--remount-ro /root",
    `--chdir ${CWD}`,
    "-- /usr/bin/env --default-signal=HUP,INT,QUIT,TERM,USR1,USR2 codex app-server",
  ]);
});

describe("namespaces", () => {
  const flags = (harness: string, backend: Partial<Bubblewrap>, network: "open" | "closed" = "open") => {
    const settings = { ...DEFAULT_WALL_SETTINGS, network };
    const made = plan({ ...INPUT, session: { ...SESSION, harness, settings } });
    const { args } = bubblewrapCommand(
      made,
      { command: "a", args: [] },
      { backend: { ...BACKEND, ...backend }, emptyFile: "/e" },
    );
    return args.slice(2, args.indexOf("--die-with-parent")).join(" ");
  };
  const usual = "--cap-drop ALL --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try";

  test("nobody but Codex makes more of them", () => {
    expect(flags("gemini", {})).toBe(`${usual} --unshare-user --disable-userns`);
    expect(flags("codex", {})).toBe(`${usual} --unshare-user`);
    expect(flags("gemini", { version: [0, 6, 1] })).toBe(`${usual} --unshare-user`);
  });
  test("root may do without one of users, and needs a capability for one inside", () => {
    expect(flags("gemini", { uid: 0, hasUserNamespaces: false })).toBe(usual);
    expect(flags("codex", { uid: 0 })).toBe(
      usual.replace("ALL", "ALL --cap-add CAP_SETFCAP") + " --unshare-user",
    );
  });
  test("a closed network is one of its own", () => {
    expect(flags("gemini", {}, "closed")).toBe(`${usual} --unshare-user --disable-userns --unshare-net`);
  });
});

describe("a network that is limited to a list", () => {
  const settings = {
    ...DEFAULT_WALL_SETTINGS,
    network: "listed",
    hosts: ["*.example.org", "api.openai.com:8443"],
    services: ["localhost:5432", "10.0.0.5:6379"],
    presets: ["pypi"],
  } as const;
  const listed = (rules: readonly Rule[], more: Partial<WallSession> = {}) =>
    plan({ ...INPUT, rules, session: { ...SESSION, settings, networkDir: "/d/proxy/s1", ...more } });

  test("hosts of the agent, of settings, presets and rules; where models are; services", () => {
    const rules = [
      rule("allow", "Web(docs.example.com)"),
      rule("allow", "Web(a.bad.test)"),
      rule("deny", "Web(*.bad.test)"),
    ];
    expect(listed(rules).network).toEqual({
      mode: "listed",
      hosts: [
        ...["*.example.org", "api.openai.com", "api.openai.com:8443", "auth.openai.com", "chatgpt.com"],
        ...["docs.example.com:*", "files.pythonhosted.org", "models.example.com:443", "pypi.org"],
      ],
      services: ["10.0.0.5:6379", "127.0.0.1:4001", "localhost:5432"],
      denied: ["*.bad.test:*", ...TELEMETRY_HOSTS.map((host) => `${host}:*`)],
      proxy: { from: "/d/proxy/s1", path: "/run/signalbox/network", port: 19_080 },
      publish: true,
    });
  });

  test("a wide deny is not about the model; one by name is; an ask takes an allow away", () => {
    expect(listed([rule("deny", "Web")]).network.hosts).toContain("api.openai.com");
    expect(listed([rule("deny", "Web(api.openai.com)")]).network.hosts).not.toContain("api.openai.com");
    const both = [rule("allow", "Web(x.test)"), rule("ask", "Web(*.test)")];
    expect(listed(both).network.hosts).not.toContain("x.test:*");
  });

  test("the way there is in the environment", () => {
    const url = "http://127.0.0.1:19080";
    const { environment, gaps } = listed([rule("deny", "Web(*.bad.test)")]);
    expect(environment.set).toEqual({
      ...{ HOME, TMPDIR: "/tmp", NODE_USE_ENV_PROXY: "1" },
      ...{ HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: "localhost,127.0.0.1,::1" },
      ...{ http_proxy: url, https_proxy: url, all_proxy: url, no_proxy: "localhost,127.0.0.1,::1" },
    });
    expect(gaps.filter(({ rule: text }) => text.startsWith("Web") || text === "network")).toEqual([
      {
        rule: "network",
        why: "what is said to a listed host is not looked at: one that forwards leads further",
      },
    ]);
  });

  test("in the words of bubblewrap: a network of its own, the sockets, and what listens inside", () => {
    const { args } = bubblewrapCommand(
      listed([]),
      { command: "codex", args: ["app-server"] },
      { backend: BACKEND, emptyFile: "/e" },
    );
    expect(args).toContain("--unshare-net");
    expect(args.join(" ")).toContain("--ro-bind /d/proxy/s1 /run/signalbox/network");
    const [shell, dashC, script = "", name, ...agent] = args.slice(args.indexOf("--") + 1);
    expect([shell, dashC, name, ...agent.slice(2)]).toEqual(["/bin/sh", "-c", "sh", "codex", "app-server"]);
    const how = "fork,reuseaddr,backlog=256,max-children=600";
    const started = script.split("\n").filter((line) => line.startsWith("("));
    // What leads back; its variables are not the agent's.
    expect(started.pop()).toMatch(
      /^\(BACK='\/run\/signalbox\/network\/publish' SOCAT='\/usr\/bin\/socat' ORDERS='.*' BRING='.*' '\/usr\/bin\/setsid' '\/bin\/sh' '-c' /,
    );
    expect(started).toEqual(
      [
        ["127.0.0.1", 19_080, "http"],
        ["127.0.0.1", 4001, "127.0.0.1-4001"],
        ["127.0.0.1", 5432, "localhost-5432"],
      ].map(
        ([host, port, socket]) =>
          `('/usr/bin/setsid' '/usr/bin/socat' '-t' '600' 'TCP4-LISTEN:${port},bind=${host},${how}' 'UNIX-CONNECT:/run/signalbox/network/${socket}' </dev/null >/dev/null 2>&1 &)`,
      ),
    );
  });

  test("a plan that is only shown has no way there, and cannot be run", () => {
    const shown = listed([], { networkDir: null });
    expect(shown.environment.set).toEqual({ HOME, TMPDIR: "/tmp" });
    expect(() =>
      bubblewrapCommand(shown, { command: "a", args: [] }, { backend: BACKEND, emptyFile: "/e" }),
    ).toThrow("no way to the hosts");
  });

  test("a port that a service has is not the proxy's", () => {
    const made = listed([], { settings: { ...settings, services: ["127.0.0.1:19080"] } });
    expect(made.network.proxy?.port).toBe(19_081);
  });
});

test("values of the environment are in no plan, and only those that are kept reach the run", () => {
  expect(JSON.stringify(plan())).not.toMatch(/"(?:k|s|m)"/);
  const env = wallEnvironment(plan(), {
    PATH: "/usr/bin",
    OPENAI_API_KEY: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    HOME: "/x",
  });
  expect(env).toEqual({ PATH: "/usr/bin", OPENAI_API_KEY: "k", HOME, TMPDIR: "/tmp" });
});

test("an agent's databases are in the project's cache where there is one, whatever the person's own are", () => {
  const environment = { ...INPUT.machine.environment, CODEX_SQLITE_HOME: "/elsewhere" };
  const own = plan({ ...INPUT, session: { ...SESSION, cacheDir: "/c" }, machine: machine({ environment }) });
  expect(own.environment.set["CODEX_SQLITE_HOME"]).toBe(`${HOME}/.cache/codex`);
  expect(own.writable.find(({ path }) => path === `${HOME}/.cache`)?.from).toBe("/c/cache");
  expect(plan().environment.set).not.toHaveProperty("CODEX_SQLITE_HOME");
});

test("the same input gives the same plan, in whatever order facts were found", () => {
  const reversed = new Map([...INPUT.machine.paths].reverse());
  expect(plan({ ...INPUT, machine: machine({ paths: reversed }) })).toEqual(plan());
});

test("every path that a plan is made of was looked at", () => {
  const looked = new Set(
    pathsToLookAt(SESSION, { cwd: CWD, home: HOME, environment: INPUT.machine.environment }),
  );
  const { writable, readOnly } = plan();
  const fromFacts = [...writable, ...readOnly]
    .map(({ path }) => path)
    .filter((path) => !path.includes("/.git/") && !path.endsWith("/.git"));
  expect(fromFacts.filter((path) => !looked.has(path) && !path.includes("node_modules"))).toEqual([]);
});

describe("harnesses", () => {
  test.each(HARNESSES.map(({ name }) => name))(
    "%s has a table, with settings that are never writable",
    (name) => {
      const table = harnessTable(name);
      for (const { places } of table.roots)
        for (const { path, access } of places)
          if (/settings|config|hook|plugin|mcp-config|extension|skills|commands|agents/i.test(path))
            expect(`${path} ${access}`).toMatch(/ (?:readOnly|copied)$/);
    },
  );
  test("one that nobody knows has nothing", () => {
    expect(harnessTable("constructor").roots).toEqual([]);
    expect(harnessTable("my-agent").roots).toEqual([]);
  });
});

test("what the daemon does for an agent is held against the plan", () => {
  const access = (path: string) => planAccess(plan(), path).access;
  expect(access(`${CWD}/src/a.ts`)).toBe("writable");
  expect(access(`${CWD}/.git/config`)).toBe("readOnly");
  expect(planAccess(plan(), `${CWD}/.env`)).toEqual({
    access: "hidden",
    entry: `${CWD}/.env`,
    why: "a rule denies it",
    rule: "Read(.env)",
  });
  expect(access(`${HOME}/.ssh/id`)).toBe("private");
  expect(access("/tmp/x")).toBe("private");
  expect(access(`${SESSION.dataDir}/token`)).toBe("hidden");
  expect(access("/etc/hosts")).toBe("readOnly");
  expect(access(`${CWD}.other/x`)).toBe("private");
});

test("Seatbelt's profile, which nobody has run", () => {
  expect(seatbeltProfile(plan(), "/private/tmp/s1")).toBe(`(version 1)
(deny default)
(import "system.sb")
(allow process-fork process-exec)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow pseudo-tty)
(allow file-read*)
(deny file-write*)
(allow file-write* (subpath "/dev"))
(allow network*)
(deny file-read* file-write* (subpath "/root"))
(deny file-read* file-write* (subpath "/run"))
(deny network-outbound (subpath "/run"))
(deny file-read* file-write* (subpath "/tmp"))
(deny network-outbound (subpath "/tmp"))
(deny file-read* file-write* (subpath "/h/ada"))
(deny network-outbound (subpath "/h/ada"))
(deny file-read* file-write* (subpath "/var/tmp"))
(deny network-outbound (subpath "/var/tmp"))
(allow file-read* (literal "/h/ada/.gitconfig"))
(deny file-write* (literal "/h/ada/.gitconfig"))
(allow file-read* file-write* (subpath "/private/tmp/s1"))
(deny file-read* file-write* (literal "/srv/db/socket"))
(allow file-read* (subpath "/h/ada/.cargo/bin"))
(deny file-write* (subpath "/h/ada/.cargo/bin"))
(allow file-read* file-write* (literal "/h/ada/.codex/auth.json"))
(allow file-read* (literal "/h/ada/.codex/config.toml"))
(deny file-write* (literal "/h/ada/.codex/config.toml"))
(allow file-read* file-write* (subpath "/h/ada/.codex/sessions"))
(allow file-read* file-write* (subpath "/h/ada/code/app"))
(allow file-read* (subpath "/h/ada/tools/node_modules"))
(deny file-write* (subpath "/h/ada/tools/node_modules"))
(allow file-read* (literal "/h/ada/.local/bin/codex"))
(deny file-write* (literal "/h/ada/.local/bin/codex"))
(deny file-read* file-write* (subpath "/h/ada/.local/share/signalbox"))
(deny file-read* file-write* (literal "/h/ada/code/app/.env"))
(allow file-read* file-write* (subpath "/h/ada/code/app/.git"))
(allow file-read* (subpath "/h/ada/code/app/.signalbox"))
(deny file-write* (subpath "/h/ada/code/app/.signalbox"))
(allow file-read* (literal "/h/ada/code/app/.git/commondir"))
(deny file-write* (literal "/h/ada/code/app/.git/commondir"))
(allow file-read* (literal "/h/ada/code/app/.git/config"))
(deny file-write* (literal "/h/ada/code/app/.git/config"))
(allow file-read* (subpath "/h/ada/code/app/.git/hooks"))
(deny file-write* (subpath "/h/ada/code/app/.git/hooks"))
(allow file-read* network-outbound (literal "/h/ada/.local/share/signalbox/mcp/s.sock"))
(allow file-read* file-write* (literal "/h/ada/.local/share/signalbox/runs/s.1/hooks"))
(deny file-write-unlink (literal "/h/ada/code/app/.git"))
`);
});

describe("labels", () => {
  const holds = (labels: ReturnType<typeof wallLabels>) =>
    Object.fromEntries(labels.map(({ category, holds: how }) => [category, how]));

  test("inside a wall", () => {
    const labels = wallLabels({ plan: plan(), noWallBecause: null, enforcement: "when-asked" });
    expect(holds(labels)).toEqual({
      ...{ read: "walled", write: "walled", processes: "walled", sockets: "walled" },
      ...{ network: "when-asked", commands: "when-asked" },
    });
    expect(labels[1]?.sentence).toBe(
      "Only the session's folder can be changed, and 3 other places; settings of agents, hooks of git and rules cannot.",
    );
  });
  test("without one", () => {
    const labels = wallLabels({
      plan: null,
      noWallBecause: "bubblewrap is not installed.",
      enforcement: "none",
    });
    expect(new Set(Object.values(holds(labels)))).toEqual(new Set(["none"]));
    expect(labels[2]?.sentence).toBe(
      "There is no wall: bubblewrap is not installed. Programs that the agent starts may do whatever you may.",
    );
  });
});
