/** The page in a real browser, signed in to a real daemon of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { TestDaemon, type StartOptions } from "../e2e/test-daemon.js";
import { ROOT } from "../tidy/root.js";

const PROGRAM = process.env["SIGNALBOX_BROWSER"] ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const ARTIFACTS = join(ROOT, ".artifacts");

export const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const;
export type Size = keyof typeof SIZES;

export interface OpenOptions extends StartOptions {
  readonly size?: Size;
  readonly theme?: "light" | "dark";
  /** Where to begin; the board when absent. */
  readonly path?: string;
  /** An earlier daemon to open one more page of. */
  readonly daemon?: TestDaemon;
}

export interface PageUnderTest {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly daemon: TestDaemon;
  /** Everything that the browser complained about: none of it is right. */
  readonly complaints: readonly string[];
}

let running: Promise<Browser> | null = null;

/** One browser for all files of a process, and another one should it have broken: it ends with the process. */
export async function browser(): Promise<Browser> {
  if (running === null || !(await running).isConnected())
    running = chromium.launch({ executablePath: PROGRAM, args: FLAGS });
  return running;
}

/** Both end with the test. */
export async function openPage(options: OpenOptions = {}): Promise<PageUnderTest> {
  const daemon = options.daemon ?? (await startDaemon(options));
  const size = options.size ?? "desktop";
  const context = await (
    await browser()
  ).newContext({
    viewport: SIZES[size],
    hasTouch: size === "phone",
    isMobile: size === "phone",
    colorScheme: options.theme ?? "light",
    reducedMotion: "no-preference",
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`${error.name}: ${error.message}`));
  page.on("console", (message) => {
    // The network's own lines: a daemon that was killed cannot be reached.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  await signIn(page, daemon);
  if (options.path !== undefined) await page.goto(`${daemon.ready.url}${options.path}`);
  await page.locator('[data-connection="live"]').waitFor();
  return { page, context, daemon, complaints };
}

export async function startDaemon(options: StartOptions = {}): Promise<TestDaemon> {
  const daemon = await TestDaemon.start(options);
  onTestFinished(() => daemon.end());
  return daemon;
}

export async function signIn(page: Page, daemon: TestDaemon): Promise<void> {
  const { url } = await daemon.client.createLoginLink({ role: "own" });
  await page.goto(url);
}

/** A key answers only what was in view for long enough to be read; until then it may be pressed in vain. */
export async function pressUntil(page: Page, key: string, isDone: () => Promise<boolean>): Promise<void> {
  const press = async () => {
    if (!(await isDone())) await page.keyboard.press(key);
    return isDone();
  };
  await expect.poll(press, { timeout: 20_000, interval: 100 }).toBe(true);
}

/** Faster than any finger, and on a slow machine too. */
export function pressInARow(page: Page, key: string, count: number, { isHeld = false } = {}): Promise<void> {
  return page.evaluate(
    ([name, times, repeat]) => {
      const target = document.activeElement ?? document.body;
      for (let pressed = 0; pressed < times; pressed += 1)
        target.dispatchEvent(new KeyboardEvent("keydown", { key: name, repeat, bubbles: true }));
    },
    [key, count, isHeld] as const,
  );
}

/** Kept for people to look at; never compared. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`), animations: "disabled" });
}
