/**
 * The plan of a wall: a pure function of rules, session and machine.
 *
 * Outside of the home folder the system is readable, and nothing of it writable. The home folder is empty but for what is
 * listed here. Whatever is not certain makes the wall narrower, or is a refusal.
 */
import type { Rule } from "../core/index.js";
import type { WallEntry, WallNetwork, WallPlan } from "../protocol/wall.js";
import { compileNetwork, proxyVariables } from "./compile-network.js";
import {
  harnessTable,
  KEPT_BY_AGENT,
  placePath,
  PROJECT_SETTINGS,
  rootFolder,
  type HarnessTable,
  type Place,
} from "./harness-tables.js";
import { keptVariables } from "./kept-variables.js";
import {
  byDepth,
  byText,
  coveringLayer,
  hostPath,
  isBelow,
  isWithin,
  layerBelow,
  namesInside,
  type Layer,
} from "./layers.js";
import { CACHES, SHELL_FILES, toolchainPaths } from "./toolchains.js";
import type { Machine, PathFact, WallInput, WallRefusal, WallSession } from "./wall-input.js";

export type CompiledWall = { readonly ok: true; readonly plan: WallPlan } | WallRefusal;

const GIB = 1024 ** 3;
const TMP_BYTES_MAX = 4 * GIB;
const HOME_BYTES_MAX = GIB;
/** Where everybody's folders are. */
const FOLDERS_OF_PEOPLE = ["/home", "/root", "/Users"];
/** No project, and too much to hand over. */
const SYSTEM_FOLDERS = [
  "/",
  "/bin",
  "/boot",
  "/etc",
  "/lib",
  "/lib64",
  "/opt",
  "/sbin",
  "/srv",
  "/tmp",
  "/usr",
  "/var",
];
const KERNEL_FOLDERS = ["/dev", "/proc", "/run", "/sys"];
/** What lies in `/run` and is no socket: who is asked for names, and where some systems keep their programs. */
const SHOWN_OF_RUN = ["/etc/resolv.conf", "/run/current-system", "/run/opengl-driver"];
const SOCKETS_HIDDEN_MAX = 100;

/** Every path that a plan depends on. `cwd` and `home` are real. */
export function pathsToLookAt(
  session: WallSession,
  { cwd, home, environment }: Pick<Machine, "home" | "environment"> & { readonly cwd: string },
): readonly string[] {
  const places = harnessPlaces(session, { cwd, home, environment }).flatMap(({ path }) => [
    ...foldersAbove(path, home),
    path,
  ]);
  const runtimeDir = environment["XDG_RUNTIME_DIR"];
  return [
    session.cwd,
    cwd,
    ...FOLDERS_OF_PEOPLE,
    ...SHOWN_OF_RUN,
    ...["/tmp", "/var/tmp", "/run", session.dataDir, session.configDir, ...session.programs],
    ...(runtimeDir?.startsWith("/") ? [runtimeDir] : []),
    ...session.ownFiles.map(({ path }) => path),
    ...session.sockets.map(({ from }) => from),
    ...session.gitObjects,
    ...[...session.settings.reveal, ...session.settings.writable].map((path) => fromHome(path, home)),
    ...toolchainPaths(home, environment),
    ...SHELL_FILES.map((name) => `${home}/${name}`),
    ...places,
    ...heldInProject().map((name) => `${cwd}/${name}`),
    ...CACHES.map((name) => `${home}/${name}`),
  ];
}

export function compileWall(input: WallInput): CompiledWall {
  const { session, machine } = input;
  const folder = machine.paths.get(session.cwd);
  if (folder?.type !== "folder")
    return refusal("folder_missing", `The session's folder ${session.cwd} is not there, or is no folder.`);
  const cwd = folder.real;
  const problem = widthProblem(cwd, session, machine) ?? inputProblem(session);
  if (problem) return problem;
  const compiler = new Compiler(input, cwd);
  return compiler.plan();
}

function refusal(code: WallRefusal["code"], reason: string): WallRefusal {
  return { ok: false, code, reason };
}

