/** The page says only what is so: what an agent does, to whom a message goes, what an agent told, what is wrong. */
import { tmpdir } from "node:os";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { browser, openPage, screenshot, startDaemon } from "./page-under-test.js";
import { finished, play } from "./scenes.js";
import { asking, done, hang, request, say, startScript } from "./session-scripts.js";

const doing = (page: Page) => page.locator(".session-doing span").first();

async function reached(daemon: TestDaemon, id: string, status: string): Promise<void> {
  await expect
    .poll(async () => (await daemon.client.getSession(id)).status, { timeout: 30_000 })
    .toBe(status);
}

test("it waits for the model, then writes, then runs a command, and then waits again", async () => {
  const daemon = await startDaemon();
  const tool = { callId: "c1", name: "Bash", input: { command: "npm test" } };
  const id = await startScript(daemon, [
    [request, say("Ready."), done],
    [
      request,
      { waitMs: 3_000 },
      ...Array.from({ length: 6 }, () => [say("I look at the tests. "), { waitMs: 500 }]).flat(),
      { emit: { type: "tool", ...tool } },
      { waitMs: 3_000 },
      { emit: { type: "tool_done", callId: "c1", ok: false, output: "1 failed\n[exit code 2]" } },
      hang,
    ],
  ]);
  await reached(daemon, id, "completed");
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.getByText("Ready.").waitFor();
  // The turn begins when somebody looks.
  await daemon.client.sendMessage(id, { text: "Test it" });
  await doing(page).waitFor();
  const seen: string[] = [];
  await expect
    .poll(
      async () => {
        const words = await doing(page).innerText();
        if (seen.at(-1) !== words) seen.push(words);
        return seen.includes("Running npm test") && words === "Waiting for the model";
      },
      { timeout: 30_000, interval: 50 },
    )
    .toBe(true);
  expect(seen).toEqual(["Waiting for the model", "Writing", "Running npm test", "Waiting for the model"]);
  expect(await page.locator(".tool-state").innerText()).toBe("failed, exit code 2");
  // What the tool does, in words; what the agent calls it is small print.
  expect(await page.locator(".tool-head").innerText()).not.toContain("Bash");
  expect(await page.locator(".tool-name").innerText()).toBe("Run a command");
  await page.locator(".tool-head").click();
  expect(await page.locator(".tool-own-name").innerText()).toBe("The agent’s own name for it: Bash");
  // Who comes later is told the same.
  await page.reload();
  await expect.poll(() => doing(page).innerText()).toBe("Waiting for the model");
  expect(complaints).toEqual([]);
});

test("who opens the board while a command runs sees which", async () => {
  const daemon = await startDaemon();
  const tool = { type: "tool", callId: "c1", name: "Bash", input: { command: "npm test" } };
  const id = await startScript(daemon, [[request, say("I run the tests."), { emit: tool }, hang]]);
  await expect.poll(async () => (await daemon.client.getSession(id)).phase).toBe("executing_tools");
  const { page } = await openPage({ daemon });
  await expect.poll(() => page.locator(".row-doing").innerText()).toBe("Running npm test");
});

test("a message goes to whom it was begun for, whoever is connected meanwhile", async () => {
  const daemon = await startDaemon();
  const first = await play(daemon, { title: "First", turns: [finished("one"), finished("heard $TEXT")] });
  await reached(daemon, first, "completed");
  const { page } = await openPage({ daemon });
  const field = page.locator(".message-text");
  await field.fill("for the first");
  const second = await play(daemon, { title: "Second", turns: [finished("two"), finished("heard $TEXT")] });
  await reached(daemon, second, "completed");
  await page.locator(".message-moved").waitFor();
  expect(await page.locator(".message-moved").innerText()).toMatch(
    /^Now connected: Second\. This goes to First\.\s+Send to Second instead$/,
  );
  expect(await field.getAttribute("aria-label")).toBe("Message to First");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText(/(Sent to|Queued for) First/).waitFor();
  await expect
    .poll(() => page.locator(`[data-session="${first}"]`).textContent())
    .toContain("heard for the first");
  // With nothing written, the connected one is meant again.
  await expect.poll(() => field.getAttribute("aria-label")).toBe("Message to Second");
  await field.fill("and now");
  await daemon.client.connect({ sessionId: first });
  await page.getByRole("button", { name: "Send to First instead" }).click();
  await expect.poll(() => page.locator(`[data-session="${first}"]`).textContent()).toContain("heard and now");
});

