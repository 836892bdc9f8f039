/** Plays one version of one agent, in every way there is, and says what was seen of it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readScreen } from "../../src/core/index.js";
import type { Outcome } from "../agents/matrix/matrix-report.js";
import type { AgentName, AgentPackage } from "../agents/packages.js";
import { playDay, type DayResult } from "../agents/truth/play-day.js";
import { partsOf } from "../agents/truth/roles.js";
import { loadScreens } from "../golden/saved-screens.js";
import type { AgentLook, Cell, DayLook, Finding, ScreensLook } from "./findings.js";

export interface LookOptions {
  /** Few cells and scenes, and no screens. */
  readonly quick: boolean;
  readonly skip: readonly string[];
}

type Seen = Pick<Finding, "problems" | "skipped"> & { readonly newest: AgentLook };

/** Something could not be looked at. */
class NotSeen extends Error {
  override readonly name = "NotSeen";
}

// Seen from `dist/test/drift`, where this is run.
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const QUICK_CELLS = "start|stream|approve|deny|interrupt|failure";
const QUICK_SCENES: readonly string[] = [
  "text",
  "approval after a while",
  "interruption",
  "failure",
  "a message after a failure",
];
const WORDS_MAX = 500;
const PERCENT = 100;

export async function lookAt(
  agent: AgentName,
  version: AgentPackage,
  { quick, skip }: LookOptions,
): Promise<Seen> {
  const problems: string[] = [];
  const skipped = skip.map((what) => `${what}: as asked`);
  if (quick && !skip.includes("screens")) skipped.push("screens: quick");
  /** Null: left out, or not possible. */
  const part = async <T>(name: string, isWanted: boolean, see: () => Promise<T>): Promise<T | null> => {
    if (!isWanted || skip.includes(name)) return null;
    console.log(`${agent} ${version.version}: ${name}`);
    try {
      return await see();
    } catch (error) {
      if (!(error instanceof NotSeen)) throw error;
      (name === "screens" ? skipped : problems).push(`${name}: ${error.message}`);
      return null;
    }
  };
  const matrix = await part("matrix", true, () => seeMatrix(agent, version, quick));
  const days = await part("day", true, () => seeDays(agent, version, quick));
  const screens = await part("screens", !quick, () => seeScreens(version));
  const kinds = [matrix?.unknownKinds, ...(days?.results.map((day) => Object.keys(day.unknownKinds)) ?? [])];
  const newest: AgentLook = {
    version: version.version,
    cells: matrix?.cells ?? null,
    days: days?.looks ?? null,
    unknownKinds: matrix || days ? [...new Set(kinds.flatMap((each) => each ?? []))].sort() : null,
    hooks: days ? hooksIn(days.results) : null,
    screens,
  };
  return { newest, problems, skipped };
}

async function seeMatrix(
  agent: AgentName,
  { version }: AgentPackage,
  quick: boolean,
): Promise<{ readonly cells: Readonly<Record<string, Cell>>; readonly unknownKinds: readonly string[] }> {
  const [agents, messages] = [join(ROOT, ".bench/agents.json"), join(ROOT, ".bench/unknown-messages.json")];
  await rm(agents, { force: true });
  await rm(messages, { force: true });
  const some = quick ? ["--testNamePattern", `^${agent} (?:${QUICK_CELLS})$`] : [];
  const vitest = [`${ROOT}node_modules/vitest/vitest.mjs`, "run", "--project", "agents", ...some];
  const env = { SIGNALBOX_AGENTS: agent, SIGNALBOX_AGENT_VERSIONS: `${agent}@${version}` };
  const { words } = await run(process.execPath, [...vitest, "test/agents/matrix"], env);
  const cells = await jsonIn<Record<string, Record<string, Outcome>>>(agents);
  const outcomes = cells?.[agent];
  if (!outcomes) throw new NotSeen(`it left no report: ${words}`);
  const unknown = (await jsonIn<Record<string, Record<string, number>>>(messages))?.[agent] ?? {};
  return {
    cells: Object.fromEntries(Object.entries(outcomes).map(([name, { type }]) => [name, type])),
    unknownKinds: Object.keys(unknown),
  };
}

async function seeDays(
  agent: AgentName,
  version: AgentPackage,
  quick: boolean,
): Promise<{ readonly looks: Readonly<Record<string, DayLook>>; readonly results: readonly DayResult[] }> {
  const results: DayResult[] = [];
  for (const { role, scenes } of partsOf(agent, version)) {
    const some = quick ? scenes.filter(({ name }) => QUICK_SCENES.includes(name)) : scenes;
    // What is played for one scene in particular says nothing without it.
    if (some.length < Math.min(scenes.length, 2)) continue;
    console.log(`  ${role.name}`);
    results.push(await playDay(role, some));
  }
  const looks = results.map(
    (day) => [day.role.name.replace(` ${version.version}`, ""), lookOf(day)] as const,
  );
  return { looks: Object.fromEntries(looks), results };
}

function lookOf({ shown, failed, broken }: DayResult): DayLook {
  const { wrongMs, unknownMs, totalMs, falseIdles, missedAsks } = shown;
  const share = (partMs: number) => Math.round((partMs / Math.max(totalMs, 1)) * PERCENT * 100) / 100;
  return {
    wrongPercent: share(wrongMs),
    unknownPercent: share(unknownMs),
    falseIdles,
    missedAsks,
    failed: failed.map(({ scene }) => scene),
    broken,
  };
}

function hooksIn(days: readonly DayResult[]): AgentLook["hooks"] {
  const hooks: Record<string, readonly string[]> = {};
  for (const { hooks: told } of days) {
    for (const [name, fields] of Object.entries(told))
      hooks[name] = [...new Set([...(hooks[name] ?? []), ...fields])].sort();
  }
  return hooks;
}

/** As `test/screens/README.md` says: without a network, in a home that says nothing of this machine. */
const CAPTURE = 'ip link set lo up && mount -t tmpfs none /srv && hostname box && exec "$@"';
const NAMESPACES = ["--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"];

async function seeScreens({ folder }: AgentPackage): Promise<ScreensLook> {
  const out = await mkdtemp(join(tmpdir(), "signalbox-drift-"));
  try {
    const capture = [process.execPath, join(ROOT, "dist/test/screens/main.js")];
    const what = ["--only", folder, "--sizes", "120x40", "--brief", "--out", out];
    const { words } = await run(
      "unshare",
      [...NAMESPACES, "sh", "-c", CAPTURE, "sh", ...capture, ...what],
      {},
    );
    const screens = await loadScreens(pathToFileURL(`${out}/`));
    if (screens.length === 0) throw new NotSeen(`none was captured: ${words}`);
    const misread = screens.flatMap(({ name, agent, activity, covered, screen }) => {
      const read = agent === null ? activity : readScreen(agent, screen).activity;
      return read === (covered ? "unknown" : activity) ? [] : [`${name}: shown ${activity}, read ${read}`];
    });
    return { count: screens.length, misread };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

/** Its exit status, and the end of what it said. */
async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | null; readonly words: string }> {
  const child = spawn(program, [...args], { cwd: ROOT, env: { ...process.env, ...env }, stdio: "pipe" });
  let words = "";
  const hear = (text: string) => {
    words = (words + text).slice(-WORDS_MAX);
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  try {
    const [status] = (await once(child, "close")) as [number | null];
    return { status, words: words.trim() };
  } catch (error) {
    throw new NotSeen(`${program} cannot be run`, { cause: error });
  }
}

/** Null: there is none. */
async function jsonIn<T>(file: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