/** A folder that is handed over must not hold what the wall is there to keep. */
function widthProblem(cwd: string, session: WallSession, { home, paths }: Machine): WallRefusal | null {
  const tooWide = (what: string) =>
    refusal(
      "folder_too_wide",
      `The session's folder ${cwd} ${what}: no wall can stand around that. Use a folder of its own.`,
    );
  if (cwd === home) return tooWide("is your home folder itself");
  if (isWithin(home, cwd)) return tooWide("holds your home folder");
  if (SYSTEM_FOLDERS.includes(cwd) || FOLDERS_OF_PEOPLE.includes(cwd))
    return tooWide("is a folder of the system");
  if (KERNEL_FOLDERS.some((folder) => isWithin(cwd, folder))) return tooWide("is a folder of the system");
  const own = [session.dataDir, session.configDir].map((path) => paths.get(path)?.real ?? path);
  if (own.includes(cwd) || isWithin(cwd, own[1] ?? "/")) return tooWide("is a folder of Signalbox");
  return null;
}

function inputProblem({ settings }: WallSession): WallRefusal | null {
  const relative = [...settings.reveal, ...settings.writable].find((path) => !/^(?:\/|~(?:\/|$))/.test(path));
  if (relative === undefined) return null;
  return refusal("not_applicable", `[wall] names ${relative}: a path there is absolute, or begins with ~/.`);
}

function fromHome(path: string, home: string): string {
  const whole = path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
  return whole.replace(/(?<=.)\/+$/, "");
}

/** From the home folder down to where a path is, without either; none for one that is elsewhere. */
function foldersAbove(path: string, home: string): readonly string[] {
  if (!isWithin(path, home)) return [];
  const names = path
    .slice(home.length + 1)
    .split("/")
    .slice(0, -1);
  return names.map((_, index) => [home, ...names.slice(0, index + 1)].join("/"));
}

function heldInProject(): readonly string[] {
  return [".signalbox", ...PROJECT_SETTINGS, ...SHELL_FILES];
}

interface HarnessPlace {
  readonly place: Place;
  readonly root: string;
  readonly path: string;
}

function harnessPlaces(
  session: WallSession,
  { cwd, home, environment }: Pick<Machine, "home" | "environment"> & { readonly cwd: string },
): readonly HarnessPlace[] {
  return harnessTable(session.harness).roots.flatMap((each) => {
    const root = rootFolder(each, home, environment);
    return each.places.map((place) => ({ place, root, path: placePath(place, root, cwd) }));
  });
}

class Compiler {
  private readonly session: WallSession;
  private readonly machine: Machine;
  private layers: Layer[] = [];
  private readonly made: WallPlan["made"] = [];
  private readonly gaps: WallPlan["gaps"] = [];

  constructor(
    private readonly input: WallInput,
    private readonly cwd: string,
  ) {
    this.session = input.session;
    this.machine = input.machine;
  }

  plan(): CompiledWall {
    this.empty();
    this.showProject();
    const problem = this.showSettings() ?? this.showSockets();
    if (problem) return problem;
    this.showTools();
    this.showHarness();
    this.showOwn();
    this.holdGit();
    this.holdProject();
    this.holdSockets();
    return this.holdRules() ?? { ok: true, plan: this.finish() };
  }

  private fact(path: string): PathFact | null {
    return this.machine.paths.get(path) ?? null;
  }

  private put(layer: Layer): void {
    this.layers.push(layer);
  }

  /** What is not there unless something below shows it. */
  private empty(): void {
    const { home, environment } = this.machine;
    const scratch = (path: string, why: string) =>
      this.put({ kind: "scratch", path, from: path, type: "folder", why });
    const hide = (path: string, why: string) => {
      const fact = this.fact(path);
      if (fact?.type === "folder")
        this.put({ kind: "hidden", path: fact.real, from: fact.real, type: "folder", why });
    };
    for (const folder of FOLDERS_OF_PEOPLE) if (folder !== home) hide(folder, "other people's folders");
    hide(this.session.dataDir, "what Signalbox keeps");
    hide(this.session.configDir, "Signalbox's rules and settings");
    scratch(home, "an empty home folder");
    for (const path of ["/tmp", "/var/tmp"])
      if (this.fact(path)?.real === path) scratch(path, "a private folder for a while");
    scratch("/run", "no sockets of this machine");
    const runtimeDir = this.fact(environment["XDG_RUNTIME_DIR"] ?? "")?.real;
    if (runtimeDir !== undefined && !isWithin(runtimeDir, "/run"))
      hide(runtimeDir, "no sockets of this machine");
  }