test("what the built-in agent tells beside the conversation is in the thread, and a line across for /new", async () => {
  const daemon = await startDaemon();
  const { id } = await daemon.client.createSession({ harness: "demo", cwd: tmpdir(), prompt: "/help" });
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await page.locator(".note", { hasText: "/model [NAME]" }).waitFor();
  await reached(daemon, id, "completed");
  await daemon.client.sendMessage(id, { text: "/model" });
  await page.locator(".note", { hasText: "demo" }).nth(1).waitFor();
  await reached(daemon, id, "completed");
  await daemon.client.sendMessage(id, { text: "/new" });
  await page.locator(".boundary").waitFor();
  expect(await page.locator(".boundary").innerText()).toBe("A new conversation. What is above is archived.");
  await screenshot(page, "notes-desktop");
  // Read again it is the same.
  await page.reload();
  await page.locator(".boundary").waitFor();
  expect(complaints).toEqual([]);
});

test("a shell is a shell, from its start to its end", async () => {
  const daemon = await startDaemon();
  const { id } = await daemon.client.createSession({
    ...{ harness: "terminal", cwd: tmpdir(), title: "A shell", args: ["/bin/sh"] },
    env: { PS1: "~/ready$ ", ENV: "" },
  });
  const { page, complaints } = await openPage({ daemon });
  const row = page.locator(`[data-session="${id}"]`);
  await row.locator(".status-word", { hasText: /^Shell$/ }).waitFor();
  expect(await row.locator(".row-doing").innerText()).toBe("No agent is running in it");
  expect(await row.locator(".status-dot").evaluate((dot) => getComputedStyle(dot).backgroundColor)).toBe(
    "rgba(0, 0, 0, 0)",
  );
  await row.locator(".row-link").click();
  await page.locator(".session-head .status-word", { hasText: /^Shell$/ }).waitFor();
  expect(await page.locator(".facts").innerText()).toContain("not checked");
  expect(await page.locator(".composer textarea").count()).toBe(0);
  await page.locator(".xterm-rows").waitFor();
  // No black bar where the rows end.
  expect(
    await page.locator(".xterm-viewport").evaluate((each) => getComputedStyle(each).backgroundColor),
  ).toBe("rgba(0, 0, 0, 0)");
  await page.locator('.terminal-state[data-link="open"]').waitFor();
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type("exit 0");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await daemon.client.getSession(id)).status).not.toBe("idle");
  await page.goto(daemon.ready.url);
  await row.locator(".status-word").waitFor();
  // It did nothing: nothing is green.
  await expect
    .poll(() => row.locator(".status-mark").evaluate((mark) => getComputedStyle(mark).color))
    .toBe("rgb(79, 84, 89)");
  expect(complaints).toEqual([]);
});

test("a rejected command is rejected, not failed", async () => {
  const daemon = await startDaemon();
  const { id } = await daemon.client.createSession({
    ...{ harness: "demo", cwd: tmpdir(), prompt: "Show me what you can do", wall: "off" },
  });
  const { page } = await openPage({ daemon, path: `/s/${id}` });
  const card = page.locator("article.ask").first();
  await card.waitFor();
  // The command stands there once, and the tool's own name is small print.
  const [asked] = (await daemon.client.getSession(id)).asks;
  expect(asked?.ask).toBe("command");
  expect((await card.innerText()).split(asked?.title ?? "").length - 1).toBe(1);
  expect(await card.locator(".ask-tool").innerText()).toBe(
    "The agent’s own name for it: execute_shell_command",
  );
  expect(await card.locator(".ask-head").innerText()).not.toContain("execute_shell_command");
  expect(await page.locator(".facts").innerText()).not.toMatch(/walled|enforced|roster/i);
  expect(await page.locator(".session-unwalled").innerText()).toBe("No wall");
  await page.getByRole("button", { name: "Reject…" }).first().click();
  await page.getByRole("button", { name: "Reject", exact: true }).click();
  await page.locator('.tool[data-state="rejected"] .tool-state', { hasText: "rejected" }).waitFor();
});

