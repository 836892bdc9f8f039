/**
 * What our rules read from the saved screens of real agents, against what they really showed, and what two simpler rules
 * would have read: a terminal that has been quiet for 2 s is idle; and an agent works exactly while a spinner or a hint
 * to interrupt is on the screen. A saved screen stands still, so the first of them always says idle.
 */
import { fileURLToPath } from "node:url";
import { ACTIVITIES, OTHER_AGENTS, readScreen, type Activity } from "../../src/core/index.js";
import { loadScreens, type SavedScreen } from "../golden/saved-screens.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { formatTable } from "./format-table.js";

const SPINNER = /[⠁-⣿✢✳✶✻✽]|\besc (?:again )?(?:to )?(?:interrupt|cancel)\b|\bWorking\b/;
const READS_PER_SCREEN = 200;

interface Contender {
  readonly name: string;
  readonly read: (saved: SavedScreen) => Activity;
}

const CONTENDERS: readonly Contender[] = [
  { name: "our rules", read: ({ agent, screen }) => readScreen(agent, screen).activity },
  { name: "quiet is idle", read: () => "idle" },
  { name: "spinner text", read: ({ screen }) => (SPINNER.test(screen.rows.join("\n")) ? "working" : "idle") },
];

interface Score {
  readonly right: number;
  /** Something goes on, or waits for a person, and is read as idle. */
  readonly falseIdle: number;
  /** An approval or a question that is not read as one. */
  readonly missedAsks: number;
  readonly counts: ReadonlyMap<string, number>;
}

const isAsk = (activity: Activity) => activity === "approval" || activity === "question";

function scoreOf({ read }: Contender, screens: readonly SavedScreen[]): Score {
  const counts = new Map<string, number>();
  const score = { right: 0, falseIdle: 0, missedAsks: 0, counts };
  for (const saved of screens) {
    const actual = read(saved);
    const { activity } = saved;
    counts.set(`${activity} ${actual}`, (counts.get(`${activity} ${actual}`) ?? 0) + 1);
    // Where what would tell is covered, saying so is right; so it is of an agent that nobody has tuned anything to.
    const isHeldBack = actual === "unknown" && OTHER_AGENTS.some((name) => name === saved.agent);
    if (isHeldBack || actual === (saved.covered ? "unknown" : activity)) score.right += 1;
    if (actual === "idle" && (activity === "working" || isAsk(activity))) score.falseIdle += 1;
    if (isAsk(activity) && !isAsk(actual) && !isHeldBack) score.missedAsks += 1;
  }
  return score;
}

function matrixOf({ name }: Contender, { counts }: Score): string {
  const lines = ACTIVITIES.map((activity) => {
    return [activity, ...ACTIVITIES.map((read) => `${counts.get(`${activity} ${read}`) ?? ""}`)];
  });
  return formatTable([`${name}: shown \\ read`, ...ACTIVITIES], lines);
}

async function run({ folder }: BenchOptions): Promise<readonly Row[]> {
  const screens = await loadScreens(new URL("../golden/screens/", folder));
  const rows = CONTENDERS.flatMap((contender, at): readonly Row[] => {
    const score = scoreOf(contender, screens);
    console.log(`${matrixOf(contender, score)}\n`);
    return describeScore(contender.name, score, screens.length, at === 0);
  });
  console.log(`${byVersion(screens)}\n`);
  return [...rows, costOfReading(screens)];
}

/** Our own rules, agent by agent and version by version: what is shown, what is read right, and what else is read. */
function byVersion(screens: readonly SavedScreen[]): string {
  const ours = CONTENDERS.slice(0, 1);
  const names = new Set(screens.map(nameOf));
  const lines = [...names].sort().flatMap((name) => {
    const own = screens.filter((saved) => nameOf(saved) === name);
    const widths = [...new Set(own.map(({ cols }) => cols))].sort((one, other) => one - other);
    return ours.map((contender) => {
      const { right, falseIdle, missedAsks, counts } = scoreOf(contender, own);
      const others = [...counts].flatMap(([pair, count]) => {
        const [shown, read] = pair.split(" ");
        return shown === read ? [] : [`${count} ${shown} as ${read}`];
      });
      const shown = ACTIVITIES.map(
        (activity) => `${own.filter((saved) => saved.activity === activity).length || ""}`,
      );
      const size = `${own.length}`;
      return [
        name,
        widths.join(" "),
        ...shown,
        size,
        `${right}`,
        `${falseIdle}`,
        `${missedAsks}`,
        others.join(", "),
      ];
    });
  });
  return formatTable(
    [
      "agent and version",
      "widths",
      ...ACTIVITIES,
      "screens",
      "right",
      "false idle",
      "missed asks",
      "read as something else",
    ],
    lines,
  );
}

/** Screens of a shell have no agent; those from before versions were kept have no version. */
function nameOf({ agent, goodbye, version, folder }: SavedScreen): string {
  const name = agent ?? goodbye ?? folder.replace(/-.*/, "");
  return version === undefined ? name : `${name} ${version}`;
}

/** Only our own rules promise something. */
function describeScore(name: string, score: Score, total: number, isOurs: boolean): readonly Row[] {
  const promise = (limit: NonNullable<Row["target"]>) => (isOurs ? { target: limit } : {});
  const none = promise({ atMost: 0, unit: "screens" });
  const wrong = `${total - score.right} of ${total} wrong`;
  const right = { what: `${name}: right`, value: wrong, measured: (100 * score.right) / total, unit: "%" };
  return [
    { ...right, ...promise({ atLeast: 99.5, unit: "%" }) },
    { what: `${name}: false idle`, value: "", measured: score.falseIdle, unit: "screens", ...none },
    { what: `${name}: missed asks`, value: "", measured: score.missedAsks, unit: "screens", ...none },
  ];
}

function costOfReading(screens: readonly SavedScreen[]): Row {
  const start = process.cpuUsage();
  for (let count = 0; count < READS_PER_SCREEN; count += 1) {
    for (const { agent, screen } of screens) readScreen(agent, screen);
  }
  const { user, system } = process.cpuUsage(start);
  const costUs = (user + system) / (READS_PER_SCREEN * screens.length);
  return { what: "reading a screen", value: `${screens.length} screens`, measured: costUs, unit: "µs" };
}

export const screenMatrixBench: Benchmark = {
  id: "screens",
  what: "what screens show, against what is read",
  run,
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Run from `dist/test/bench`.
  const rows = await run({ quick: true, folder: new URL("../../../test/bench/", import.meta.url) });
  const lines = rows.map(({ what, measured, unit, value }) => [
    what,
    `${Number(measured.toPrecision(4))} ${unit}`,
    value,
  ]);
  console.log(formatTable(["what", "measured", "of"], lines));
}