  /** So that something can be seen, unless it already is. */
  private show(path: string, fact: PathFact, why: string): void {
    if (fact.type !== "file" && fact.type !== "folder") return;
    if (hostPath(this.layers, path) === fact.real) return;
    this.mount({ kind: "readOnly", path, from: fact.real, type: fact.type, why });
  }

  /** Upon an empty folder a place to mount is made inside; upon one of this machine it must be there. */
  private mount(layer: Layer): void {
    const below = layerBelow(this.layers, layer);
    const host = hostPath(below ? [below] : [], layer.path);
    const isReplaced = this.layers.some(({ path }) => path === layer.path);
    if (host === null || isReplaced || this.isPlain(host))
      this.layers = [...this.layers.filter(({ path }) => path !== layer.path), layer];
    else if (this.isOwnCache(host)) {
      this.made.push({ path: host, type: layer.type, why: "a place to mount in Signalbox's own cache" });
      this.put(layer);
    } else this.gaps.push({ rule: layer.path, why: "there is no place to mount it, so it is not shown" });
  }

  /** There, and no link: what is mounted upon a link would be mounted upon what it leads to. */
  private isPlain(host: string): boolean {
    const fact = this.fact(host);
    return fact !== null && fact.real === host;
  }

  private isOwnCache(host: string): boolean {
    return this.session.cacheDir !== null && isWithin(host, this.session.cacheDir);
  }

  private showProject(): void {
    const { git } = this.machine;
    const { cwd } = this;
    this.put({ kind: "writable", path: cwd, from: cwd, type: "folder", why: "the session's folder" });
    if (!git) return;
    // Otherwise git would take everything around the session's folder for deleted.
    const around =
      git.gitFile === null && !isWithin(git.gitDir, cwd) ? git.gitDir.replace(/\/[^/]*$/, "") : null;
    if (around !== null && isBelow(cwd, around))
      this.put({
        kind: "readOnly",
        path: around,
        from: around,
        type: "folder",
        why: "the repository around the session's folder",
      });
    for (const path of new Set([git.commonDir, git.gitDir]))
      this.put({
        kind: "writable",
        path,
        from: path,
        type: "folder",
        why: "the repository, which cannot be moved away",
      });
    for (const path of this.session.gitObjects) {
      const fact = this.fact(path);
      if (fact) this.show(path, fact, "objects of the repository that the workspace was made from");
    }
  }

  private showTools(): void {
    const { home, environment } = this.machine;
    const { cacheDir, harness } = this.session;
    if (cacheDir !== null) {
      for (const name of CACHES) {
        const from = `${cacheDir}/${name.replace(/^\./, "").replaceAll("/", "-")}`;
        this.made.push({ path: from, type: "folder", why: "the project's own package cache" });
        this.mount({
          kind: "writable",
          path: `${home}/${name}`,
          from,
          type: "folder",
          why: "the project's own package cache",
        });
      }
    }
    const shellFiles = harnessTable(harness).shellFiles ? SHELL_FILES.map((name) => `${home}/${name}`) : [];
    const paths = [...toolchainPaths(home, environment), ...shellFiles];
    for (const path of [...paths].sort((one, other) => byDepth({ path: one }, { path: other }))) {
      const fact = this.fact(path);
      // One that leads out of the home folder, to the system, is shown as what it is; one that leads to all of it, not.
      if (fact && !isWithin(home, fact.real)) this.show(path, fact, "a tool, or its settings");
    }
    for (const path of SHOWN_OF_RUN) {
      const fact = this.fact(path);
      if (!fact) continue;
      const seen = path.startsWith("/run/") ? path : fact.real;
      this.show(seen, fact, "a part of the system");
    }
    for (const path of this.session.programs) this.showProgram(path);
  }

