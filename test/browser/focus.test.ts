/** The field for an answer gets the focus when the open session asks, unless it is in use elsewhere, and at no other time. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, startDaemon } from "./page-under-test.js";
import { done, request, say, startScript, type Step } from "./session-scripts.js";

function asking(askId: string): readonly Step[] {
  const question = { emit: { type: "ask", ask: "followup", askId, title: "Which one?" } };
  return [request, question, { answer: askId, reply: [say("Thanks.")] }, done];
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.className ?? "");
}

test("by a link to a session that asks, and not by one to a session that does not", async () => {
  const daemon = await startDaemon();
  await startScript(daemon, [asking("q1")], { title: "Asks" });
  await startScript(daemon, [[request, say("Done."), done]], { title: "Rests" });
  const { page, complaints } = await openPage({ daemon });
  await page.locator('[data-session][data-status="waiting_input"]').waitFor();
  await page.locator('[data-session][data-status="completed"]').waitFor();
  await page.locator("main").getByRole("link", { name: "Asks" }).click();
  await expect.poll(() => focused(page)).toContain("composer-field");
  await page.keyboard.type("the first");
  await page.keyboard.press("Enter");
  await page.getByText("Thanks.").waitFor();
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await page.locator("main").getByRole("link", { name: "Rests" }).click();
  await page.getByText("Done.", { exact: true }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  expect(complaints).toEqual([]);
});

test("when it begins to ask, but not away from where somebody types", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [[request, say("Ready."), done], asking("q1"), asking("q2")]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("Ready.").waitFor();
  expect(await focused(page)).toBe("");
  await daemon.client.sendMessage(id, { text: "go on" });
  await page.locator('.session[data-status="waiting_input"]').waitFor();
  await expect.poll(() => focused(page)).toContain("composer-field");
  await page.keyboard.type("this one");
  await page.keyboard.press("Enter");
  await page.locator('.session[data-status="completed"]').waitFor();
  await page.getByRole("button", { name: "Rename" }).click();
  await page.keyboard.type("A new na");
  await daemon.client.sendMessage(id, { text: "and on" });
  await page.locator('.session[data-status="waiting_input"]').waitFor();
  await page.keyboard.type("me");
  expect(await page.locator(".session-title input").inputValue()).toMatch(/A new name$/);
});

test("nor away from where somebody reads", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [[request, say("Ready."), done], asking("q1")]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("Ready.").click();
  await expect.poll(() => focused(page)).toBe("thread-scroller");
  await daemon.client.sendMessage(id, { text: "go on" });
  await page.locator("article.ask").waitFor();
  await page.keyboard.press("End");
  expect(await focused(page)).toBe("thread-scroller");
});
