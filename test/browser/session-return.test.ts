/** A daemon that is killed while a page looks: the page goes on, with nothing lost and nothing twice. */
import { expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, startDaemon } from "./page-under-test.js";
import { done, request, say, startScript } from "./session-scripts.js";

test("the thread is whole after a daemon was killed and came back, without a reload", async () => {
  const first = await startDaemon();
  const { port } = new URL(first.ready.url);
  const words = { emit: { type: "text", text: "word-$I " }, repeat: 300, everyMs: 20 };
  const id = await startScript(first, [[request, words, done]]);
  const { page, complaints } = await openPage({ daemon: first, path: `/s/${id}` });
  await page.evaluate(() => Object.assign(window, { neverReloaded: true }));
  await page.getByText("word-20 ").waitFor();
  await first.kill("SIGKILL");
  await page.getByText("Connection lost").waitFor();
  const again = await TestDaemon.start({ dataDir: first.dataDir, args: ["--port", port] });
  try {
    await page.locator('.session[data-status="completed"]').waitFor();
    const all = Array.from({ length: 300 }, (_, index) => `word-${index + 1}`).join(" ");
    await expect.poll(async () => (await page.locator(".said").innerText()).trim()).toBe(all);
    expect(await page.locator(".thread-item").count()).toBe(2);
    expect(await page.evaluate(() => "neverReloaded" in window)).toBe(true);
    expect(complaints).toEqual([]);
  } finally {
    await again.end();
  }
});

test("a thread that could not be read is read again when somebody wants it", async () => {
  const daemon = await startDaemon();
  await startScript(daemon, [[request, say("Here it is."), done]]);
  const { page } = await openPage({ daemon });
  await page.locator('[data-session][data-status="completed"]').waitFor();
  await page.route("**/thread", (route) => route.abort());
  await page.locator("main").getByRole("link", { name: "Scripted" }).click();
  await page.getByText("The thread cannot be read").waitFor();
  await page.unroute("**/thread");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Here it is.").waitFor();
  expect(await page.getByText("The thread cannot be read").count()).toBe(0);
});

test("a session that is opened while the daemon is away is shown once it is back", async () => {
  const first = await startDaemon();
  const { port } = new URL(first.ready.url);
  await startScript(first, [[request, say("Here it is."), done]]);
  const { page } = await openPage({ daemon: first });
  await page.locator('[data-session][data-status="completed"]').waitFor();
  await first.kill("SIGKILL");
  await page.getByText("Connection lost").waitFor();
  await page.locator("main").getByRole("link", { name: "Scripted" }).click();
  await page.getByText("The thread cannot be read").waitFor();
  const again = await TestDaemon.start({ dataDir: first.dataDir, args: ["--port", port] });
  try {
    await page.getByText("Here it is.").waitFor();
  } finally {
    await again.end();
  }
});

test("who scrolled up stays there and is told of news; who reads the end stays at the end", async () => {
  const daemon = await startDaemon();
  const words = {
    emit: { type: "text", text: "Line $I of many.\n\n", messageId: "m$I" },
    repeat: 400,
    everyMs: 10,
  };
  const id = await startScript(daemon, [[request, words, done]]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  const scroller = page.locator(".thread-scroller");
  const distance = () => scroller.evaluate((each) => each.scrollHeight - each.scrollTop - each.clientHeight);
  await page.getByText("Line 60 of many.").waitFor();
  await expect.poll(distance).toBeLessThan(40);
  await scroller.evaluate((each) => each.scrollTo(0, 200));
  await page.getByRole("button", { name: "New below" }).waitFor();
  const top = await scroller.evaluate((each) => each.scrollTop);
  await page.waitForTimeout(500);
  expect(await scroller.evaluate((each) => each.scrollTop)).toBe(top);
  await page.getByRole("button", { name: "New below" }).click();
  await page.locator('.session[data-status="completed"]').waitFor();
  await expect.poll(distance).toBeLessThan(40);
  await page.getByText("Line 400 of many.").waitFor();
});
