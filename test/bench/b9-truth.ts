/**
 * B9, the promise: for what share of the time is the shown status wrong? Real agents in their newest, pinned and older
 * versions, driven by a scripted model that knows the truth; beside it, two rules that others go by, in the same runs.
 *
 * A scene that was not played to its end, or of which nothing was measured, is failed.
 */
import { installAgent, InstallError } from "../agents/install.js";
import { newestOf, NotAnswered } from "../agents/newest.js";
import { VERSIONS, type AgentPackage } from "../agents/packages.js";
import { playDay, type DayResult } from "../agents/truth/play-day.js";
import { PLAYERS, programme, quickProgramme, type Part } from "../agents/truth/roles.js";
import { together, type Verdict } from "../agents/truth/judge.js";
import type { Benchmark, Row } from "./benchmark.js";

const WRONG_MAX_PERCENT = 0.5;
const PERCENT = 100;
/** How many agents play at the same time: as many as there are cores on a small machine. */
const AT_ONCE = 2;

export const truthBench: Benchmark = {
  id: "B9",
  what: "share of time in which the shown status is wrong, with real agents",
  run: async ({ quick }) => {
    const parts = chosen(quick ? quickProgramme() : programme(await newerThanPins()));
    const startedAtMs = performance.now();
    const days = await playAll(parts);
    console.log(`  ${days.length} played in ${seconds(performance.now() - startedAtMs)} s`);
    return rowsOfAll(days);
  },
};

/** In the order of the programme, some at the same time: most of a day is waiting. */
async function playAll(parts: readonly Part[]): Promise<readonly DayResult[]> {
  const days = new Map<Part, DayResult>();
  const waiting = [...parts];
  const play = async (): Promise<void> => {
    for (let part = waiting.shift(); part; part = waiting.shift()) {
      const { role, scenes } = part;
      console.log(`  ${role.name}: ${scenes.map(({ name }) => name).join(", ")}`);
      const startedAtMs = performance.now();
      const day = await playDay(role, scenes);
      console.log(`  ${role.name}: played in ${seconds(performance.now() - startedAtMs)} s`);
      tellFaults(day);
      days.set(part, day);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, play));
  return parts.flatMap((part) => days.get(part) ?? []);
}

/** What the registry has by now, and nobody has looked at. */
async function newerThanPins(): Promise<readonly AgentPackage[]> {
  const newer: AgentPackage[] = [];
  for (const agent of PLAYERS) {
    try {
      const newest = await newestOf(agent);
      if (newest.version === VERSIONS[agent].pinned.version) continue;
      await installAgent(newest);
      newer.push(newest);
    } catch (error) {
      if (!(error instanceof NotAnswered) && !(error instanceof InstallError)) throw error;
      console.log(`  ${agent}: the pin is the newest that is played. ${error.message}`);
    }
  }
  return newer;
}

/** To look at some of it only: names with commas between them; of roles, their first words will do. */
function chosen(parts: readonly Part[]): readonly Part[] {
  const [roles, scenes] = [listed("SIGNALBOX_ROLES"), listed("SIGNALBOX_SCENES")];
  const isExact = (word: string) => parts.some(({ role }) => role.name === word);
  const isNamed = (name: string) =>
    roles?.some((word) => (isExact(word) ? name === word : name.startsWith(`${word} `)));
  return parts.flatMap(({ role, scenes: whole }) => {
    const some = whole.filter(({ name }) => scenes?.includes(name) ?? true);
    return (isNamed(role.name) ?? true) && some.length > 0 ? [{ role, scenes: some }] : [];
  });
}

function listed(variable: string): readonly string[] | undefined {
  return process.env[variable]?.split(",");
}

/** Over all agents together, which is what is promised; and then each by itself. */
export function rowsOfAll(days: readonly DayResult[]): readonly Row[] {
  const failed = days.flatMap(({ role, failed: scenes }) =>
    scenes.map(({ scene, why }) => `${role.name}: ${scene} (${why})`),
  );
  const broken = days.flatMap((day) => day.broken.map((what) => `${day.role.name}: ${what}`));
  return [
    ...promised(days.map(({ shown }) => shown)),
    none("all agents: what must never happen", broken.join("; "), broken.length, "times"),
    {
      ...none("all agents: scenes that were not played", failed.join("; "), failed.length, "scenes"),
      ...(failed.length > 0 ? { failure: `${failed.length} scenes were not played` } : {}),
    },
    ...days.flatMap(rowsOf),
  ];
}

function promised(verdicts: readonly Verdict[]): readonly Row[] {
  const [first, ...others] = verdicts;
  const target = { atMost: WRONG_MAX_PERCENT, unit: "%" };
  const what = "all agents: wrong";
  if (!first) return [{ what, value: "", measured: 0, unit: "%", target, failure: "nobody played" }];
  const all = others.reduce(together, first);
  return [
    { ...shareOf(what, all), target },
    none("all agents: shown as idle, but were not", "", all.falseIdles, "times"),
    none("all agents: asks missed", `of ${all.asks}`, all.missedAsks, "asks"),
  ];
}

function none(what: string, value: string, measured: number, unit: string): Row {
  return { what, value, measured, unit, target: { atMost: 0, unit } };
}

function tellFaults({ role, shown: { faults }, failed, broken }: DayResult): void {
  for (const { scene, truth, afterMs, shown, fromMs, untilMs } of faults)
    console.log(
      `  ${role.name}, ${scene}: shown ${shown ?? "nothing"} for ${untilMs - fromMs} ms, ` +
        `though it was ${truth} since ${afterMs} ms`,
    );
  for (const { scene, why } of failed) console.log(`  ${role.name}, ${scene}: FAILED, ${why}`);
  for (const what of broken) console.log(`  ${role.name}: MUST NEVER HAPPEN: ${what}`);
}

function rowsOf(day: DayResult): readonly Row[] {
  const { role, shown, quiet, spinner, failed, played, broken } = day;
  const data = {
    agent: role.agent,
    version: role.package?.version ?? null,
    mode: role.terminal ? "terminal" : "structured",
    wrongMs: shown.wrongMs,
    unknownMs: shown.unknownMs,
    totalMs: shown.totalMs,
    falseIdles: shown.falseIdles,
    asks: shown.asks,
    missedAsks: shown.missedAsks,
    faults: shown.faults,
    played,
    failed,
    broken,
    unknownKinds: day.unknownKinds,
  };
  const why = failed.map((each) => `${each.scene} (${each.why})`).join("; ");
  return [
    { ...shareOf(role.name, shown), ...(why === "" ? {} : { failure: why }), data },
    shareOf(`${role.name}, by quiet for 2 s`, quiet),
    ...(spinner ? [shareOf(`${role.name}, by spinner text`, spinner)] : []),
  ];
}

function shareOf(what: string, verdict: Verdict): Row {
  const { wrongMs, unknownMs, totalMs, falseIdles, missedAsks } = verdict;
  const row = {
    what,
    value:
      `${seconds(wrongMs)} of ${seconds(totalMs)} s, unknown ${share(unknownMs, totalMs).toFixed(1)} %, ` +
      `${falseIdles} false idles, ${missedAsks} asks missed`,
    measured: share(wrongMs, totalMs),
    unit: "%",
  };
  return totalMs > 0 ? row : { ...row, failure: "0 seconds measured" };
}

function share(partMs: number, totalMs: number): number {
  return totalMs === 0 ? 0 : (partMs / totalMs) * PERCENT;
}

function seconds(durationMs: number): string {
  return (durationMs / 1_000).toFixed(1);
}
