/** For people who see, hear and move in other ways: axe on every page in both themes, and no pointer at all. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { AxeResults } from "axe-core";
import { openPage, startDaemon } from "./page-under-test.js";
import { failing, finished, play, playBusyDay, writing } from "./scenes.js";

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
  await page.keyboard.press("c");
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