test("New says what holds for a terminal, and shows products and nothing internal", async () => {
  const { page } = await openPage({ path: "/new" });
  await page.getByText("Signalbox agent", { exact: true }).waitFor();
  const names = await page.locator(".harness-name").allTextContents();
  expect(names).toContain("Claude Code");
  expect(names).not.toContain("Script");
  await page.getByRole("radio", { name: /^Terminal/ }).check({ force: true });
  await page.locator('[data-enforcement="none"]').waitFor();
  expect(await page.locator(".new-session").innerText()).not.toContain("you are asked before");
});

test("a full disk is said on every page, with what to do", async () => {
  const { page, daemon } = await openPage();
  await page.route("**/v1/health", (route) =>
    route.fulfill({
      json: {
        ...{ ok: false, readOnly: false },
        checks: [
          {
            ...{ name: "disk", ok: false, heading: "The disk is nearly full" },
            ...{ detail: "only 3 MiB free for /data", remedy: "Make room." },
          },
          {
            name: "files",
            ok: false,
            heading: "Private files are open to others",
            detail: "x",
            remedy: null,
          },
        ],
      },
    }),
  );
  await page.reload();
  await page.locator(".health-banner").waitFor();
  expect(await page.locator(".health-banner").allInnerTexts()).toEqual([
    "The disk is nearly full. Only 3 MiB free for /data. Make room.",
  ]);
  // In a session too, and the message field stays in sight.
  const id = await startScript(daemon, [[request, hang]]);
  await page.goto(`${daemon.ready.url}/s/${id}`);
  await page.locator(".health-banner").waitFor();
  const belowSight = () =>
    page
      .locator(".composer")
      .evaluate((each) => Math.floor(each.getBoundingClientRect().bottom - innerHeight));
  await expect.poll(belowSight).toBeLessThanOrEqual(0);
});

test("a note on the journal is said, and can be put away", async () => {
  const { page } = await openPage();
  const note = {
    ...{ name: "journal", ok: true, heading: "The journal was cut short" },
    detail: "The journal's log ends in the middle of a transaction",
    remedy: "After a crash there is nothing to do.",
  };
  const disk = { name: "disk", ok: true, detail: "9 MiB free", remedy: null };
  await page.route("**/v1/health", (route) =>
    route.fulfill({ json: { ok: true, readOnly: false, checks: [note, disk] } }),
  );
  await page.reload();
  const banner = page.locator(".health-banner");
  await banner.waitFor();
  expect(await banner.locator("p").allInnerTexts()).toEqual([
    "The journal was cut short. The journal's log ends in the middle of a transaction. After a crash there is nothing to do.",
  ]);
  await banner.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => banner.count()).toBe(0);
});

test("a link that was used leads to a page that says what to run, and looks like one", async () => {
  const daemon = await startDaemon();
  const { url } = await daemon.client.createLoginLink({ role: "own" });
  const context = await (await browser()).newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (/policy/i.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url);
  await page.goto(url);
  await page.getByRole("heading", { name: "This link no longer works" }).waitFor();
  expect(await page.locator("pre").innerText()).toMatch(/ open --data-dir /);
  expect(await page.locator("body").evaluate((body) => getComputedStyle(body).maxWidth)).not.toBe("none");
  expect(complaints).toEqual([]);
  await context.close();
});

test("asks in the inbox are called requests, and can be selected", async () => {
  const daemon = await startDaemon();
  await startScript(daemon, [asking("q1", "make one")], { title: "One" });
  await startScript(daemon, [asking("q2", "make two"), [request, done]], { title: "Two" });
  const { page } = await openPage({ daemon, path: "/inbox" });
  await page.getByText("2 requests are waiting for you, oldest first.").waitFor();
  await page.getByRole("button", { name: "Approve selected" }).waitFor();
});
