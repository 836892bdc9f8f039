import { expect, test } from "vitest";
import { browser, openPage, screenshot, startDaemon } from "./page-under-test.js";

test.each(["desktop", "phone"] as const)("a one-time link signs a %s browser in", async (size) => {
  const { page, complaints } = await openPage({ size });
  await page.getByRole("status").filter({ hasText: "Live" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/");
  await screenshot(page, `board-empty-${size}`);
  expect(complaints).toEqual([]);
});

test("a browser that nobody signed in is told how", async () => {
  const daemon = await startDaemon();
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  await page.goto(`${daemon.ready.url}/inbox`);
  await page.getByRole("heading", { name: "Not signed in" }).waitFor();
  // The link works in the same browser, and the page that waits finds out.
  const other = await context.newPage();
  await other.goto((await daemon.client.createLoginLink({ role: "own" })).url);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await context.close();
});