  /** With the package that it is a part of. */
  private showProgram(path: string): void {
    const fact = this.fact(path);
    if (!fact) return;
    const packages = /^(.*?\/node_modules)\//.exec(fact.real)?.[1];
    const venv = fact.real.replace(/\/[^/]+\/[^/]+$/, "");
    const whole = packages ?? (venv !== "" && this.machine.paths.get(`${venv}/pyvenv.cfg`) ? venv : null);
    const why = "the agent's program";
    if (whole !== null && !isWithin(this.machine.home, whole))
      this.show(whole, { real: whole, type: "folder" }, why);
    this.show(fact.real, fact, why);
    this.show(path, fact, why);
  }

  private showHarness(): void {
    const { home } = this.machine;
    const places = harnessPlaces(this.session, { ...this.machine, cwd: this.cwd });
    for (const root of new Set(places.map((each) => each.root))) {
      // Moved to somewhere else by a variable: as empty as the one in the home folder would be.
      const real = this.fact(root)?.real ?? root;
      const isShared = real === home || isWithin(this.cwd, real) || isWithin(home, real);
      if (!isWithin(real, home) && !isShared)
        this.put({
          kind: "scratch",
          path: real,
          from: real,
          type: "folder",
          why: "the agent's folder, empty but for what is named",
        });
    }
    for (const { place, path } of places) this.showPlace(place, path);
  }

  private showPlace(place: Place, path: string): void {
    const { access, type } = place;
    const why = KEPT_BY_AGENT;
    const fact = this.fact(path);
    if (!fact) {
      if (access !== "made") return;
      // Each one that is missing: what was made goes again when it stays empty.
      for (const folder of foldersAbove(path, this.machine.home))
        if (!this.fact(folder)) this.made.push({ path: folder, type: "folder", why });
      this.made.push({ path, type, why });
      this.mountNew({ kind: "writable", path, from: path, type, why });
      return;
    }
    if (fact.type !== type || isWithin(this.machine.home, fact.real) || isWithin(this.cwd, fact.real)) {
      this.gaps.push({ rule: path, why: "it is something else than the agent's own, so it is not shown" });
      return;
    }
    // What is shown as a whole needs no copy of a part.
    if (access === "copied" && hostPath(this.layers, path) !== null) return;
    const kind = access === "made" ? "writable" : access;
    this.mount({
      kind,
      path,
      from: fact.real,
      type,
      why: access === "readOnly" ? "the agent's settings" : why,
    });
  }

  /** What is about to be made on this machine is a place to mount, too. */
  private mountNew(layer: Layer): void {
    this.layers = [...this.layers.filter(({ path }) => path !== layer.path), layer];
  }

  private showSettings(): WallRefusal | null {
    const { reveal, writable } = this.session.settings;
    const { home } = this.machine;
    const named = [
      ...reveal.map((text) => ({ kind: "readOnly", text }) as const),
      ...writable.map((text) => ({ kind: "writable", text }) as const),
    ];
    for (const { kind, text } of named) {
      const why = `[wall] ${kind === "readOnly" ? "reveal" : "writable"}`;
      const path = fromHome(text, home);
      const fact = this.fact(path);
      if (!fact || (fact.type !== "file" && fact.type !== "folder")) {
        this.gaps.push({ rule: text, why: `${why} names it, but it is not there` });
        continue;
      }
      if (isWithin(home, fact.real) || (kind === "writable" && SYSTEM_FOLDERS.includes(fact.real)))
        return refusal(
          "not_applicable",
          `${why} names ${text}, which would open everything: name what is needed.`,
        );
      if (kind === "readOnly") this.show(path, fact, why);
      else this.mount({ kind, path, from: fact.real, type: fact.type, why });
    }
    return null;
  }

  private showOwn(): void {
    for (const { path, inside = path, type, isWritable, why } of this.session.ownFiles) {
      const fact = this.fact(path);
      if (fact?.type !== type) continue;
      this.mount({ kind: isWritable ? "writable" : "readOnly", path: inside, from: fact.real, type, why });
    }
  }

  private showSockets(): WallRefusal | null {
    for (const { path, from, why } of this.session.sockets) {
      const fact = this.fact(from);
      if (fact?.type !== "socket")
        return refusal("not_applicable", `There is no socket at ${from}, which the run needs.`);
      if (hostPath(this.layers, path) !== null)
        return refusal(
          "not_applicable",
          `The socket ${path} must be in a folder that is empty inside, such as /run.`,
        );
      this.put({ kind: "socket", path, from: fact.real, type: "file", why });
    }
    return null;
  }

