/** BW: how smoothly the board draws, while 50 agents write 20 times a second each, against a page that shows nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { BenchDaemon } from "./bench-daemon.js";
import type { Benchmark, BenchOptions, Row } from "./benchmark.js";
import { PacedLoad } from "./paced-load.js";
import { quantileOf } from "./quantile.js";
import { withScratch, type Scratch } from "./scratch.js";

const SESSIONS = 50;
const LINES_PER_SECOND = SESSIONS * 20;
const FRAMES_MIN = 50;
const PROGRAM = process.env["SIGNALBOX_BROWSER"] ?? "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];

export const boardFramesBench: Benchmark = {
  id: "BW",
  what: `frames of the board, ${LINES_PER_SECOND} events/s of ${SESSIONS} sessions, against an empty page`,
  run: (options) => withScratch(options, (scratch) => measure(options, scratch)),
};

/** The times between frames, seen by the page itself. */
const FRAME_TIMES = `(seconds) => new Promise((resolve) => {
  const gaps = [];
  const end = performance.now() + 1000 * seconds;
  let last = null;
  requestAnimationFrame(function frame(at) {
    if (last !== null) gaps.push(at - last);
    last = at;
    if (at < end) requestAnimationFrame(frame);
    else resolve(gaps);
  });
})`;

async function measure(options: BenchOptions, scratch: Scratch): Promise<readonly Row[]> {
  if (!existsSync(PROGRAM)) {
    console.log(`there is no browser at ${PROGRAM}: not measured; SIGNALBOX_BROWSER may name one`);
    return [];
  }
  const seconds = options.quick ? 3 : 8;
  const rounds = options.quick ? 1 : 3;
  const daemon = scratch.own(await BenchDaemon.start(join(scratch.folder, "data")));
  const load = await PacedLoad.open(options, scratch, daemon, SESSIONS);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  scratch.own({ end: () => browser.close() });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const link = await daemon.client.createLoginLink({ role: "own" });
  await page.goto(link.url);
  const empty: number[] = [];
  const board: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Both under the same load: the daemon and the writer need the machine as well.
    empty.push(...(await framesOf(page, "about:blank", null, load, seconds)));
    board.push(...(await framesOf(page, `${daemon.ready.url}/`, '[data-status="streaming"]', load, seconds)));
  }
  const perSecond = (gaps: readonly number[]) =>
    (1_000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0);
  const told = (gaps: readonly number[]) =>
    `p50 ${quantileOf(gaps, 0.5).toFixed(1)}, p99 ${quantileOf(gaps, 0.99).toFixed(1)} ms between ${gaps.length} frames`;
  return [
    {
      what: "frames per second of the board",
      value: told(board),
      measured: perSecond(board),
      unit: "/s",
      target: { atLeast: FRAMES_MIN, unit: "/s" },
    },
    { what: "of an empty page, the limit", value: told(empty), measured: perSecond(empty), unit: "/s" },
    {
      what: "the board against the empty page",
      value: `${perSecond(board).toFixed(1)} of ${perSecond(empty).toFixed(1)}`,
      measured: perSecond(board) / perSecond(empty),
      unit: "x",
    },
  ];
}

async function framesOf(
  page: Page,
  url: string,
  shown: string | null,
  load: PacedLoad,
  seconds: number,
): Promise<readonly number[]> {
  await page.goto(url);
  if (shown !== null) await page.locator(shown).first().waitFor();
  const run = load.run({ perSecond: LINES_PER_SECOND, burst: 1, lines: (seconds + 1) * LINES_PER_SECOND });
  await page.waitForTimeout(500);
  const gaps = await page.evaluate<readonly number[]>(`(${FRAME_TIMES})(${seconds})`);
  await run;
  return gaps;
}
