/** A terminal on the page: typed into, resized, scaled, and found again after its daemon was killed. */
import { tmpdir } from "node:os";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { TestDaemon } from "../e2e/test-daemon.js";
import { openPage, screenshot, startDaemon } from "./page-under-test.js";

async function startShell(daemon: TestDaemon): Promise<string> {
  const { id } = await daemon.client.createSession({
    ...{ harness: "terminal", cwd: tmpdir(), title: "A shell", args: ["/bin/sh"] },
    env: { PS1: "~/ready$ ", ENV: "" },
  });
  await expect.poll(async () => (await daemon.client.getSession(id)).status).toBe("idle");
  return id;
}

/** What the emulator in the page shows, without empty lines. */
async function rows(page: Page): Promise<readonly string[]> {
  const all = await page.locator(".xterm-rows > div").allInnerTexts();
  return all.map((row) => row.replaceAll("\u00a0", " ").trimEnd()).filter((row) => row !== "");
}

async function type(page: Page, text: string): Promise<void> {
  await page.locator(".xterm-helper-textarea").focus();
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
}

function state(page: Page, link: string) {
  return page.locator(`.terminal-state[data-link="${link}"]`);
}

test("what is typed is run, colours are shown, and the policy of the page holds", async () => {
  const daemon = await startDaemon();
  const id = await startShell(daemon);
  const { page, complaints } = await openPage({ daemon, path: `/s/${id}` });
  await state(page, "open").waitFor();
  await type(page, "echo $((6 * 7)) täglich");
  await expect.poll(() => rows(page)).toContain("42 täglich");
  await type(page, String.raw`printf '\033[38;2;10;120;30mgreen\033[0m \033[1;31mred\033[0m\n'`);
  await expect.poll(() => rows(page)).toContain("green red");
  const colour = page.locator(".xterm-rows span", { hasText: /^green$/ });
  expect(await colour.evaluate((each) => getComputedStyle(each).color)).toBe("rgb(10, 120, 30)");
  await screenshot(page, "terminal-desktop");
  expect(await page.locator("style").count()).toBe(0);
  expect(complaints).toEqual([]);
});

test("who types decides the size, the other scales", async () => {
  const daemon = await startDaemon();
  const id = await startShell(daemon);
  const desk = await openPage({ daemon, path: `/s/${id}` });
  const phone = await openPage({ daemon, path: `/s/${id}`, size: "phone" });
  for (const { page } of [desk, phone]) await state(page, "open").waitFor();
  await type(desk.page, "stty size");
  await expect.poll(() => desk.page.locator(".terminal-state").innerText()).not.toContain("another");
  const size = (await desk.page.locator(".terminal-state").innerText()).split(" × ").map(Number);
  await type(desk.page, "stty size");
  await expect.poll(() => rows(desk.page)).toContain(`${size[1]} ${size[0]}`);
  await expect
    .poll(() => phone.page.locator(".terminal-state").innerText())
    .toContain("sized by another window");
  await expect.poll(() => rows(phone.page)).toContain(`${size[1]} ${size[0]}`);
  expect(await phone.page.locator(".terminal-screen").evaluate((each) => each.style.transform)).toContain(
    "scale",
  );
  await screenshot(phone.page, "terminal-phone");
  await phone.page.getByRole("button", { name: "Fit to this window" }).click();
  await expect.poll(() => phone.page.locator(".terminal-state").innerText()).not.toContain("another");
  await expect
    .poll(() => desk.page.locator(".terminal-state").innerText())
    .toContain("sized by another window");
  await phone.page.getByRole("button", { name: "Ctrl C" }).click();
  await expect.poll(() => rows(phone.page)).toContain("~/ready$ ^C");
  expect([...desk.complaints, ...phone.complaints]).toEqual([]);
});

test("pasted text comes as pasted, and what is shown can be copied", async () => {
  const daemon = await startDaemon();
  const id = await startShell(daemon);
  const { page, context } = await openPage({ daemon, path: `/s/${id}` });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await state(page, "open").waitFor();
  await type(page, String.raw`printf '\033[?2004h'; cat -v`);
  await page.evaluate(() => navigator.clipboard.writeText("one\ntwo"));
  await page.getByRole("button", { name: "Paste" }).click();
  await page.keyboard.press("Enter");
  await expect.poll(() => rows(page)).toContain("^[[200~one");
  await page.getByRole("button", { name: "Copy" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("^[[200~one");
});

test("a terminal is found again after its daemon was killed, without a reload", async () => {
  const first = await startDaemon();
  const { port } = new URL(first.ready.url);
  const id = await startShell(first);
  const { page, complaints } = await openPage({ daemon: first, path: `/s/${id}` });
  await state(page, "open").waitFor();
  await type(page, "echo before");
  await expect.poll(() => rows(page)).toContain("before");
  await first.kill("SIGKILL");
  await state(page, "lost").waitFor();
  const again = await TestDaemon.start({ dataDir: first.dataDir, args: ["--port", port] });
  try {
    await state(page, "open").waitFor();
    await expect.poll(() => rows(page)).toContain("before");
    await type(page, "echo after");
    await expect.poll(() => rows(page)).toContain("after");
    expect((await rows(page)).filter((row) => row === "before")).toEqual(["before"]);
    await type(page, "exit 3");
    await page.getByText("The program ended with 3.").waitFor();
    expect(complaints.filter((line) => !line.includes("WebSocket"))).toEqual([]);
  } finally {
    await again.end();
  }
});
