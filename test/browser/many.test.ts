/** Many sessions at once: every row right, nothing jumps, nothing grows without end. */
import { fileURLToPath } from "node:url";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";
import { play, writing } from "./scenes.js";

const SESSIONS = 200;
const PIECES = 300;
const OPENED_AT_ONCE = 10;
const AGENT = fileURLToPath(new URL("../reliability/small-agent.sh", import.meta.url));

test("two hundred sessions stream, and the board draws only those in sight", async () => {
  const { page, daemon, complaints } = await openPage();
  let next = 0;
  const openSome = async (): Promise<void> => {
    while (next < SESSIONS) {
      next += 1;
      const title = `Session ${String(next).padStart(3, "0")}`;
      const body = { harness: "script", cwd: tmpdir(), title, prompt: "go", args: ["--program", AGENT] };
      await daemon.client.createSession({ ...body, env: { PIECES: String(PIECES) } });
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openSome));
  const all = page.getByRole("button", { name: /^All/ });
  await expect.poll(() => all.textContent(), { timeout: 60_000 }).toBe(`All ${SESSIONS}`);
  await expect
    .poll(() => page.getByRole("button", { name: /^Idle/ }).textContent(), { timeout: 90_000 })
    .toBe(`Idle ${SESSIONS}`);
  expect(await page.locator("[data-session]").count()).toBeLessThan(60);
  await page.keyboard.press("End");
  await expect.poll(() => page.locator(`[data-index="${SESSIONS - 1}"]`).count()).toBe(1);
  expect(await page.locator("[data-session]").count()).toBeLessThan(60);
  const last = page.locator(`[data-index="${SESSIONS - 1}"] [data-session]`);
  await expect.poll(() => last.textContent()).toContain(`${PIECES}`);
  // From the last row to the first, by keys alone.
  await page.keyboard.press("k");
  await expect
    .poll(() =>
      page.evaluate(() => document.activeElement?.closest("[data-index]")?.getAttribute("data-index")),
    )
    .toBe(String(SESSIONS - 1));
  await screenshot(page, "board-many");
  const statuses = (await daemon.client.listSessions({ limit: 1_000 })).items.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(["completed"]));
  expect(complaints).toEqual([]);
});

test("nothing on the board moves by itself while sessions stream", async () => {
  const daemon = await startDaemon();
  for (let index = 0; index < 12; index += 1)
    await play(daemon, {
      title: `Writer ${index}`,
      turns: [writing(10_000, 50, "A longer piece of text, number $I. ")],
    });
  const { page } = await openPage({ daemon });
  await expect.poll(() => page.locator('[data-session][data-status="streaming"]').count()).toBe(12);
  await page.waitForTimeout(500);
  const shift = await page.evaluate(async () => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!(entry as unknown as { hadRecentInput: boolean }).hadRecentInput)
          sum += (entry as unknown as { value: number }).value;
    });
    observer.observe({ type: "layout-shift", buffered: false });
    const before = document.querySelector(".row-doing")?.textContent;
    await new Promise((resolve) => void setTimeout(resolve, 5_000));
    observer.disconnect();
    return { sum, hasMoved: document.querySelector(".row-doing")?.textContent !== before };
  });
  expect(shift).toEqual({ sum: 0, hasMoved: true });
});

test("five thousand sessions are scrolled and searched without drawing more than a screenful", async () => {
  const daemon = await startDaemon();
  await play(daemon, { title: "The real one", turns: [writing(2, 10)] });
  await expect.poll(async () => (await daemon.client.listSessions()).items[0]?.status).toBe("completed");
  const { items } = await daemon.client.listSessions();
  const [real] = items;
  if (!real) throw new Error("there is one session");
  const { page } = await openPage({ daemon });
  await page.route("**/v1/sessions?*", (route) =>
    route.fulfill({
      json: {
        items: Array.from({ length: 5_000 }, (_, index) => ({
          ...real,
          id: `${real.id}-${index}`,
          title: `Session ${index}`,
          createdAtMs: real.createdAtMs - index,
        })),
      },
    }),
  );
  await page.reload();
  await expect.poll(() => page.getByRole("button", { name: /^All/ }).textContent()).toBe("All 5000");
  // The sidebar has them all too, and draws as few.
  const side = page.getByRole("navigation", { name: "Sessions" });
  await expect.poll(() => side.getByRole("button", { name: /5000$/ }).count()).toBe(1);
  await side.locator(".side-scroller").evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await side.getByRole("link", { name: /Session 4999/ }).waitFor();
  expect(await side.getByRole("link").count()).toBeLessThan(60);
  for (const toPx of [50_000, 100_000, 149_000, 0]) {
    await page.evaluate((top) => window.scrollTo(0, top), toPx);
    const wanted = Math.floor(toPx / 30);
    await expect.poll(() => page.locator(`[data-index="${wanted}"]`).count()).toBe(1);
    expect(await page.locator("[data-session]").count()).toBeLessThan(60);
  }
  await page.getByRole("searchbox").fill("session 4321");
  await expect.poll(() => page.locator("[data-session] h2").allTextContents()).toEqual(["Session 4321"]);
});
