/** The sidebar: projects and their sessions, what needs a person first, by pointer, keys and finger. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";
import { asking, failing, finished, play, writing } from "./scenes.js";

test("sessions stand under their projects, what needs a person first, and keys go from one to the next", async () => {
  const daemon = await startDaemon();
  const folder = (name: string) => {
    const path = join(daemon.dataDir, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const start = (title: string, name: string, turn: readonly object[]) =>
    play(daemon, { title, cwd: folder(name), turns: [turn] });
  const asks = await start("Asks", "api", asking("make one", "make one"));
  const fails = await start("Fails", "web-shop", failing("No more credit"));
  const asksToo = await start("Asks too", "web-shop", asking("make two", "make two"));
  const busy = await start("Busy", "api", writing(10_000, 100));
  const done = await start("Done", "api", finished("All is well."));
  const statuses = async () =>
    (await daemon.client.listSessions()).items.map(({ status }) => status).toSorted();
  const approval = "waiting_approval";
  await expect.poll(statuses).toEqual(["completed", "error", "streaming", approval, approval]);

  const { page, complaints } = await openPage({ daemon });
  const side = page.getByRole("navigation", { name: "Sessions" });
  const shown = () => side.locator(".side-group-name, .side-title").allInnerTexts();
  const all = ["Needs you", "Asks", "Asks too", "api", "Done", "Busy", "web-shop", "Fails"];
  await expect.poll(shown).toEqual(all);
  expect(await side.getByRole("button", { name: /^web-shop\s*1 needs you\s*1$/ }).count()).toBe(1);
  await expect.poll(() => side.getByRole("link", { name: /Busy/ }).innerText()).toContain("Writing");
  await screenshot(page, "sidebar-desktop");

  // What is folded stays so, and keys pass it.
  await side.getByRole("button", { name: /^api/ }).click();
  await page.reload();
  await expect.poll(shown).toEqual(all.filter((each) => each !== "Done" && each !== "Busy"));
  const at = (id: string) => page.waitForURL(`**/s/${id}`);
  await page.goto(`${daemon.ready.url}/s/${asksToo}`);
  await page.locator("article.ask").waitFor();
  await page.keyboard.press("j");
  await at(fails);
  await side.getByRole("button", { name: /^api/ }).click();
  await page.keyboard.press("k");
  await at(busy);
  await page.keyboard.press("k");
  await at(done);
  expect(await side.locator('[aria-current="page"] .side-title').innerText()).toBe("Done");
  // From one that needs a person to the next, and round.
  await page.keyboard.press("n");
  await at(asks);
  await page.locator("article.ask").waitFor();
  await page.keyboard.press("n");
  await at(asksToo);
  await page.locator("article.ask").waitFor();
  await page.keyboard.press("n");
  await at(asks);

  const phone = await openPage({ daemon, size: "phone" });
  await phone.page.getByRole("button", { name: "Sessions" }).click();
  const drawer = phone.page.getByRole("dialog", { name: "Sessions" });
  await screenshot(phone.page, "sidebar-phone");
  await drawer.getByRole("link", { name: /Asks too/ }).click();
  await phone.page.waitForURL(`**/s/${asksToo}`);
  expect(await drawer.count()).toBe(0);
  expect([...complaints, ...phone.complaints]).toEqual([]);
});

test("compact rows show two dozen sessions on a screen, and the choice is kept", async () => {
  const daemon = await startDaemon();
  await play(daemon, { title: "The real one", turns: [finished("x")] });
  const [real] = (await daemon.client.listSessions()).items;
  const { page } = await openPage({ daemon });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.route("**/v1/sessions?*", (route) =>
    route.fulfill({
      json: {
        items: Array.from({ length: 40 }, (_, index) => ({
          ...real,
          id: `s${index}`,
          title: `No. ${index}`,
        })),
      },
    }),
  );
  await page.reload();
  const whole = () =>
    page.evaluate(() => {
      const endPx = document.querySelector(".message-bar")?.getBoundingClientRect().top ?? window.innerHeight;
      const rows = [...document.querySelectorAll(".row")];
      return rows.filter((row) => row.getBoundingClientRect().bottom <= endPx).length;
    });
  await expect.poll(whole).toBeGreaterThanOrEqual(24);
  await page.keyboard.press(",");
  await page.getByRole("radio", { name: "Comfortable" }).check({ force: true });
  await expect.poll(whole).toBeLessThan(16);
  await page.reload();
  await page.locator(".row").first().waitFor();
  expect(await whole()).toBeLessThan(16);
});
