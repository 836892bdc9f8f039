/** What was seen of an agent in one version, and how two versions differ. Pure: who plays them is elsewhere. */

export type Cell = "pass" | "fail" | "cannot";

/** A day with it, by its protocol, in a terminal, in a shell. */
export interface DayLook {
  readonly wrongPercent: number;
  readonly unknownPercent: number;
  readonly falseIdles: number;
  readonly missedAsks: number;
  /** Scenes that could not be played. */
  readonly failed: readonly string[];
  /** What must never happen, and did. */
  readonly broken: readonly string[];
}

export interface ScreensLook {
  readonly count: number;
  /** Those that were not read as what they show: `claude-120x40/07: shown approval, read unknown`. */
  readonly misread: readonly string[];
}

/** Null: it was not looked at, or the pin's was not kept. */
export interface AgentLook {
  readonly version: string;
  readonly cells: Readonly<Record<string, Cell>> | null;
  readonly days: Readonly<Record<string, DayLook>> | null;
  /** Kinds of messages that its codec does not know. */
  readonly unknownKinds: readonly string[] | null;
  /** Its hooks that told something, with the fields of each. */
  readonly hooks: Readonly<Record<string, readonly string[]>> | null;
  readonly screens: ScreensLook | null;
}

/** One agent of a run of drift. */
export interface Finding {
  readonly agent: string;
  readonly pin: AgentLook;
  /** Null: it could not be had. */
  readonly newest: AgentLook | null;
  /** Why something could not be looked at, though it was to be. */
  readonly problems: readonly string[];
  /** What was left out on purpose, or because this system cannot do it. */
  readonly skipped: readonly string[];
}

export interface Report {
  readonly lines: readonly string[];
  /** 0: nothing differs in behaviour, and everything was looked at. */
  readonly exitStatus: 0 | 1;
}

/** Beyond it the promise is broken; below it, days differ by chance. */
const WRONG_MAX_PERCENT = 0.5;

export function report(findings: readonly Finding[]): Report {
  const told = findings.map(tell);
  const hasProblems = findings.some(({ problems }) => problems.length > 0);
  return {
    lines: told.flatMap(({ lines }) => lines),
    exitStatus: hasProblems || told.some(({ differs }) => differs) ? 1 : 0,
  };
}

function tell({ agent, pin, newest, problems, skipped }: Finding): {
  readonly lines: readonly string[];
  readonly differs: boolean;
} {
  const wrong = [
    ...problems.map((problem) => `  could not be looked at: ${problem}`),
    ...skipped.map((what) => `  skipped: ${what}`),
  ];
  if (!newest) return { lines: [`${agent} ${pin.version}:`, ...wrong], differs: false };
  const isPin = newest.version === pin.version;
  const heading = isPin
    ? `${agent} ${pin.version} (the pin)`
    : `${agent} ${pin.version} -> ${newest.version}`;
  const differences = differencesOf(pin, newest);
  const verdict = differences.length > 0 ? "differs" : isUnseen(newest) ? "not played" : "behaves the same";
  return {
    lines: [`${heading}: ${verdict}`, ...differences.map((line) => `  ${line}`), ...wrong],
    differs: differences.length > 0,
  };
}

function isUnseen({ cells, days, screens }: AgentLook): boolean {
  return cells === null && days === null && screens === null;
}

/** In the order in which somebody would mend them. */
export function differencesOf(pin: AgentLook, newest: AgentLook): readonly string[] {
  return [
    ...cellsThatDiffer(pin.cells, newest.cells),
    ...daysThatDiffer(pin.days, newest.days),
    ...newOnes("unknown message", pin.unknownKinds, newest.unknownKinds),
    ...hooksThatDiffer(pin.hooks, newest.hooks),
    ...screensThatDiffer(pin.screens, newest.screens),
  ];
}

function cellsThatDiffer(pin: AgentLook["cells"], newest: AgentLook["cells"]): readonly string[] {
  if (!newest) return [];
  return Object.entries(newest).flatMap(([capability, now]) => {
    // Of a pin that was never looked at, only what fails is worth a word.
    const before = pin ? (pin[capability] ?? "not there") : "pass";
    return now === before || (!pin && now === "cannot") ? [] : [`matrix: ${capability}: ${before} -> ${now}`];
  });
}

function daysThatDiffer(pin: AgentLook["days"], newest: AgentLook["days"]): readonly string[] {
  return Object.entries(newest ?? {}).flatMap(([mode, day]) => {
    const before = pin?.[mode];
    const added = (what: string, list: readonly string[], known: readonly string[] = []) =>
      list.filter((each) => !known.includes(each)).map((each) => `${mode}: ${what}: ${each}`);
    const rose = (what: string, now: number, then = 0) =>
      now > then ? [`${mode}: ${what}: ${then} -> ${now}`] : [];
    const least = Math.max(before?.wrongPercent ?? 0, WRONG_MAX_PERCENT);
    const isWorse = day.wrongPercent > least;
    return [
      ...added("must never happen", day.broken, before?.broken),
      ...added("scene not played", day.failed, before?.failed),
      ...(isWorse
        ? [`${mode}: wrong ${percent(before?.wrongPercent ?? null)} -> ${percent(day.wrongPercent)}`]
        : []),
      ...rose("shown as idle, but was not", day.falseIdles, before?.falseIdles),
      ...rose("asks missed", day.missedAsks, before?.missedAsks),
    ];
  });
}

function newOnes(
  what: string,
  pin: readonly string[] | null,
  newest: readonly string[] | null,
): readonly string[] {
  return (newest ?? []).filter((each) => !pin?.includes(each)).map((each) => `new ${what}: ${each}`);
}

function hooksThatDiffer(pin: AgentLook["hooks"], newest: AgentLook["hooks"]): readonly string[] {
  if (!pin || !newest) return [];
  const names = [...new Set([...Object.keys(pin), ...Object.keys(newest)])].sort();
  return names.flatMap((name) => {
    const [before, now] = [pin[name], newest[name]];
    if (!before) return [`new hook: ${name}`];
    if (!now) return [`hook gone: ${name}`];
    const gone = before.filter((field) => !now.includes(field)).map((field) => `-${field}`);
    const come = now.filter((field) => !before.includes(field)).map((field) => `+${field}`);
    const fields = [...gone, ...come];
    return fields.length > 0 ? [`hook ${name}: ${fields.join(" ")}`] : [];
  });
}

function screensThatDiffer(pin: ScreensLook | null, newest: ScreensLook | null): readonly string[] {
  return newOnes("screen that is misread", pin?.misread ?? null, newest?.misread ?? null);
}

function percent(value: number | null): string {
  return value === null ? "not kept" : `${value.toFixed(2)} %`;
}
