import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { TestDaemon } from "../e2e/test-daemon.js";
import { ROOT } from "../tidy/root.js";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";
import { asking, failing, finished, play, playBusyDay, toolRun, writing } from "./scenes.js";

async function statusReached(daemon: TestDaemon, id: string, status: string): Promise<void> {
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe(status);
}

/** Before the page can do anything in between. */
async function pressTwice(button: Locator): Promise<void> {
  await button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
}

/** What the rows say, from the top. */
function rowsOf(page: Page): Promise<readonly (readonly [title: string, status: string])[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("[data-index]")]
      .sort((a, b) => Number(a.getAttribute("data-index")) - Number(b.getAttribute("data-index")))
      .map((row) => [
        row.querySelector("h2")?.textContent ?? "",
        row.querySelector("[data-session]")?.getAttribute("data-status") ?? "",
      ]),
  );
}

test.each(["desktop", "phone"] as const)(
  "an empty board starts the demo with one press (%s)",
  async (size) => {
    const { page, daemon, complaints } = await openPage({ size });
    await screenshot(page, `empty-${size}`);
    const button = page.getByRole("button", { name: "Start the demo" });
    // Twice at once is once.
    await pressTwice(button);
    await page.waitForURL(/\/s\//);
    const { items } = await daemon.client.listSessions();
    expect(items.map(({ harness }) => harness)).toEqual(["demo"]);
    await page.getByRole("link", { name: "Board", exact: true }).click();
    await page.locator(`[data-session="${items[0]?.id ?? ""}"]`).waitFor();
    expect(complaints).toEqual([]);
  },
);

test("shows every session's status as the daemon has it, those that need a person first", async () => {
  const daemon = await startDaemon();
  const done = await play(daemon, { title: "Done", turns: [finished("All is well.", 0.42)] });
  const busy = await play(daemon, { title: "Busy", turns: [writing(10_000, 100)] });
  const tool = await play(daemon, { title: "Tool", turns: [toolRun("make all", 600_000)] });
  const failed = await play(daemon, { title: "Failed", turns: [failing("No more credit")] });
  const asks = await play(daemon, { title: "Asks", turns: [asking("rm -r build", "rm -r build")] });
  for (const [id, status] of [
    [done, "completed"],
    [busy, "streaming"],
    [tool, "streaming"],
    [failed, "error"],
    [asks, "waiting_approval"],
  ] as const)
    await statusReached(daemon, id, status);
  const { page, complaints } = await openPage({ daemon });
  await expect
    .poll(() => rowsOf(page))
    .toEqual([
      ["Asks", "waiting_approval"],
      ["Failed", "error"],
      ["Tool", "streaming"],
      ["Busy", "streaming"],
      ["Done", "completed"],
    ]);
  const row = (id: string) => page.locator(`[data-session="${id}"]`);
  await expect.poll(() => row(asks).textContent()).toContain("rm -r build");
  await expect.poll(() => row(failed).textContent()).toContain("No more credit");
  await expect.poll(() => row(tool).textContent()).toContain("make all");
  await expect.poll(() => row(busy).textContent()).toContain("of the answer.");
  await expect.poll(() => row(done).textContent()).toContain("All is well.");
  expect(await row(done).textContent()).toContain("$0.42");
  const spinners = await page.locator('[data-spinner="true"] .spinner').count();
  expect([spinners, await page.locator(".spinner").count()]).toEqual([2, 2]);
  expect(await page.title()).toBe("(2) Signalbox");
  // An answer given elsewhere is shown here.
  await daemon.client.answerAsk(asks, "a1", { decision: "approve" });
  await expect.poll(() => row(asks).getAttribute("data-status")).toBe("completed");
  expect(await page.title()).toBe("(1) Signalbox");
  expect(complaints).toEqual([]);
});

test("finds sessions by group, harness and words", async () => {
  const daemon = await startDaemon();
  await play(daemon, { title: "Paint the fence", turns: [finished("x")] });
  await play(daemon, { title: "Mow the lawn", turns: [asking("mow", "mow")] });
  const { page } = await openPage({ daemon });
  const titles = async () => (await rowsOf(page)).map(([title]) => title);
  await expect.poll(titles).toEqual(["Mow the lawn", "Paint the fence"]);
  await page.keyboard.press("/");
  await page.keyboard.type("fence the");
  await expect.poll(titles).toEqual(["Paint the fence"]);
  await page.keyboard.press("Escape");
  await expect.poll(titles).toHaveLength(2);
  await page.getByRole("button", { name: /^Need you/ }).click();
  await expect.poll(titles).toEqual(["Mow the lawn"]);
  await page.getByRole("button", { name: /^Idle/ }).click();
  await expect.poll(titles).toEqual(["Paint the fence"]);
  await page.getByRole("searchbox").fill("lawn");
  await page.getByText("No matching session").waitFor();
  await page.getByRole("searchbox").blur();
  await page.keyboard.press("Escape");
  await expect.poll(titles).toHaveLength(2);
});

test.each(["desktop", "phone"] as const)("starts a session with the form (%s)", async (size) => {
  const { page, daemon, complaints } = await openPage({ size, path: "/new" });
  await page.getByRole("radio", { name: /^Demo/ }).check({ force: true });
  const folder = page.getByLabel("Folder", { exact: true });
  // Not the daemon's own, in which nothing may be changed.
  expect(await folder.inputValue()).toBe((await daemon.client.listHarnesses()).cwd);
  expect(await folder.inputValue()).not.toContain(daemon.dataDir);
  await folder.fill("/no/such/folder");
  await page.getByLabel("Prompt").fill("Say hello");
  const start = page.getByRole("button", { name: "Start" });
  await start.click();
  await page.getByText("There is no such folder").waitFor();
  await folder.fill(tmpdir());
  await page.getByRole("checkbox", { name: /^Auto/ }).check();
  await page.getByText("without anybody looking first").waitFor();
  await page.getByRole("checkbox", { name: "Behind a wall" }).uncheck();
  await page.getByText("No wall: the agent can read and change all that you can.").waitFor();
  await pressTwice(start);
  await page.waitForURL(/\/s\//);
  const { items } = await daemon.client.listSessions();
  expect(items).toMatchObject([
    { harness: "demo", cwd: tmpdir(), title: "Say hello", autoApprove: true, model: null },
  ]);
  const { id } = items[0] ?? { id: "" };
  const wallOf = async () => (await daemon.client.getSession(id)).wall?.sentence;
  await expect.poll(wallOf).toBe("No wall: a person wanted none for this session.");
  await screenshot(page, `after-new-${size}`);
  // Whoever starts one agent after the other does so where the last one works.
  await page.goto(`${daemon.ready.url}/new`);
  await expect.poll(() => folder.inputValue()).toBe(tmpdir());
  expect(complaints).toEqual([]);
});

test("starts any program in a terminal, and any agent by its command", async () => {
  const { page, daemon } = await openPage({ path: "/new" });
  const start = page.getByRole("button", { name: "Start" });
  const newest = async () => (await daemon.client.listSessions()).items.map(({ harness }) => harness);
  await page.getByRole("radio", { name: /^Another agent/ }).check({ force: true });
  await page.getByLabel("Folder", { exact: true }).fill(tmpdir());
  await start.click();
  const command = page.getByLabel("Command");
  expect(await command.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
  await command.fill("no-such-agent 'a b");
  await start.click();
  await page.getByText("A quote is not closed.").waitFor();
  expect(await newest()).toEqual([]);
  await screenshot(page, "new-acp-desktop");
  await command.fill("no-such-agent 'a b'");
  await start.click();
  await page.waitForURL(/\/s\//);
  await page.locator(".session-error").getByText("no-such-agent").waitFor();
  await page.goto(`${daemon.ready.url}/new`);
  await page.getByRole("radio", { name: /^Terminal/ }).check({ force: true });
  await page.getByRole("textbox", { name: /^Program/ }).fill(`sh -c 'echo "it  ran"; cat'`);
  await page.getByLabel("Folder", { exact: true }).fill(tmpdir());
  await start.click();
  await page.waitForURL(/\/s\//);
  await expect.poll(() => page.locator(".xterm-rows").innerText()).toMatch(/it\s+ran/);
  expect((await newest()).toSorted()).toEqual(["acp", "terminal"]);
});

test("says which agents are missing, and how to get them", async () => {
  const { page, daemon } = await openPage({ path: "/new" });
  const { items } = await daemon.client.listHarnesses();
  const missing = items.filter(({ installed }) => !installed);
  await page.getByText(`${missing.length} more, not installed`).click();
  for (const { hint } of missing)
    if (hint !== null) await page.getByText(hint, { exact: true }).first().waitFor();
});

test("shows who is connected, connects another, and says who gets a message", async () => {
  const daemon = await startDaemon();
  const first = await play(daemon, { title: "First", turns: [finished("one"), finished("heard $TEXT")] });
  await statusReached(daemon, first, "completed");
  const second = await play(daemon, { title: "Second", turns: [finished("two")] });
  await statusReached(daemon, second, "completed");
  const { page, complaints } = await openPage({ daemon });
  const seat = (id: string) => page.locator(`[data-session="${id}"] .seat`);
  await expect.poll(() => seat(second).textContent()).toBe("Connected");
  // The other shows nothing, until the pointer is on its row.
  expect(await seat(first).evaluate((element) => getComputedStyle(element).opacity)).toBe("0");
  await page.locator(`[data-session="${first}"]`).hover();
  expect(await seat(first).evaluate((element) => getComputedStyle(element).opacity)).toBe("1");
  await page.getByRole("button", { name: "Connect First" }).click();
  await expect.poll(() => seat(first).textContent()).toBe("Connected");
  await expect.poll(() => seat(second).textContent()).toBe("Connect");
  await page.getByRole("textbox", { name: "Message to First" }).fill("the bell");
  await page.keyboard.press("Enter");
  await page.getByText(/(Sent to|Queued for) First/).waitFor();
  await expect
    .poll(() => page.locator(`[data-session="${first}"]`).textContent())
    .toContain("heard the bell");
  // What is written while another is under way stays.
  const field = page.getByRole("textbox", { name: "Message to First" });
  await page.route("**/messages", async (route) => {
    await field.fill("the next");
    await route.continue();
  });
  await field.fill("the gong");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
  await expect
    .poll(() => page.locator(`[data-session="${first}"]`).textContent())
    .toContain("heard the gong");
  expect(await field.inputValue()).toBe("the next");
  // Where no agent runs there is nothing to show.
  await daemon.client.cancel(first);
  await expect.poll(() => seat(first).count()).toBe(0);
  await expect.poll(() => seat(second).textContent()).toBe("Connected");
  expect(complaints).toEqual([]);
});

test("a fault in one part leaves the others alive", async () => {
  const { page } = await openPage();
  await page.route("**/v1/harnesses", (route) => route.fulfill({ json: { items: null } }));
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByRole("heading", { name: "The page cannot be shown" }).waitFor();
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await page.unroute("**/v1/harnesses");
  await page.getByRole("button", { name: "Start the demo" }).waitFor();
});

/** With `UPDATE=1` the README's picture is taken anew. */
const PICTURE = process.env["UPDATE"] === "1" ? join(ROOT, "docs/images/page.png") : null;

test.each(["light", "dark"] as const)("looks as it should (%s, for people to see)", async (theme) => {
  const daemon = await startDaemon();
  await daemon.client.createSession({ harness: "demo", cwd: tmpdir(), prompt: "Show me what you can do" });
  await playBusyDay(daemon);
  for (const size of ["desktop", "phone"] as const) {
    const { page, complaints } = await openPage({ daemon, size, theme });
    await expect.poll(() => page.locator('[data-session][data-status="waiting_approval"]').count()).toBe(2);
    await page.locator('[data-session][data-status="error"]').waitFor();
    await page.locator(".strip-part").first().waitFor();
    await screenshot(page, `board-${theme}-${size}`);
    if (PICTURE !== null && theme === "light" && size === "desktop") {
      await page.waitForTimeout(20_000);
      await page.screenshot({ path: PICTURE, animations: "disabled" });
    }
    await page.goto(`${daemon.ready.url}/new`);
    await page.getByLabel("Prompt").waitFor();
    await screenshot(page, `new-${theme}-${size}`);
    expect(complaints).toEqual([]);
  }
});

test("how long something has been so is right at the first look, however long nobody looked", async () => {
  const daemon = await startDaemon();
  await play(daemon, { title: "Done", turns: [finished("done")] });
  const { page } = await openPage({ daemon });
  await page.locator('[data-session][data-status="completed"]').waitFor();
  await page.getByRole("link", { name: "New", exact: true }).click();
  await page.getByLabel("Prompt").waitFor();
  await page.evaluate(() => {
    const now = Date.now();
    // More than an hour later, and no clock will tick again.
    Object.assign(Date, { now: () => now + 3_630_000 });
    Object.assign(window, { setInterval: () => 0 });
  });
  await page.getByRole("link", { name: "Board", exact: true }).click();
  await expect.poll(() => page.locator(".row-duration").textContent()).toMatch(/^1h 0\dm ago$/);
});

test("an agent that waits by itself says until when, and what it left in the background is counted", async () => {
  const daemon = await startDaemon();
  const atMs = Date.now() + 3_600_000;
  const request = { emit: { type: "request" } };
  await play(daemon, {
    title: "Waits",
    turns: [[request, { emit: { type: "retry", attempt: 2, atMs } }, { hang: true }]],
  });
  const background = { emit: { type: "background", count: 1 } };
  await play(daemon, { title: "Builds", turns: [[request, background, ...finished("It builds.")]] });
  const { page } = await openPage({ daemon });
  const row = (title: string) => page.locator("[data-session]").filter({ hasText: title });
  await expect
    .poll(() => row("Waits").locator(".row-doing").textContent())
    .toMatch(/^Waiting until .*\d\d:\d\d/);
  await expect.poll(() => row("Builds").textContent()).toContain("1 in background");
});

test("a session that is deleted elsewhere leaves the board", async () => {
  const daemon = await startDaemon();
  const gone = await play(daemon, { title: "Gone", turns: [finished("done")] });
  await play(daemon, { title: "Stays", turns: [finished("done")] });
  await statusReached(daemon, gone, "completed");
  await daemon.client.cancel(gone);
  const { page } = await openPage({ daemon });
  await page.locator(`[data-session="${gone}"][data-status="stopped"]`).waitFor();
  await daemon.client.deleteSession(gone);
  // Somebody comes back to the page.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect.poll(() => page.locator("[data-session] h2").allTextContents()).toEqual(["Stays"]);
});

test("on the narrowest screen no page is wider than the screen", async () => {
  const daemon = await startDaemon();
  await playBusyDay(daemon);
  const { page } = await openPage({ daemon, size: "phone" });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.locator('[data-session][data-status="waiting_approval"]').waitFor();
  const session = await page.locator(".row-link").first().getAttribute("href");
  for (const path of ["/", "/inbox", "/new", session ?? ""]) {
    await page.goto(`${daemon.ready.url}${path}`);
    await page.locator('[data-connection="live"]').waitFor();
    await page.locator("main h1").first().waitFor();
    if (path === "/") {
      await page.locator(".row").first().waitFor();
      await screenshot(page, "board-320");
    }
    expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 320]);
  }
});
