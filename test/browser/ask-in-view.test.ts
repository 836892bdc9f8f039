/** Nobody approves what they do not see: what will run stands beside the buttons, on every screen. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, pressInARow, pressUntil, screenshot, startDaemon } from "./page-under-test.js";
import { done, request, say, startScript, type Step } from "./session-scripts.js";

const OPEN = "article.ask:not([data-gone])";
const LONG = Array.from({ length: 60 }, (_, line) => `echo line ${line} && make part-${line}`).join("\n");
const STORY = "It thought about this for a while, and then about something else. ".repeat(40);

function asking(askId: string, title: string, detail: string): readonly Step[] {
  return [
    request,
    say(STORY),
    { emit: { type: "ask", ask: "command", askId, title, detail } },
    { answer: askId, approve: [], reject: [] },
    done,
  ];
}

/** Whether the first line of what will run and the button are there to be seen and pressed, as the page stands. */
function inView(page: Page): Promise<object> {
  return page
    .locator(OPEN)
    .first()
    .evaluate((ask) => {
      const isSeen = (element: Element | null | undefined) => {
        const box = element?.getBoundingClientRect();
        if (!element || !box) return false;
        const yFirst = box.top + Math.min(8, box.height / 2);
        const found = document.elementFromPoint(box.left + 8, yFirst);
        return found !== null && element.contains(found);
      };
      const detail = ask.querySelector(".ask-detail") ?? ask;
      return {
        title: isSeen(ask.querySelector(".ask-title")),
        detail: isSeen(detail) && detail.getBoundingClientRect().height > 20,
        approve: isSeen(ask.querySelector('[data-action="approve"]')),
        reject: isSeen(ask.querySelector('[data-action="reject"]')),
      };
    });
}

/** Whether the last line of what will run is there to be seen. */
function hasEndInView(page: Page): Promise<boolean> {
  return page.locator(`${OPEN} :is(.ask-detail, .ask-title[data-command])`).evaluate((detail) => {
    const { left, bottom } = detail.getBoundingClientRect();
    const found = document.elementFromPoint(left + 8, bottom - 4);
    return found !== null && detail.contains(found);
  });
}

const ALL_SEEN = { title: true, detail: true, approve: true, reject: true };

test.each([
  [640, 400],
  [390, 500],
  [390, 844],
  [1280, 800],
])("at %i × %i what will run stands beside the buttons", async (width, height) => {
  const daemon = await startDaemon();
  const { page, complaints } = await openPage({ daemon });
  await page.setViewportSize({ width, height });
  const asks = [
    ["short", "Run make it", "make it"],
    ["long", "Run a script", LONG],
    ["title", `Run ${LONG}`, LONG],
  ] as const;
  for (const [name, title, detail] of asks) {
    const id = await startScript(daemon, [asking("a1", title, detail)]);
    await page.goto(`${daemon.ready.url}/s/${id}`);
    await page.locator(OPEN).waitFor();
    const seen = name === "title" ? { ...ALL_SEEN, detail: expect.any(Boolean) as boolean } : ALL_SEEN;
    await expect.poll(() => inView(page)).toEqual(seen);
    await screenshot(page, `ask-${name}-${width}x${height}`);
    // All of a long one can be read without leaving the buttons.
    const { x, y } = (await page.locator(`${OPEN} .ask-title`).boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 8, y + 8);
    if (name !== "short") await page.mouse.wheel(0, 5_000);
    await expect.poll(() => hasEndInView(page)).toBe(true);
    expect(await inView(page)).toMatchObject({ approve: true, reject: true });
    await pressUntil(page, "a", async () => (await daemon.client.getSession(id)).status === "completed");
  }
  expect(complaints).toEqual([]);
});

test("the key approves only when what will run is in view", async () => {
  const daemon = await startDaemon();
  const ids: string[] = [];
  for (const askId of ["a1", "a2", "a3", "a4"]) {
    const id = await startScript(daemon, [asking(askId, "Run a script", LONG)]);
    await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("waiting_approval");
    ids.push(id);
  }
  const { page } = await openPage({ daemon, path: "/inbox" });
  await page.locator(OPEN).nth(3).waitFor();
  await page.keyboard.press("n");
  expect(await inView(page)).toEqual(ALL_SEEN);
  // The buttons are there, what they are about is above.
  await page
    .locator(`${OPEN} .ask-actions`)
    .first()
    .evaluate((actions) => {
      scrollBy(0, actions.getBoundingClientRect().top - 160);
    });
  await expect.poll(() => inView(page)).toMatchObject({ title: false, detail: false, approve: true });
  // What the first press brings up is not answered by the next: it was not read in between.
  await pressInARow(page, "a", 2);
  await expect.poll(() => inView(page)).toEqual(ALL_SEEN);
  expect((await daemon.client.getSession(ids[0] ?? "")).status).toBe("waiting_approval");
  const isOver = async () => (await daemon.client.getSession(ids[0] ?? "")).status === "completed";
  await pressUntil(page, "a", isOver);
});
