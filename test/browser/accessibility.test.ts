/** For people who see, hear and move in other ways: axe on every page in both themes, and no pointer at all. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AxeResults } from "axe-core";
import { openPage, startDaemon } from "./page-under-test.js";
import { asking, failing, finished, play, playBusyDay, writing } from "./scenes.js";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, one line each. */
async function flawsIn(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ""}`),
  );
}

test.each([
  ["light", "desktop"],
  ["dark", "desktop"],
  ["light", "phone"],
  ["dark", "phone"],
] as const)("axe finds nothing on any page (%s, %s)", async (theme, size) => {
  const daemon = await startDaemon();
  const { page } = await openPage({ daemon, theme, size });
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
  expect(await flawsIn(page)).toEqual([]);
  await playBusyDay(daemon);
  await page.locator('[data-session][data-status="error"]').waitFor();
  await page.locator('[data-session][data-status="waiting_approval"]').waitFor();
  await page.locator(".message-bar").waitFor();
  expect(await flawsIn(page)).toEqual([]);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("dialog").waitFor();
  expect(await flawsIn(page)).toEqual([]);
  await page.keyboard.press("Escape");
  for (const path of ["/new", "/inbox", "/nowhere"]) {
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, path);
    await page.locator("main h1").waitFor();
    if (path === "/new") await page.getByLabel("Prompt").waitFor();
    expect([path, await flawsIn(page)]).toEqual([path, []]);
  }
});

test("everything on the board can be done with keys", async () => {
  const daemon = await startDaemon();
  await play(daemon, { title: "One", turns: [finished("done")] });
  await play(daemon, { title: "Two", turns: [writing(10_000, 100)] });
  await play(daemon, { title: "Three", turns: [failing("broken")] });
  const { page, complaints } = await openPage({ daemon });
  await page.locator('[data-session][data-status="error"]').waitFor();
  await page.locator('[data-session][data-status="completed"]').waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("j");
  await expect.poll(focused).toBe("Three");
  await page.keyboard.press("j");
  await expect.poll(focused).toBe("Two");
  await page.keyboard.press("ArrowDown");
  await expect.poll(focused).toBe("One");
  await page.keyboard.press("k");
  await expect.poll(focused).toBe("Two");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  expect(await page.getByRole("dialog").textContent()).toContain("Next session");
  // Keys mean nothing behind it, and it gives the focus back.
  await page.keyboard.press("j");
  await page.keyboard.press("Escape");
  await expect.poll(focused).toBe("Two");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\//);
  await page.keyboard.press("g");
  await page.keyboard.press("i");
  await page.waitForURL(/\/inbox$/);
  await page.keyboard.press("n");
  await page.waitForURL(/\/new$/);
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await page.waitForURL(/\/$/);
  await page.keyboard.press("m");
  await page.keyboard.type("jn?");
  expect(await page.getByRole("textbox", { name: /^Message to/ }).inputValue()).toBe("jn?");
  expect(complaints).toEqual([]);
});

test("the theme can be switched, and is remembered", async () => {
  const { page, daemon } = await openPage({ theme: "light" });
  const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
  await page.keyboard.press(",");
  await page.getByRole("radio", { name: "Dark" }).check({ force: true });
  expect(await scheme()).toBe("dark");
  await page.goto(`${daemon.ready.url}/inbox`);
  expect(await scheme()).toBe("dark");
});

test("calls a person once, by title, icon and notification, and only when the page is not in front", async () => {
  const { page, context, daemon, complaints } = await openPage();
  await context.grantPermissions(["notifications"]);
  await page.evaluate(() => {
    const told: string[] = [];
    class Recorded extends EventTarget {
      static readonly permission = "granted";
      static requestPermission = () => Promise.resolve("granted");
      constructor(title: string, { body }: { readonly body: string }) {
        super();
        told.push(`${title}: ${body}`);
      }
    }
    Object.assign(window, { Notification: Recorded, told });
  });
  const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told);
  await page.keyboard.press(",");
  await page.getByRole("checkbox", { name: "Show a notification" }).check();
  await page.keyboard.press("Escape");
  const seen = await play(daemon, { title: "Seen", turns: [asking("ls", "ls")] });
  await expect.poll(() => page.getByTestId("announcement").textContent()).toBe("Seen: It asks: ls");
  expect(await told()).toEqual([]);
  await expect.poll(() => page.title()).toBe("(1) Signalbox");
  const icon = await page.locator('link[rel="icon"]').getAttribute("href");
  expect(decodeURIComponent(icon ?? "")).toContain("#ffb02e");
  await daemon.client.answerAsk(seen, "a1", { decision: "approve" });
  await expect.poll(() => page.title()).toBe("Signalbox");
  await expect.poll(() => page.getByTestId("announcement").textContent()).toBe("Seen: It is done.");
  expect(await told()).toEqual([]);

  await page.evaluate(() => Object.assign(document, { hasFocus: () => false }));
  await page.getByRole("searchbox").focus();
  await play(daemon, { title: "Unseen", turns: [asking("make", "make")] });
  await expect.poll(told).toEqual(["Unseen: It asks: make"]);
  await play(daemon, { title: "Broken", turns: [failing("no credit")] });
  await expect.poll(told).toEqual(["Unseen: It asks: make", "Broken: no credit"]);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("search");
  expect(complaints).toEqual([]);
});