  private hold(
    kind: "readOnly" | "hidden",
    path: string,
    type: WallEntry["type"],
    why: string,
    rule?: string,
  ): void {
    for (const name of namesInside(this.layers, path)) {
      if (kind === "readOnly" && !this.isWritable(name)) continue;
      const layer: Layer = {
        kind,
        path: name,
        from: path,
        type,
        why,
        ...(rule === undefined ? {} : { rule }),
      };
      this.layers = [...this.layers.filter((each) => each.path !== name), layer];
    }
  }

  private isWritable(path: string): boolean {
    return coveringLayer(this.layers, path)?.kind === "writable";
  }

  /** What git runs programs for, whenever a person next calls it. */
  private holdGit(): void {
    const { git } = this.machine;
    if (!git) return;
    const why = "git runs programs for it";
    if (git.gitFile !== null) this.hold("readOnly", git.gitFile, "file", why);
    for (const { path, type } of git.guarded) this.hold("readOnly", path, type, why);
    for (const { path, type, text } of git.missing) {
      this.made.push({ path, type, ...(text === undefined ? {} : { text }), why });
      this.hold("readOnly", path, type, why);
    }
  }

  private holdProject(): void {
    for (const name of heldInProject()) {
      const fact = this.fact(`${this.cwd}/${name}`);
      if (fact?.type === "file" || fact?.type === "folder")
        this.hold("readOnly", fact.real, fact.type, "it runs or permits something, outside and later");
    }
  }

  private holdSockets(): void {
    const own = [this.cwd, ...this.session.ownFiles.map(({ path }) => this.fact(path)?.real ?? path)];
    const seen = this.machine.listening.filter(
      (path) => !own.some((folder) => isWithin(path, folder)) && namesInside(this.layers, path).length > 0,
    );
    for (const path of seen.slice(0, SOCKETS_HIDDEN_MAX))
      this.hold("hidden", path, "file", "a socket of this machine");
    if (seen.length > SOCKETS_HIDDEN_MAX)
      this.gaps.push({
        rule: "sockets",
        why: `${seen.length - SOCKETS_HIDDEN_MAX} sockets of this machine can be connected to`,
      });
  }

  /** A rule wins over everything that lies deeper. */
  private holdRules(): WallRefusal | null {
    for (const mask of [...this.machine.masks].sort(byDepth)) {
      const { effect, path, type, rule } = mask;
      if (isWithin(this.cwd, path) && effect === "hidden")
        return refusal("not_applicable", `The rule ${rule} hides the session's own folder ${this.cwd}.`);
      if (effect === "readOnly") {
        this.layers = this.layers.map((layer) =>
          layer.kind === "writable" && isWithin(layer.from, path)
            ? { ...layer, kind: "readOnly", rule }
            : layer,
        );
      } else
        this.layers = this.layers.filter(
          (layer) => layer.kind === "scratch" || !isWithin(layer.from, path) || layer.rule !== undefined,
        );
      this.hold(effect, path, type, "a rule denies it", rule);
    }
    return null;
  }

  private finish(): WallPlan {
    const { session, machine, cwd } = this;
    const layers = this.layers
      .filter((layer) => !this.isNeedless(layer))
      .sort((one, other) => byText(one.path, other.path));
    const of = (kind: Layer["kind"]) => layers.filter((layer) => layer.kind === kind);
    const table = harnessTable(session.harness);
    const kept = keptVariables(
      machine.environment,
      table.environment,
      machine.settingsVariables,
      session.settings.environment,
    );
    const network = compileNetwork({ rules: this.input.rules, session, machine, kept });
    return {
      cwd,
      home: machine.home,
      scratch: of("scratch").map(({ path, why }) => ({ path, sizeBytes: scratchBytes(path, machine), why })),
      writable: of("writable").map(entry),
      readOnly: of("readOnly").map(entry),
      hidden: of("hidden").map((layer) => ({
        ...entry(layer),
        ...(layer.rule === undefined ? {} : { rule: layer.rule }),
      })),
      copied: of("copied").map(({ path, from, why }) => ({ path, from, why })),
      sockets: of("socket").map(({ path, from, why }) => ({ path, from, why })),
      made: uniqueByPath(this.made),
      environment: {
        keep: [...kept],
        set: {
          HOME: machine.home,
          // Codex keeps no programs below the folder for temporary files, and needs some.
          TMPDIR: isWithin(machine.home, "/tmp") ? "/var/tmp" : "/tmp",
          ...this.cacheVariables(table),
          ...proxyVariables(network),
        },
      },
      network,
      nestedNamespaces: table.nestedNamespaces,
      gaps: [
        ...this.gaps,
        ...machine.maskGaps,
        ...ruleGaps(this.input.rules, session.settings.network),
        ...standingGaps(session, machine),
      ],
    };
  }

