/**
 * B9, the promise: for what share of the time is the shown status wrong? Real agents, driven by a scripted model that
 * knows the truth; beside it, two rules that others go by, in the same runs.
 */
import { PROFILES } from "../agents/matrix/profiles.js";
import { playDay, type DayResult } from "../agents/truth/play-day.js";
import type { Role } from "../agents/truth/actor.js";
import type { Verdict } from "../agents/truth/judge.js";
import {
  APPROVAL,
  backgroundScene,
  CRASH,
  FAILURE,
  INTERRUPTION,
  LONG_THOUGHT,
  LONG_TOOL,
  PAUSES,
  QUESTION,
  RATE_LIMIT,
  SLOW_TEXT,
  TEXT,
  type Scene,
} from "../agents/truth/scenes.js";
import type { Benchmark, Row } from "./benchmark.js";

const CHOICE = /\d\. +crimson/;

const ROLES: readonly Role[] = [
  { name: "claude", agent: "claude", harness: "claude" },
  { name: "codex", agent: "codex", harness: "codex" },
  { name: "gemini", agent: "gemini", harness: "gemini" },
  { name: "opencode", agent: "opencode", harness: "opencode" },
  {
    name: "claude in a terminal",
    agent: "claude",
    harness: "terminal",
    terminal: ["claude", "--permission-mode", "default"],
    asksBy: { approval: /Do you want to proceed\?/, question: CHOICE },
    worksBy: /\besc to interrupt\b/,
  },
  {
    name: "codex in a terminal",
    agent: "codex",
    harness: "terminal",
    terminal: ["codex"],
    asksBy: { approval: /Would you like to run/, question: CHOICE },
    worksBy: /\besc to interrupt\b/,
    greets: true,
  },
];

/** Played when they are named. */
const FURTHER_ROLES: readonly Role[] = [
  {
    name: "gemini in a terminal",
    agent: "gemini",
    harness: "terminal",
    terminal: ["gemini"],
    asksBy: { approval: /Allow execution of/, question: CHOICE },
    worksBy: /\besc to cancel\b/,
  },
  {
    name: "opencode in a terminal",
    agent: "opencode",
    harness: "terminal",
    terminal: ["opencode"],
    asksBy: { approval: /Permission required/, question: CHOICE },
    worksBy: /\besc (?:again to )?interrupt\b/,
  },
];

const QUICK_ROLES: readonly string[] = ["claude", "codex", "claude in a terminal"];
const QUICK_SCENES: readonly Scene[] = [TEXT, LONG_THOUGHT, APPROVAL, INTERRUPTION];

export const truthBench: Benchmark = {
  id: "B9",
  what: "share of time in which the shown status is wrong, with real agents",
  run: async ({ quick }) => {
    const days: DayResult[] = [];
    const chosen = listed("SIGNALBOX_ROLES");
    const scenes = listed("SIGNALBOX_SCENES");
    const usual = ROLES.filter(({ name }) => !quick || QUICK_ROLES.includes(name));
    const named = [...ROLES, ...FURTHER_ROLES].filter(({ name }) => chosen?.includes(name));
    for (const role of chosen ? named : usual) {
      const whole = quick ? QUICK_SCENES : dayOf(role);
      const day = await playDay(
        role,
        whole.filter(({ name }) => scenes?.includes(name) ?? true),
      );
      tellFaults(day);
      days.push(day);
    }
    const unplayed = days.flatMap((day) => day.unplayed.map((scene) => `${day.role.name}: ${scene}`));
    return [...promised(days.map(({ shown }) => shown)), allPlayed(unplayed), ...days.flatMap(rowsOf)];
  },
};

/** To look at some of it only: names with commas between them. */
function listed(variable: string): readonly string[] | undefined {
  return process.env[variable]?.split(",");
}

function dayOf(role: Role): readonly Scene[] {
  const { background, cannot } = PROFILES[role.agent];
  const wakes = !cannot["background work"];
  return [
    TEXT,
    SLOW_TEXT,
    LONG_THOUGHT,
    PAUSES,
    APPROVAL,
    LONG_TOOL,
    // What an agent cannot ask over a protocol it can ask at its terminal.
    ...(cannot["question and answer"] && !role.terminal ? [] : [QUESTION]),
    INTERRUPTION,
    ...(wakes ? [backgroundScene(background("sleep 6; touch woken"))] : []),
    RATE_LIMIT,
    FAILURE,
    CRASH,
  ];
}

const PERCENT = 100;

/** Over all agents together: what is promised. */
function promised(verdicts: readonly Verdict[]): readonly Row[] {
  const all = verdicts.reduce(together);
  return [
    { ...shareOf("all agents: wrong", all), target: { atMost: 0.5, unit: "%" } },
    none("all agents: shown as idle, but were not", "", all.falseIdles, "times"),
    none("all agents: asks missed", `of ${all.asks}`, all.missedAsks, "asks"),
  ];
}

function together(one: Verdict, other: Verdict): Verdict {
  return {
    totalMs: one.totalMs + other.totalMs,
    wrongMs: one.wrongMs + other.wrongMs,
    falseIdles: one.falseIdles + other.falseIdles,
    missedAsks: one.missedAsks + other.missedAsks,
    asks: one.asks + other.asks,
    faults: [...one.faults, ...other.faults],
  };
}

/** What broke off was not measured: that must not pass for a good day. */
function allPlayed(unplayed: readonly string[]): Row {
  return none("all agents: scenes not played to their end", unplayed.join(", "), unplayed.length, "scenes");
}

function none(what: string, value: string, measured: number, unit: string): Row {
  return { what, value, measured, unit, target: { atMost: 0, unit } };
}

function tellFaults({ role, shown: { faults } }: DayResult): void {
  for (const { scene, truth, afterMs, shown, fromMs, untilMs } of faults)
    console.log(
      `  ${role.name}, ${scene}: shown ${shown ?? "nothing"} for ${untilMs - fromMs} ms, ` +
        `though it was ${truth} since ${afterMs} ms`,
    );
}

function rowsOf({ role, shown, quiet, spinner }: DayResult): readonly Row[] {
  return [
    shareOf(role.name, shown),
    shareOf(`${role.name}, by quiet for 2 s`, quiet),
    ...(spinner ? [shareOf(`${role.name}, by spinner text`, spinner)] : []),
  ];
}

function shareOf(what: string, { wrongMs, totalMs, falseIdles, missedAsks }: Verdict): Row {
  return {
    what,
    value: `${(wrongMs / 1_000).toFixed(1)} of ${(totalMs / 1_000).toFixed(1)} s, ${falseIdles} false idles, ${missedAsks} asks missed`,
    // Of a day that was not played at all there is nothing to be wrong.
    measured: (wrongMs / Math.max(totalMs, 1)) * PERCENT,
    unit: "%",
  };
}
