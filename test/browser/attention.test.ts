/** Who is called, how, and how often. */
import type { BrowserContext, Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, startDaemon } from "./page-under-test.js";
import { asking, failing, play } from "./scenes.js";

/** In place of the system's: what would have been shown is written down. */
async function recordNotifications(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const told: string[] = [];
    class Recorded extends EventTarget {
      static readonly permission = "granted";
      static readonly requestPermission = () => Promise.resolve("granted");
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        told.push(`${title}: ${body}`);
      }
    }
    Object.assign(window, { Notification: Recorded, told });
  });
}

function told(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => (window as unknown as { told: string[] }).told);
}

async function wantNotifications(page: Page): Promise<void> {
  await page.keyboard.press(",");
  await page.getByRole("checkbox", { name: "Show a notification" }).check();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** As if another window had the focus. */
async function putBehind(page: Page): Promise<void> {
  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
}

test("by title, icon and notification, and not by the last when the page is in front", async () => {
  const daemon = await startDaemon();
  const { page, context, complaints } = await openPage({ daemon });
  await recordNotifications(context);
  await page.reload();
  await page.locator('[data-connection="live"]').waitFor();
  await wantNotifications(page);
  const seen = await play(daemon, { title: "Seen", turns: [asking("ls", "ls")] });
  const announcement = page.getByTestId("announcement");
  await expect.poll(() => announcement.textContent()).toBe("Seen: It asks: ls");
  expect(await told(page)).toEqual([]);
  await expect.poll(() => page.title()).toBe("(1) Signalbox");
  const icon = await page.locator('link[rel="icon"]').getAttribute("href");
  expect(decodeURIComponent(icon ?? "")).toContain("#ffb02e");
  await daemon.client.answerAsk(seen, "a1", { decision: "approve" });
  await expect.poll(() => page.title()).toBe("Signalbox");
  await expect.poll(() => announcement.textContent()).toBe("Seen: It is done.");
  expect(await told(page)).toEqual([]);

  await putBehind(page);
  await page.getByRole("searchbox").focus();
  await play(daemon, { title: "Unseen", turns: [asking("make", "make")] });
  await expect.poll(() => told(page)).toEqual(["Unseen: It asks: make"]);
  await play(daemon, { title: "Broken", turns: [failing("no credit")] });
  await expect.poll(() => told(page)).toEqual(["Unseen: It asks: make", "Broken: no credit"]);
  // Whatever happens, the focus stays where it was.
  expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  expect(complaints).toEqual([]);
});

test("once, however many tabs are open", async () => {
  const daemon = await startDaemon();
  const { page, context } = await openPage({ daemon });
  await recordNotifications(context);
  const pages = [page, await context.newPage(), await context.newPage()];
  for (const each of pages) {
    await each.goto(daemon.ready.url);
    await each.locator('[data-connection="live"]').waitFor();
    await putBehind(each);
  }
  await wantNotifications(page);
  const all = async () => (await Promise.all(pages.map(told))).flat();
  await play(daemon, { title: "First", turns: [asking("ls", "ls")] });
  await expect.poll(all).toEqual(["First: It asks: ls"]);
  await play(daemon, { title: "Second", turns: [failing("no credit")] });
  await expect.poll(async () => (await all()).length).toBe(2);
  for (const each of pages)
    await expect.poll(() => each.getByTestId("announcement").textContent()).toBe("Second: no credit");
  expect((await all()).toSorted()).toEqual(["First: It asks: ls", "Second: no credit"]);
});

test("in no tab, while another one is in front", async () => {
  const daemon = await startDaemon();
  const { page, context } = await openPage({ daemon });
  await recordNotifications(context);
  const behind = await context.newPage();
  for (const each of [page, behind]) {
    await each.goto(daemon.ready.url);
    await each.locator('[data-connection="live"]').waitFor();
  }
  await wantNotifications(page);
  // It hears of everything later, as hidden tabs do.
  await behind.evaluate(() => {
    const soon = setTimeout;
    const later = (call: () => void, delayMs: number) => soon(call, delayMs + 1_000);
    Object.assign(document, { hasFocus: () => false });
    Object.assign(window, { setTimeout: later });
  });
  await page.evaluate(() => Object.assign(document, { hasFocus: () => true }));
  await page.bringToFront();
  await play(daemon, { title: "Seen", turns: [asking("ls", "ls")] });
  await expect.poll(() => behind.getByTestId("announcement").textContent()).toBe("Seen: It asks: ls");
  expect([await told(page), await told(behind)]).toEqual([[], []]);
});
