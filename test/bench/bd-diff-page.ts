/** BD: how soon the page shows a change of 50,000 lines, against one of 500, and how smoothly it scrolls. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { BenchDaemon } from "./bench-daemon.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { eventually } from "./eventually.js";
import { medianOf } from "./interleaved.js";
import { quantileOf } from "./quantile.js";
import { withScratch, type Scratch } from "./scratch.js";

const SHORT = 500;
const LONG = 50_000;
const OPEN_MAX = 3;
const FRAMES_MIN = 50;
const PROGRAM = process.env["SIGNALBOX_BROWSER"] ?? "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];

/** Writes one file of so many lines in its only turn. */
const AGENT = `#!/bin/sh
echo '{"n":1,"type":"ready","sessionId":"agent"}'
read -r line
echo '{"n":2,"type":"request"}'
awk -v lines="$LINES" 'BEGIN { for (i = 0; i < lines; i++) print "export const value" i " = compute(\\"" i "\\", " i "); // line " i }' > change.ts
echo '{"n":3,"type":"done"}'
read -r line
`;

export const diffPageBench: Benchmark = {
  id: "BD",
  what: `a change of ${LONG} lines on the page, against one of ${SHORT}`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

/** Scrolls by some lines in each frame, as a wheel does, if there is something to scroll; and notes the times between frames. */
const SCROLL = `(seconds) => new Promise((resolve) => {
  const pane = document.querySelector(".diff-scroll");
  const gaps = [];
  const end = performance.now() + 1000 * seconds;
  let last = null;
  requestAnimationFrame(function frame(at) {
    if (last !== null) gaps.push(at - last);
    last = at;
    if (pane) pane.scrollTop += 100;
    if (at < end) requestAnimationFrame(frame);
    else resolve(gaps);
  });
})`;

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  if (!existsSync(PROGRAM)) {
    console.log(`there is no browser at ${PROGRAM}: not measured; SIGNALBOX_BROWSER may name one`);
    return [];
  }
  const rounds = options.quick ? 3 : 9;
  const daemon = scratch.own(
    await BenchDaemon.start(join(scratch.folder, "data"), { SIGNALBOX_CHECKPOINTS: "" }),
  );
  const short = await changeOf(SHORT, scratch, daemon);
  const long = await changeOf(LONG, scratch, daemon);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  scratch.own({ end: () => browser.close() });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto((await daemon.client.createLoginLink({ role: "own" })).url);
  const shortMs: number[] = [];
  const longMs: number[] = [];
  const wholeMs: number[] = [];
  const gaps: number[] = [];
  const emptyGaps: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const one = await openMs(page, `${daemon.ready.url}/s/${short}/changes`);
    const other = await openMs(page, `${daemon.ready.url}/s/${long}/changes`);
    const framesNow = () => page.evaluate<readonly number[]>(`(${SCROLL})(${options.quick ? 2 : 5})`);
    const scrolled = await framesNow();
    await page.goto("about:blank");
    const empty = await framesNow();
    // The first is to warm up.
    if (round === 0) continue;
    shortMs.push(one.firstMs);
    longMs.push(other.firstMs);
    wholeMs.push(other.wholeMs);
    gaps.push(...scrolled);
    emptyGaps.push(...empty);
  }
  return [...rowsOf(shortMs, longMs, wholeMs, gaps), limitOf(emptyGaps)];
}

function perSecond(gaps: readonly number[]): number {
  return (1_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
}

function told(gaps: readonly number[]): string {
  return `p50 ${quantileOf(gaps, 0.5).toFixed(1)}, p99 ${quantileOf(gaps, 0.99).toFixed(1)} ms between ${gaps.length} frames`;
}

/** What the machine has to give, in the same minutes. */
function limitOf(gaps: readonly number[]): Row {
  return { what: "of an empty page, the limit", value: told(gaps), measured: perSecond(gaps), unit: "/s" };
}

function rowsOf(
  shortMs: readonly number[],
  longMs: readonly number[],
  wholeMs: readonly number[],
  gaps: readonly number[],
): readonly Row[] {
  const ratio = medianOf(longMs) / medianOf(shortMs);
  return [
    {
      what: `the first lines of ${LONG}, against those of ${SHORT}`,
      value: `${medianOf(longMs).toFixed(0)} ms against ${medianOf(shortMs).toFixed(0)} ms`,
      measured: ratio,
      unit: "x",
      target: { atMost: OPEN_MAX, unit: "x" },
    },
    {
      what: `all of ${LONG} lines are there`,
      value: `of ${wholeMs.length} openings`,
      measured: medianOf(wholeMs),
      unit: "ms",
    },
    {
      what: "frames per second while it scrolls",
      value: told(gaps),
      measured: perSecond(gaps),
      unit: "/s",
      target: { atLeast: FRAMES_MIN, unit: "/s" },
    },
  ];
}

/** From the address to the first line that is drawn, and until all are read. */
async function openMs(
  page: Page,
  url: string,
): Promise<{ readonly firstMs: number; readonly wholeMs: number }> {
  await page.goto("about:blank");
  const startMs = performance.now();
  await page.goto(url, { waitUntil: "commit" });
  await page.locator('.diff-row[data-type="added"]').first().waitFor();
  const firstMs = performance.now() - startMs;
  await page.locator(".diff-count", { hasText: "to view" }).filter({ hasNotText: "reading" }).waitFor();
  return { firstMs, wholeMs: performance.now() - startMs };
}

/** The id of a session whose agent has made a change of so many lines. */
async function changeOf(lines: number, scratch: Scratch, { client }: BenchDaemon): Promise<string> {
  const cwd = join(scratch.folder, `lines${lines}`);
  mkdirSync(cwd);
  const agent = join(scratch.folder, "agent.sh");
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });
  git("init", "-q");
  git("commit", "-qm", "first", "--allow-empty");
  const { id } = await client.createSession({
    ...{ harness: "script", cwd, prompt: "go", args: ["--program", agent] },
    env: { LINES: String(lines) },
  });
  await eventually("a kept turn", async () => {
    const turns = await client.getChanges(id).then(
      (changes): readonly number[] => changes.turns,
      (): readonly number[] => [],
    );
    return turns.includes(1);
  });
  return id;
}