  /** An agent's own caches are beside those of packages. */
  private cacheVariables({ caches = {} }: HarnessTable): Readonly<Record<string, string>> {
    if (this.session.cacheDir === null) return {};
    const folderOf = (name: string) => `${this.machine.home}/.cache/${name}`;
    return Object.fromEntries(Object.entries(caches).map(([variable, name]) => [variable, folderOf(name)]));
  }

  /** Hidden where there is nothing anyway: an empty folder in an empty folder would only tell that there is something. */
  private isNeedless(layer: Layer): boolean {
    if (layer.kind !== "hidden" && layer.kind !== "scratch") return false;
    const below = layerBelow(this.layers, layer);
    if (!below || (below.kind !== "scratch" && below.kind !== "hidden")) return false;
    return (
      !this.layers.some(({ path }) => isBelow(path, layer.path)) &&
      !(layer.kind === "scratch" && layer.path === this.machine.home)
    );
  }
}

function entry({ path, from, type, why }: Layer): WallEntry {
  return { path, ...(from === path ? {} : { from }), type, why };
}

function scratchBytes(path: string, { home, memoryBytes }: Machine): number {
  return Math.max(1, Math.floor(Math.min(path === home ? HOME_BYTES_MAX : TMP_BYTES_MAX, memoryBytes / 2)));
}

function uniqueByPath<T extends { readonly path: string }>(entries: readonly T[]): T[] {
  return [...new Map(entries.map((each) => [each.path, each])).values()].sort(byDepth);
}

/** Commands, hosts and tools are no files: rules about them stay questions. */
function ruleGaps(rules: readonly Rule[], network: WallNetwork): WallPlan["gaps"] {
  return rules
    .filter(({ effect, origin }) => (effect === "deny" || effect === "ask") && origin.kind !== "builtin")
    .flatMap(({ category, text, pattern, effect }) => {
      if (category === "Shell")
        return [
          {
            rule: text,
            why: "what a command does cannot be seen from outside: it is judged when it is asked for",
          },
        ];
      if (category === "Web")
        return network === "open"
          ? [{ rule: text, why: "the network is not limited to a list: it is judged when it is asked for" }]
          : [];
      if (category !== "Read" && category !== "Write")
        return [{ rule: text, why: "a call of a tool is judged when it is asked for" }];
      if (effect === "ask")
        return [{ rule: text, why: "nobody can be asked by a wall: it is judged when it is asked for" }];
      return pattern === null
        ? [{ rule: text, why: "no agent runs without files: it is judged when it is asked for" }]
        : [];
    });
}

/** What holds for every wall of this kind, as far as this session is concerned. */
function standingGaps(session: WallSession, { git, masks }: Machine): WallPlan["gaps"] {
  const gaps: WallPlan["gaps"] = [];
  if (session.settings.network === "open")
    gaps.push({
      rule: "network",
      why: "every host, and every service of this machine that listens on a port or an abstract socket, can be reached",
    });
  if (session.settings.network === "listed")
    gaps.push({
      rule: "network",
      why: "what is said to a listed host is not looked at: one that forwards leads further",
    });
  if (git)
    gaps.push({
      rule: ".git/config",
      why: "who replaces it from outside while the run goes on opens it to the run",
    });
  if (masks.some(({ effect, type }) => effect === "hidden" && type === "file"))
    gaps.push({
      rule: "Read",
      why: "a hidden file that is replaced from outside while the run goes on can be seen",
    });
  return gaps;
}
