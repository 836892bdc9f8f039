/** What a person does with a session on its page, and what they are told when it cannot be done. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";
import { done, hang, request, say, startScript } from "./session-scripts.js";

const status = (page: Page, name: string) => page.locator(`.session[data-status="${name}"]`).waitFor();

test("cancel, resume, interrupt, and two presses at once", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [[request, say("I work."), hang]]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await status(page, "streaming");
  expect(await page.locator(".session-head .spinner").count()).toBe(1);
  const calls: string[] = [];
  page.on("request", (each) => {
    if (each.method() === "POST") calls.push(new URL(each.url()).pathname.split("/").at(-1) ?? "");
  });
  await page.getByRole("button", { name: "Stop" }).dblclick();
  await status(page, "stopped");
  expect(calls).toEqual(["cancel"]);
  expect(await page.locator(".session-head .spinner").count()).toBe(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await status(page, "streaming");
  await page.locator("body").press(".");
  await status(page, "paused");
  expect(calls).toEqual(["cancel", "resume", "interrupt"]);
  expect(complaints).toEqual([]);
});

test("retry after an error, which is told in place", async () => {
  const daemon = await startDaemon();
  const failed = { emit: { type: "fail", code: "api_req_failed", message: "The model is overloaded" } };
  const id = await startScript(daemon, [
    [request, failed],
    [request, say("Better now."), done],
  ]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByRole("alert").filter({ hasText: "The model is overloaded" }).waitFor();
  expect(await page.locator(".session-error").innerText()).toMatch(
    /^The model could not be reached\. The model is overloaded\s+Check the network .* then retry\. api_req_failed$/,
  );
  await screenshot(page, "session-error-desktop");
  await page.getByRole("button", { name: "Retry" }).click();
  await page.getByText("Better now.").waitFor();
  await status(page, "completed");
  // No error any more; that the first attempt failed stays in the thread.
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.locator(".thread .notice").innerText()).toMatch(
    /^The model could not be reached\s+The model is overloaded\s+api_req_failed$/,
  );
  expect(complaints).toEqual([]);
});

test("what cannot be done any more is told, and is not lost", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [[request, hang]]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  await status(page, "streaming");
  await page.route("**/interrupt", async (route) => {
    await daemon.client.cancel(id);
    await route.continue();
  });
  await page.getByRole("button", { name: "Interrupt" }).click();
  await page.locator(".session-problem").waitFor();
  expect(await page.locator(".session-problem").innerText()).toMatch(/stopped|interrupt/i);
  await page.getByRole("button", { name: "Dismiss" }).click();
  expect(await page.locator(".session-problem").count()).toBe(0);
});

test("messages wait in a queue that is seen, go in order, and drafts stay", async () => {
  const daemon = await startDaemon();
  const slow = [request, say("First turn."), { waitMs: 4_000 }, done];
  const id = await startScript(daemon, [slow, [request, say("Heard: $TEXT"), done]]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("First turn.").waitFor();
  const field = page.locator(".composer-field");
  await field.fill("second thing");
  await field.press("Enter");
  await field.fill("line one");
  await field.press("Shift+Enter");
  await field.pressSequentially("line two");
  await page.getByRole("button", { name: "Queue" }).click();
  await page.locator('.asked[data-delivery="queued"]').nth(1).waitFor();
  await screenshot(page, "session-queue-desktop");
  await field.fill("not sent yet");
  await page.reload();
  expect(await field.inputValue()).toBe("not sent yet");
  await page.getByText("Heard: second thing").waitFor();
  await page.getByText("Heard: line one").waitFor();
  await status(page, "completed");
  await expect.poll(() => page.locator(".asked[data-delivery]").count()).toBe(0);
  expect(await page.locator(".asked-text").allInnerTexts()).toEqual([
    "Begin",
    "second thing",
    "line one\nline two",
  ]);
  expect(complaints).toEqual([]);
});

test("a message that could not be sent says so, and is sent once when tried again", async () => {
  const daemon = await startDaemon();
  const id = await startScript(daemon, [[request, say("Heard: $TEXT"), done]]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  await status(page, "completed");
  let times = 0;
  await page.route("**/messages", async (route) => {
    times += 1;
    // The daemon takes it; its answer is lost.
    if (times === 1) await route.fetch();
    if (times === 1) await route.abort();
    else await route.continue();
  });
  await page.locator(".composer-field").fill("only once");
  await page.locator(".composer-field").press("Enter");
  await page.getByText("it is not known whether this was done").waitFor();
  // It is still there for who comes back, and after a reload.
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await page.getByRole("main").getByRole("link", { name: "Scripted" }).click();
  await page.getByText("it is not known whether this was done").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => page.locator(".unsent-line").count()).toBe(0);
  await page.getByText("Heard: only once").waitFor();
  expect(await page.locator(".asked-text").allInnerTexts()).toEqual(["Begin", "only once"]);
});

test("title, auto-approve and deletion", async () => {
  const daemon = await startDaemon();
  const retry = { emit: { type: "retry", attempt: 2, atMs: Date.now() + 3_600_000 } };
  const id = await startScript(daemon, [[request, { emit: { type: "background", count: 1 } }, retry, hang]]);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("1 in background").waitFor();
  await page.getByText(/Waiting until .* to try again \(attempt 2\)/).waitFor();
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("Title").fill("A better name");
  await page.getByLabel("Title").press("Enter");
  await page.getByRole("heading", { name: "A better name" }).waitFor();
  const asks = page.getByLabel("What it asks you");
  await asks.selectOption("Auto-approve everything");
  await page.getByRole("button", { name: "Turn auto-approve on" }).click();
  await page.getByText("Auto-approve is on").waitFor();
  await screenshot(page, "session-auto-desktop");
  await asks.selectOption("Ask me about everything");
  await expect.poll(() => page.getByText("Auto-approve is on").count()).toBe(0);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/");
  expect((await daemon.client.listSessions()).items).toEqual([]);
  expect(complaints).toEqual([]);
});

test("what goes on in the background is counted until it ends, also after the turn", async () => {
  const daemon = await startDaemon();
  const background = (count: number) => ({ emit: { type: "background", count } });
  const id = await startScript(daemon, [
    [request, background(1), say("It builds."), done, { waitMs: 2_000 }, background(0), hang],
  ]);
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("1 in background").waitFor();
  await status(page, "completed");
  await expect.poll(() => page.getByText("in background").count()).toBe(0);
});
